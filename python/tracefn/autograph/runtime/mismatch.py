"""Messages for variables that a staged statement cannot carry: one exception for all of them.

Each variable gets TensorFlow's sentence. Below it are its types on both sides, the lines that set it, and a fix.
"""

from __future__ import annotations

import ast
from typing import Any

from tracefn import nest
from tracefn._user_code import edits, words
from tracefn._user_code.place import Place, line_of, settings
from tracefn.tensor_shape import TensorShape

_MOST = 3  # variables shown in a message
_LONGEST = 80  # characters of a user's line
_STATEMENTS = (ast.If, ast.For, ast.While)
_RETURNED = "retval_"


class Problem:
    """A variable that cannot be carried: its own error, and its values on the two sides as Flat (None: no value)."""

    __slots__ = ("error", "first", "is_none", "name", "rank", "second", "shape")

    def __init__(self, error: Exception, name: str, first=None, second=None, shape=None, is_none=False) -> None:
        self.error = error
        self.name = name
        self.first = first
        self.second = second
        self.shape = shape  # the loop-invariant shape, if only the shape changes
        self.is_none = is_none  # the side without a value is None, not undefined
        self.rank = 2  # lower ones are reported earlier

    @property
    def dtypes(self) -> tuple | None:
        """The names of the dtypes of a single tensor that differ, or None."""
        if self.first is None or self.second is None or len(self.first.tensors) != 1 or len(self.second.tensors) != 1:
            return None
        pair = self.first.tensors[0].dtype.name, self.second.tensors[0].dtype.name
        return pair if pair[0] != pair[1] else None


def of_loop(problems, frame) -> Exception:
    """One exception for the variables of a loop; `frame` is at its header line."""
    return _combined(problems, _Loop(Place(frame)))


def of_branches(problems, frame) -> Exception:
    """One exception for the variables of an if statement; `frame` is at it."""
    return _combined(problems, _If(Place(frame)))


def of_expression(problems, frame) -> Exception:
    """One exception for a conditional expression or boolean operator."""
    return _combined(problems, _Expression(Place(frame), problems[0].name))


def of_function(problem: Problem, frame) -> Exception:
    """The exception for a function that returns from a loop, without a return after it."""
    return _combined([problem], _Function(Place(frame), None))


def of_probe(name: str, was_none: bool, error: Exception, frame) -> str:
    """The message for a variable that has no value before a loop although the body reads it.

    Args:
      name: the variable.
      was_none: whether the variable was None rather than undefined.
      error: the exception that the body raised.
      frame: the frame of the function.
    """
    first, _, rest = str(error).partition("\n")
    place = Place(frame)
    if was_none:
        nodes = [n for n in (settings([place.function], name) if place.function is not None else ()) if edits.is_none(n)]
        where = f" (line {nodes[0].lineno}: `{place.text_of(nodes[0].lineno)}`)" if nodes else ""
        lines = [f"'{name}' is not allowed to be None before the loop{where}"]
        if name not in getattr(error, "_tracefn_names", ()):
            lines.append(f"    The loop's body gave a {type(error).__name__}: {first}")
            if place.function is not None:
                lines.append(f"    Fix: give '{name}' a start value in place of None.")
    else:
        lines = [
            f"'{name}' must be defined before the loop.",
            f"Note: AutoGraph tried to define it automatically, but ran into a {type(error).__name__}: {first}",
        ]
    return "\n".join([*lines, rest] if rest else lines)


def with_fix(text: str, fix: str | None) -> str:
    """The message, with the fix on a second line if there is one."""
    return text if fix is None else f"{text}\n    {fix}"


def graph_loop_fix(frame) -> str | None:
    """The fix that turns the Python loop at a frame into a graph loop, or None."""
    place = Place(frame)
    loop = place.statement(ast.For, ast.While)
    return None if loop is None else edits.fix([edits.graph_loop(place, loop)])


def _combined(problems, sides) -> Exception:
    lines: list[str] = []
    told = problems[:_MOST]
    for problem in told:
        # The sides show the longer reason for a structural difference.
        text = str(problem.error).partition("\n\n")[0]
        if text in lines:
            continue
        lines.append(text)
        facts = sides.facts(problem)
        fix = sides.fix(problem)
        if len(told) > 1:
            lines += ["    " + "; ".join(part for part in (facts, fix) if part)] if facts or fix else []
        else:
            lines += [f"    {part}" for part in (facts, fix) if part]
    shared = sides.shared_fix(told)
    if shared:
        lines.append(f"    {shared}")
    if len(problems) > _MOST:
        lines.append("    The same of " + ", ".join(f"'{p.name}'" for p in problems[_MOST:]) + ".")
    error = type(problems[0].error)("\n".join(lines))
    error.__dict__["_tracefn_names"] = [p.name for p in problems]
    return error


class _Sides:
    """The two sides of a statement that must agree on a variable."""

    labels: tuple[str, str]

    def __init__(self, place: Place, statement) -> None:
        self.place = place
        self.statement: Any = statement if place.function is not None else None

    def facts(self, problem: Problem) -> str:
        parts = []
        for label, flat, nodes in zip(self.labels, (problem.first, problem.second), self.settings(problem), strict=True):
            if flat is not None:
                parts.append(f"{label}: {words.structure(flat.structure, flat.tensors)}{self.by(nodes)}")
        return "; ".join(parts)

    def by(self, nodes) -> str:
        """The location of the nodes, as a suffix for a value."""
        by_line = {line_of(node): node for node in nodes}
        if not by_line:
            return ""
        if len(by_line) > 1:
            return f" (lines {', '.join(map(str, by_line))})"
        ((line, node),) = by_line.items()
        if isinstance(node, ast.arg):
            return " (a parameter)"
        text = self.place.text_of(line)
        return f" (line {line}: `{text}`)" if len(text) <= _LONGEST else f" (line {line})"

    def settings(self, problem: Problem) -> tuple[list, list]:
        """The assignments of the variable on either side."""
        raise NotImplementedError

    def fix(self, problem: Problem) -> str | None:
        """The fix that makes the two sides agree on this variable, or None."""
        raise NotImplementedError

    def shared_fix(self, problems) -> str | None:
        """One fix for several variables, or None."""
        return None

    def _start_value(self, problem: Problem) -> str | None:
        """The fix that gives a variable without a value on one side a value before the statement."""
        flat = problem.first if problem.second is None else problem.second
        place, name = self.place, problem.name
        if flat is None or self.statement is None or name == _RETURNED:
            return None
        code = words.zeros(flat.structure, flat.tensors, place.tf)
        if edits.asks_for_none(place, name):
            anchor = place.outermost(self.statement)
            return (
                f"Fix: give '{name}' a start value of its type before line {anchor.lineno}, one that stands for what None "
                "stands for now, and ask for that value instead of None."
            )
        edit = None if code is None else edits.start_value(place, self.statement, name, code)
        return edits.fix([edit])


class _If(_Sides):
    labels = ("main branch", "else branch")

    def __init__(self, place: Place) -> None:
        super().__init__(place, place.statement(ast.If))

    def settings(self, problem: Problem):
        if self.statement is None:
            return [], []
        if problem.name == _RETURNED:
            return self._returns()
        return tuple(settings(body, problem.name) for body in (self.statement.body, self.statement.orelse))

    def _returns(self):
        inside, otherwise = (edits.returns_of(body) for body in (self.statement.body, self.statement.orelse))
        after = [n for n in edits.returns_of(self._body()) if n.lineno > (self.statement.end_lineno or 0)]
        # The side that does not return by itself continues after the statement.
        return inside or after, otherwise or after

    def _body(self) -> list:
        body = self.place.function.body
        return body if isinstance(body, list) else []

    def fix(self, problem: Problem) -> str | None:
        if self.statement is None:
            return None
        if problem.dtypes is not None:
            return self._wider(problem, *problem.dtypes)
        if problem.first is None or problem.second is None:
            if problem.name == _RETURNED and not problem.is_none:
                return self._returned_at_end(problem)
            return self._none_inside(problem) or self._start_value(problem)
        return self._missing_keys(problem)

    def _missing_keys(self, problem: Problem) -> str | None:
        """The fix for keys that only one branch adds to a dict: adds them before the statement."""
        first, second = (flat.structure for flat in (problem.first, problem.second))
        settings_of = self.settings(problem)
        if type(first) is not dict or type(second) is not dict or first.keys() == second.keys():
            return None
        full, part = (first, second) if first.keys() > second.keys() else (second, first)
        if not full.keys() > part.keys() or settings_of[0 if part is first else 1]:
            return None
        line = self.place.outermost(self.statement).lineno
        found: list[str | None] = []
        for key in [k for k in full if k not in part]:
            code = words.zeros(full[key], nest.flatten(full[key]), self.place.tf)
            found.append(None if code is None else edits.before(line, f"{problem.name}[{key!r}] = {code}"))
        return edits.fix(found)

    def _returned_at_end(self, problem: Problem) -> str | None:
        """The fix that adds a return to the path without one."""
        around = self.place.parent(self.statement)
        while around is not None and not isinstance(around, (ast.For, ast.While)):
            around = self.place.parent(around)
        if around is not None:  # a Python loop: conditional returns need a graph loop
            return edits.fix([edits.graph_loop(self.place, around)])
        return _returned_at_end(self.place, problem)

    def _wider(self, problem: Problem, *dtypes: str) -> str | None:
        to = words.wider(*dtypes)
        if to is None:
            return None
        found: list = []
        bodies = self._returns() if problem.name == _RETURNED else (self.statement.body, self.statement.orelse)
        for nodes, body, dtype in zip(self.settings(problem), bodies, dtypes, strict=True):
            if dtype == to:
                continue
            if nodes:
                found += edits.retyped(self.place, body, problem.name, to)
            else:
                found += edits.retyped_before(self.place, self.statement, problem.name, to)
        return edits.fix(found)

    def _none_inside(self, problem: Problem) -> str | None:
        """The fix that replaces the None that one branch sets or returns by a value."""
        side = 0 if problem.first is None else 1
        nodes = self.settings(problem)[side]
        flat = problem.second if side == 0 else problem.first
        if not problem.is_none or len(nodes) != 1 or flat is None:
            return None
        (node,) = nodes
        code = words.zeros(flat.structure, flat.tensors, self.place.tf)
        if code is None or not self.place.is_alone(node) or edits.asks_for_none(self.place, problem.name):
            return None
        if problem.name == _RETURNED:
            returns_none = node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
            return edits.fix([edits.write(self.place, node, f"return {code}")]) if returns_none else None
        return edits.fix([edits.write(self.place, node, f"{problem.name} = {code}")]) if edits.is_none(node) else None


def _returned_at_end(place: Place, problem: Problem) -> str | None:
    flat = problem.second if problem.first is None else problem.first
    body = getattr(place.function, "body", None)
    if flat is None or not isinstance(body, list) or isinstance(body[-1], ast.Return):
        return None
    code = words.zeros(flat.structure, flat.tensors, place.tf)
    return edits.fix([None if code is None else f"add `return {code}` at the end of {place.function.name}"])


class _Function(_Sides):
    """A function that returns from inside a loop and may also reach its end."""

    labels = ("returned", "at the end")

    def settings(self, problem: Problem):
        body = getattr(self.place.function, "body", None)
        return edits.returns_of(body) if isinstance(body, list) else [], []

    def fix(self, problem: Problem) -> str | None:
        return _returned_at_end(self.place, problem)


class _Loop(_Sides):
    labels = ("before the loop", "after one iteration")

    def __init__(self, place: Place) -> None:
        super().__init__(place, place.statement(ast.For, ast.While))

    def settings(self, problem: Problem):
        if self.statement is None:
            return [], []
        inside = settings(self.statement.body, problem.name)
        if isinstance(self.statement, ast.For):
            inside = settings([self.statement], problem.name)
        return edits.reaching(self.place, self.statement, problem.name), inside

    def fix(self, problem: Problem) -> str | None:
        if self.statement is None:
            return None
        if problem.dtypes is not None:
            first, second = problem.dtypes
            to = words.wider(first, second)
            if to is None:
                return None
            found: list = []
            if first != to:
                found += edits.retyped_before(self.place, self.statement, problem.name, to)
            if second != to:
                found += edits.retyped(self.place, self.statement.body, problem.name, to)
            return edits.fix(found)
        if problem.first is None:
            return self._start_value(problem)
        if problem.second is None:
            return self._value_for_none(problem)
        return self._appended(problem) if problem.shape is None else None

    def _value_for_none(self, problem: Problem) -> str | None:
        """The fix that replaces the None that the body sets by a value."""
        nodes = [n for n in settings(self.statement.body, problem.name) if edits.is_none(n)]
        code = words.zeros(problem.first.structure, problem.first.tensors, self.place.tf)
        if len(nodes) != 1 or code is None or not self.place.is_alone(nodes[0]):
            return None
        if edits.asks_for_none(self.place, problem.name):
            return None
        return edits.fix([edits.write(self.place, nodes[0], f"{problem.name} = {code}")])

    def _appended(self, problem: Problem) -> str | None:
        """The fix that turns `+` or `+=` on a list into `append`."""
        earlier, inside = self.settings(problem)
        if len(inside) != 1 or len(earlier) != 1 or not isinstance(earlier[0], ast.Assign):
            return None
        (start,), (node,), name, place = earlier, inside, problem.name, self.place
        if not isinstance(start.value, (ast.List, ast.Tuple)) or not place.is_alone(start) or not place.is_alone(node):
            return None
        added = None
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            added = node.value
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.Add):
            added = node.value.right if ast.unparse(node.value.left) == name else None
        if type(added) is not type(start.value) or len(added.elts) != 1 or isinstance(added.elts[0], ast.Starred):
            return None
        append = edits.write(place, node, f"{name}.append({place.segment(added.elts[0])})")
        if isinstance(added, ast.List):
            return edits.fix([append])
        return edits.fix([edits.write(place, start, f"{name} = {ast.unparse(ast.List(start.value.elts))}"), append])

    def shared_fix(self, problems) -> str | None:
        """One call for all variables whose shapes change."""
        if self.statement is None:
            return None
        tf = self.place.tf
        pairs = []
        for problem in problems:
            if problem.shape is None or len(problem.first.tensors) != 1:
                continue
            before, after = problem.shape, problem.second.tensors[0].shape
            general = before.most_specific_common_supertype([after]) if before.rank == after.rank else TensorShape(None)
            shape = "None" if general.rank is None else repr(general.as_list())
            pairs.append(f"({problem.name}, {tf}.TensorShape({shape}))")
        if not pairs:
            return None
        listed = ", ".join(pairs)
        first = self.statement.body[0]
        if "set_loop_options" in ast.unparse(first):
            return f"Fix: put {listed} into the shape_invariants of set_loop_options on line {first.lineno}."
        call = f"{tf}.autograph.experimental.set_loop_options(shape_invariants=[{listed}])"
        return edits.fix([edits.before(first.lineno, call)])


class _Expression(_Sides):
    labels = ("main branch", "else branch")

    def __init__(self, place: Place, label: str) -> None:
        super().__init__(place, None)
        for node in place.nodes(ast.IfExp):
            if label in (ast.unparse(node.test), place.segment(node.test)) and node.lineno <= place.line <= node.end_lineno:
                self.statement = node

    def settings(self, problem: Problem):
        return [], []

    def facts(self, problem: Problem) -> str:
        if self.statement is None:
            return super().facts(problem)
        parts = []
        for node, flat in zip((self.statement.body, self.statement.orelse), (problem.first, problem.second), strict=True):
            if flat is not None:
                parts.append(f"`{self.place.segment(node)}` is {words.structure(flat.structure, flat.tensors)}")
        return "; ".join(parts)

    def fix(self, problem: Problem) -> str | None:
        if self.statement is None:
            return None
        place, node = self.place, self.statement
        found: list = []
        if problem.dtypes is not None:
            to = words.wider(*problem.dtypes)
            if to is None:
                return None
            for part, dtype in zip((node.body, node.orelse), problem.dtypes, strict=True):
                if dtype != to:
                    found.append(edits.replaced(place, part, words.literal(part, place.segment(part), to, place.tf)))
        elif problem.is_none and (problem.first is None) != (problem.second is None):
            flat = problem.first or problem.second
            part = node.orelse if problem.second is None else node.body
            code = words.zeros(flat.structure, flat.tensors, place.tf)
            if isinstance(part, ast.Constant) and code is not None:
                found.append(edits.replaced(place, part, code))
        return edits.fix(found) if len(found) == 1 else None
