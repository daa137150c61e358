"""Lowers break, continue and nested return to flags, so that every statement has one entry and one exit.

A jump sets a flag. The statements that would follow it move into the other branch of the `if` around the jump, or under
`if not flag`. A `return` outside of conditionals and loops is unchanged.
"""

from __future__ import annotations

import ast

from tracefn.autograph.templates import Template, cloned

RETURNED = "ag__returned"
RETVAL = "ag__retval"

_SET = Template("FLAG = VALUE")
_RETURN = Template("RETVAL = VALUE\nRETURNED = True")
_START = Template("RETURNED = False\nRETVAL = ag__.unset")
_FINISH = Template("return RETVAL if RETURNED is True else ag__.returned(RETURNED, RETVAL)")
_GUARD = Template("if not FLAG:\n    BODY")
_NOT = Template("not FLAG")
_ONCE = Template("for ag__once in (None,):\n    BODY")
_END_EXCEPTION = Template("if FLAG is True:\n    break")

_CONDITIONAL = (ast.If, ast.While, ast.For, ast.Match)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class _Loop:
    """The flags of one loop: `leave` ends it, `skip` ends the iteration; either may be None."""

    def __init__(self, leave, skip) -> None:
        self.leave = leave
        self.skip = skip


_BLOCK_FIELDS = {
    ast.If: ("body", "orelse"),
    ast.For: ("body", "orelse"),
    ast.AsyncFor: ("body", "orelse"),
    ast.While: ("body", "orelse"),
    ast.With: ("body",),
    ast.AsyncWith: ("body",),
    ast.Match: (),
    **dict.fromkeys((ast.Try, getattr(ast, "TryStar", ast.Try)), ("body", "orelse", "finalbody")),
}


def blocks(node: ast.stmt):
    """(field, statements) of each block of a statement, without nested scopes."""
    fields = _BLOCK_FIELDS.get(type(node))
    if fields is None:
        return ()
    found = [(field, getattr(node, field)) for field in fields if getattr(node, field)]
    holders: list = getattr(node, "handlers", None) or getattr(node, "cases", [])
    for holder in holders:
        found.append(("body", holder.body))
    return found


def _has_nested_return(body, inside: bool = False) -> bool:
    for statement in body:
        if inside and isinstance(statement, ast.Return):
            return True
        deeper = inside or isinstance(statement, _CONDITIONAL)
        if any(_has_nested_return(block, deeper) for _, block in blocks(statement)):
            return True
    return False


def _jumps_of(body, in_loop: bool = True) -> set:
    """The kinds of jumps in a loop's body that affect this loop."""
    found = set()
    for statement in body:
        kind = type(statement)
        if kind is ast.Return:
            found.add("return")
        elif in_loop and kind is ast.Break:
            found.add("break")
        elif in_loop and kind is ast.Continue:
            found.add("continue")
        own = kind not in (ast.For, ast.While, ast.AsyncFor)
        for field, block in blocks(statement):
            found |= _jumps_of(block, in_loop and (own or field == "orelse"))
    return found


def _always_jumps(body) -> bool:
    """Whether control never reaches the end of these statements."""
    for statement in body:
        kind = type(statement)
        if kind in (ast.Return, ast.Break, ast.Continue):
            return True
        if kind is ast.If and statement.orelse and _always_jumps(statement.body) and _always_jumps(statement.orelse):
            return True
        if kind is ast.With and _always_jumps(statement.body):
            return True
    return False


class _Lowering:
    def __init__(self, lower_returns: bool) -> None:
        self._returns = lower_returns
        self._loops: list[_Loop] = []
        self._count = 0
        self._read: set[str] = set()  # flags that something reads
        self._final_depth: int | None = None  # number of loops around the innermost `finally`, while that is lowered

    def _all_flags(self) -> set:
        """The flags that a return sets."""
        flags = {flag for loop in self._loops for flag in (loop.leave, loop.skip)} - {None}
        return flags | {RETURNED} if self._returns else flags

    def block(self, body) -> tuple[list, bool]:
        """The lowered statements, and whether a jump may have happened in them."""
        result = []
        for index, statement in enumerate(body):
            rest = body[index + 1 :]
            if type(statement) in (ast.If, ast.For, ast.While):
                if type(statement) is ast.If:
                    lowered, jumped, placed = self._conditional(statement, rest)
                else:
                    lowered, jumped, placed = self._loop(statement, rest)
                result.extend(lowered)
                if placed:
                    return result, True
            else:
                lowered, jumped = self._statement(statement)
                result.extend(lowered)
            if not jumped:
                continue
            if rest and not _always_jumps([statement]):
                guarded, _ = self.block(rest)
                result.extend(self._guard(rest[0], guarded))
            elif rest:
                result.extend(_keep_scope(rest))
            return result, True
        return result, False

    def _guard(self, at, body) -> list:
        loop = self._loops[-1] if self._loops else None
        flag = loop.skip if loop else RETURNED
        self._read.add(flag)
        guard = _GUARD.fill(at, FLAG=flag, BODY=body)
        guard[0].ag_strict_return = loop is None
        return guard

    def _conditional(self, node: ast.If, rest) -> tuple[list, bool, bool]:
        """Lowers an if statement. If just one branch always jumps, `rest` moves into the other one; the third value says so."""
        main_ends, else_ends = _always_jumps(node.body), _always_jumps(node.orelse)
        main, main_jumped = self.block(node.body)
        orelse, else_jumped = self.block(node.orelse)
        placed = bool(rest) and main_ends != else_ends
        if placed:
            follow, _ = self.block(rest)
            if main_ends:
                orelse += self._guard(rest[0], follow) if else_jumped else follow
            else:
                main += self._guard(rest[0], follow) if main_jumped else follow
        node.body, node.orelse = main, orelse
        return [node], main_jumped or else_jumped, placed

    def _statement(self, node) -> tuple[list, bool]:
        kind = type(node)
        if kind is ast.Return and self._returns:
            value = node.value if node.value is not None else ast.copy_location(ast.Constant(None), node)
            lowered = _RETURN.fill(node, RETVAL=RETVAL, RETURNED=RETURNED, VALUE=value)
            for flag in sorted(self._all_flags() - {RETURNED}):
                lowered += _SET.fill(node, FLAG=flag, VALUE=True)
            return lowered, True
        if kind is ast.Break or kind is ast.Continue:
            loop = self._loops[-1]
            flags = {loop.skip} if kind is ast.Continue else {loop.leave, loop.skip}
            lowered = []
            if len(self._loops) == self._final_depth:  # out of `finally`: discards the jump that led there
                for flag in sorted(self._all_flags() - flags):
                    lowered += _SET.fill(node, FLAG=flag, VALUE=False)
            for flag in sorted(flags):
                lowered += _SET.fill(node, FLAG=flag, VALUE=True)
            return lowered, True
        if kind in (ast.Try, getattr(ast, "TryStar", ast.Try)):
            return self._try(node)
        jumped = False
        for field, body in blocks(node):
            lowered, jumps = self.block(body)
            jumped = jumped or jumps
            if kind is not ast.Match:
                setattr(node, field, lowered)
            else:
                body[:] = lowered
        return [node], jumped

    def _loop(self, node, rest) -> tuple[list, bool, bool]:
        """Lowers a loop; its `else` becomes an if statement after it. The third value is as in `_conditional`."""
        kinds = _jumps_of(node.body) if self._returns else _jumps_of(node.body) - {"return"}
        leave = skip = None
        before, start = [], []
        if "break" in kinds:
            leave = self._new_flag("break")
            before += _SET.fill(node, FLAG=leave, VALUE=False)
        elif "return" in kinds:
            leave = RETURNED
        if kinds:
            skip = leave
        if kinds == {"continue"} or len(kinds) > 1:
            skip = self._new_flag("continue")
            start += _SET.fill(node, FLAG=skip, VALUE=False)
        self._loops.append(_Loop(leave, skip))
        options = next((s for s in node.body if _is_loop_options(s)), None)
        node.ag_options = options.value if options is not None else None
        kept = [s for s in node.body if s is not options] or [ast.copy_location(ast.Pass(), node.body[0])]
        body, _ = self.block(kept)
        self._loops.pop()
        if skip is not None and skip != leave and skip not in self._read:  # what follows is in other branches already
            start = []
            _drop_flag(body, skip)
        node.body = start + body
        node.ag_exit = leave
        otherwise, node.orelse = node.orelse, []
        if type(node) is ast.While and any(type(part) is ast.NamedExpr for part in ast.walk(node.test)):
            before += self._evaluate_once(node, leave)
        result = [*before, node]
        jumped = "return" in kinds
        if otherwise and leave is not None and not jumped:
            ended = ast.copy_location(ast.If(_NOT.expression(otherwise[0], FLAG=leave), otherwise, []), otherwise[0])
            lowered, more, placed = self._conditional(ended, rest)
            return result + lowered, more, placed
        if otherwise:
            lowered, more = self.block(otherwise)
            jumped = jumped or more
            if leave is None:
                result += lowered
            else:
                guard = _GUARD.fill(otherwise[0], FLAG=leave, BODY=lowered)
                guard[0].ag_strict_return = leave == RETURNED and not self._loops
                result += guard
        return result, jumped, False

    def _evaluate_once(self, node: ast.While, leave) -> list:
        """A condition that binds names: it is evaluated before the loop and at the end of the body, not in the condition graph."""
        self._count += 1
        name = f"ag__test_{self._count}"
        again = _SET.fill(node.test, FLAG=name, VALUE=cloned(node.test))
        if leave is not None:
            again = _GUARD.fill(node.test, FLAG=leave, BODY=again)
            again[0].ag_strict_return = False
        first = _SET.fill(node.test, FLAG=name, VALUE=node.test)
        node.body += again
        node.test = ast.copy_location(ast.Name(name, ast.Load()), node.test)
        return first

    def _try(self, node) -> tuple[list, bool]:
        node.body, jumped = self.block(node.body)
        if node.orelse:
            orelse, more = self.block(node.orelse)
            node.orelse = self._guard(node.orelse[0], orelse) if jumped else orelse
            jumped = jumped or more
        for handler in node.handlers:
            handler.body, more = self.block(handler.body)
            jumped = jumped or more
        outer, self._final_depth = self._final_depth, len(self._loops)
        node.finalbody, jumps_last = self.block(node.finalbody)
        self._final_depth = outer
        if not jumps_last:
            return [node], jumped
        # A jump in `finally` also discards an exception in flight; so does the break of a loop around it.
        flag = self._loops[-1].skip if self._loops else RETURNED
        self._read.add(flag)
        node.finalbody += _END_EXCEPTION.fill(node.finalbody[0], FLAG=flag)
        once = _ONCE.fill(node, BODY=[node])[0]
        once.ag_plain = True
        once.ag_exit = None
        return [once], True

    def _new_flag(self, kind: str) -> str:
        self._count += 1
        return f"ag__{kind}_{self._count}"


def _drop_flag(body: list, flag: str, may_be_empty: bool = False) -> None:
    """Drops the assignments to a flag from a block and the blocks inside it."""
    kept = []
    for statement in body:
        if type(statement) is ast.Assign and getattr(statement.targets[0], "id", None) == flag:
            continue
        kept.append(statement)
        for field, block in blocks(statement):
            _drop_flag(block, flag, field == "orelse")
    body[:] = kept or ([] if may_be_empty else [ast.copy_location(ast.Pass(), body[0])])


def _keep_scope(dead) -> list:
    """Keeps unreachable statements that make names local to the function."""
    where = ast.copy_location(ast.Constant(False), dead[0])
    return [ast.copy_location(ast.If(where, dead, []), dead[0])] if _binds_or_yields(dead) else []


def _binds_or_yields(body) -> bool:
    return any(
        (type(n) is ast.Name and type(n.ctx) is not ast.Load) or isinstance(n, (*_SCOPES, ast.Import, ast.ImportFrom))
        for s in body
        for n in ast.walk(s)
    ) and not any(type(n) in (ast.Break, ast.Continue) for s in body for n in ast.walk(s))


def _is_loop_options(statement) -> bool:
    """Whether a statement is a call of set_loop_options, which is read before the loop."""
    if type(statement) is not ast.Expr or type(statement.value) is not ast.Call:
        return False
    called = statement.value.func
    return getattr(called, "attr", getattr(called, "id", None)) == "set_loop_options"


def lower(node: ast.FunctionDef) -> None:
    """Rewrites the body of a function in place; nested functions are handled separately."""
    returns = _has_nested_return(node.body)
    body = node.body
    lowering = _Lowering(returns)
    lowered, _ = lowering.block(body)
    if returns:
        head = []
        if _is_docstring(lowered[0]):
            head, lowered = lowered[:1], lowered[1:]
        last = body[-1]
        end = _FINISH.fill(last, RETVAL=RETVAL, RETURNED=RETURNED)
        lowered = head + _START.fill(node, RETVAL=RETVAL, RETURNED=RETURNED) + lowered + end
    node.body = lowered


def _is_docstring(statement) -> bool:
    return (
        type(statement) is ast.Expr and type(statement.value) is ast.Constant and isinstance(statement.value.value, str)
    )
