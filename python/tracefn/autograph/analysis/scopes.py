"""Which names each statement of a function reads and writes, from one walk; sets of names are bits of an int.

Every statement node gets
  ag_gen: names that it may read before it writes them,
  ag_kill: names that it always writes,
  ag_writes: names that it may write,
  ag_places: attribute and subscript targets in it (`self.x`, `d["k"]`), as Place.
"""

from __future__ import annotations

import ast
from typing import Any

from tracefn._user_code.walk import children

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_EVERYTHING = -1
_TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))


class Place:
    """An attribute or subscript that is assigned to: its text, its node, and the names in it."""

    __slots__ = ("names", "node", "text")

    def __init__(self, node: ast.expr, text: str, names: int) -> None:
        self.node = node
        self.text = text
        self.names = names


def is_simple_place(node: ast.expr) -> bool:
    """Whether a target consists of names, attributes and plain indices, so that it can be read and restored."""
    while True:
        kind = type(node)
        if kind is ast.Name:
            return True
        if kind is ast.Attribute:
            node = node.value
        elif kind is ast.Subscript:
            index = node.slice
            if type(index) is ast.UnaryOp and type(index.op) is ast.USub:
                index = index.operand
            if type(index) not in (ast.Constant, ast.Name):
                return False
            node = node.value
        else:
            return False


class Scope:
    """The names of one function, numbered, and what its statements do with them."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self.bits: dict[str, int] = {}
        self.names: list[str] = []
        self.outer = 0  # declared global or nonlocal
        self.cells = 0  # declared nonlocal: other functions may read them at any time
        self.captured = 0  # read by nested functions, which may be called at any time
        self.parameters = 0
        self.has_deletions = False
        arguments = node.args
        for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
            if arg is not None:
                self.parameters |= self.bit(arg.arg)
        self.block(node.body)
        self._body = node.body

    def bound_names(self) -> set[str]:
        """Names that the function binds."""
        mask = self.parameters
        for statement in self._body:
            mask |= statement.ag_writes
        return set(self.name_list(mask))

    def bit(self, name: str) -> int:
        bit = self.bits.get(name)
        if bit is None:
            bit = self.bits[name] = 1 << len(self.names)
            self.names.append(name)
        return bit

    def name_list(self, mask: int) -> list[str]:
        """The names in a set, in the order in which they occur in the function."""
        return [name for i, name in enumerate(self.names) if mask >> i & 1]

    def block(self, body) -> tuple[int, int]:
        """(gen, kill) of a block of statements."""
        gen = kill = 0
        for statement in body:
            self._statement(statement)
            gen |= statement.ag_gen & ~kill
            kill |= statement.ag_kill
        return gen, kill

    # Expressions.

    def expression(self, node: Any, places: list) -> tuple[int, int]:
        """(reads, writes) of an expression or target, nested scopes included."""
        reads = writes = 0
        stack: list[Any] = [node]
        while stack:
            node = stack.pop()
            kind = type(node)
            if kind is ast.Name:
                if type(node.ctx) is ast.Load:
                    reads |= self.bit(node.id)
                else:
                    writes |= self.bit(node.id)
            elif kind is ast.Lambda:
                reads |= self._lambda(node)
            elif kind in _COMPREHENSIONS:
                inner_reads, inner_writes = self._comprehension(node)
                reads |= inner_reads
                writes |= inner_writes
            else:
                if kind in (ast.Attribute, ast.Subscript) and type(node.ctx) is ast.Store and is_simple_place(node):
                    names, _ = self.expression(ast.Tuple(children(node), ast.Load()), [])
                    places.append(Place(node, ast.unparse(node), names))
                stack += children(node)
        return reads, writes

    def _lambda(self, node: ast.Lambda) -> int:
        arguments = node.args
        own = 0
        for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
            if arg is not None:
                own |= self.bit(arg.arg)
        reads, _ = self.expression(node.body, [])
        reads &= ~own
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                reads |= self.expression(default, [])[0]
        return reads

    def _comprehension(self, node) -> tuple[int, int]:
        own = reads = 0
        for generator in node.generators:
            own |= self.expression(generator.target, [])[1]
            for part in (generator.iter, *generator.ifs):
                reads |= self.expression(part, [])[0]
        parts = (node.key, node.value) if type(node) is ast.DictComp else (node.elt,)
        writes = 0
        for part in parts:
            more, walrus = self.expression(part, [])
            reads |= more
            writes |= walrus
        return reads & ~own, writes & ~own

    # Statements.

    def _statement(self, node: ast.stmt) -> None:
        places: list[Place] = []
        kind = type(node)
        handler = _HANDLERS.get(kind)
        if handler is not None:
            gen, kill, writes = handler(self, node, places)
        else:
            gen, writes = self.expression(node, places)
            kill = writes
            if kind is ast.Delete:
                self.has_deletions = True
            if kind is ast.AugAssign and type(node.target) is ast.Name:
                gen |= self.bit(node.target.id)
            elif kind is ast.AnnAssign and node.value is None:
                kill = writes = 0
                places.clear()
            elif kind in (ast.Assign, ast.Return) and type(node.value) is ast.Lambda:
                self.captured |= self._lambda(node.value)
        node.ag_gen, node.ag_kill, node.ag_writes, node.ag_places = gen, kill, writes, places

    def _if(self, node, places):
        gen, kill = self.expression(node.test, places)
        node.ag_test_writes = kill
        gen_main, kill_main = self.block(node.body)
        gen_else, kill_else = self.block(node.orelse)
        writes = kill | self._gather((*node.body, *node.orelse), places)
        return gen | ((gen_main | gen_else) & ~kill), kill | (kill_main & kill_else), writes

    def _while(self, node, places):
        gen, kill = self.expression(node.test, places)
        node.ag_test_writes = kill
        if node.ag_exit is not None:
            gen |= self.bit(node.ag_exit)
        gen_body, _ = self.block(node.body)
        node.ag_head_gen = gen | (gen_body & ~kill)
        return node.ag_head_gen, kill, kill | self._gather(node.body, places)

    def _for(self, node, places):
        gen, kill = self.expression(node.iter, [])
        target_reads, target = self.expression(node.target, places)
        node.ag_target = target
        gen_body, _ = self.block(node.body)
        leave = 0 if node.ag_exit is None else self.bit(node.ag_exit)
        node.ag_head_gen = target_reads | (gen_body & ~target) | leave
        return gen | (node.ag_head_gen & ~kill), kill, kill | target | self._gather(node.body, places)

    def _gather(self, body, places) -> int:
        writes = 0
        for statement in body:
            writes |= statement.ag_writes
            places.extend(statement.ag_places)
        return writes

    def _with(self, node, places):
        gen = kill = 0
        for item in node.items:
            reads, writes = self.expression(item, places)
            gen |= reads & ~kill
            kill |= writes
        gen_body, kill_body = self.block(node.body)
        return gen | (gen_body & ~kill), kill | kill_body, kill | self._gather(node.body, places)

    def _try(self, node, places):
        gen, kill = self.block(node.body)
        writes = self._gather(node.body, places)
        kills = []
        for handler in node.handlers:
            if handler.type is not None:
                gen |= self.expression(handler.type, [])[0]
            inner, inner_kill = self.block(handler.body)
            own = self.bit(handler.name) if handler.name else 0
            self.has_deletions = self.has_deletions or handler.name is not None
            gen |= inner & ~own
            kills.append(inner_kill)
            writes |= own | self._gather(handler.body, places)
        gen_else, kill_else = self.block(node.orelse)
        gen |= gen_else & ~kill
        writes |= self._gather(node.orelse, places)
        gen_final, kill_final = self.block(node.finalbody)
        writes |= self._gather(node.finalbody, places)
        total = kill | kill_else
        for one in kills:
            total &= one
        return gen | (gen_final & ~total), total | kill_final, writes

    def _match(self, node, places):
        gen, kill = self.expression(node.subject, places)
        writes, total = kill, _EVERYTHING
        exhaustive = False
        for case in node.cases:
            bound = reads = 0
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    bound |= self.bit(name)
                elif isinstance(part, ast.Name):
                    reads |= self.bit(part.id)
            guard_reads, guard_writes = self.expression(case.guard, places) if case.guard is not None else (0, 0)
            inner, inner_kill = self.block(case.body)
            gen |= (reads | ((guard_reads | inner) & ~bound)) & ~kill
            writes |= bound | guard_writes | self._gather(case.body, places)
            total &= bound | inner_kill
            exhaustive = exhaustive or (
                case.guard is None and type(case.pattern) is ast.MatchAs and case.pattern.pattern is None
            )
        return gen, kill | (total if exhaustive else 0), writes

    def _jump(self, node, places):
        gen, writes = self.expression(node, places)
        if type(node) is ast.Return and node.value is not None and type(node.value) is ast.Lambda:
            self.captured |= gen
        return gen, _EVERYTHING, writes

    def _definition(self, node, places):
        reads = 0
        outside = [*node.decorator_list]
        if type(node) is ast.ClassDef:
            outside += [*node.bases, *(k.value for k in node.keywords)]
        else:
            outside += [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
        for part in outside:
            reads |= self.expression(part, [])[0]
        inner = self._free_names(node)
        self.captured |= inner
        bit = self.bit(node.name)
        return reads | inner, bit, bit

    def _free_names(self, node) -> int:
        """All names in a nested definition, minus its parameters: a superset of the names that it reads from this scope."""
        mask = own = 0
        for part in ast.walk(node):
            kind = type(part)
            if kind is ast.Name:
                mask |= self.bit(part.id)
            elif kind is ast.arg:
                own |= self.bit(part.arg)
        if type(node) is not ast.ClassDef:
            stored = {n.id for n in ast.walk(node) if type(n) is ast.Name and type(n.ctx) is ast.Store}
            declared = {x for n in ast.walk(node) if type(n) in (ast.Nonlocal, ast.Global) for x in n.names}
            for name in stored - declared:
                own |= self.bit(name)
        return mask & ~own

    def _declaration(self, node, places):
        for name in node.names:
            self.outer |= self.bit(name)
            if type(node) is ast.Nonlocal:
                self.cells |= self.bit(name)
        return 0, 0, 0

    def _import(self, node, places):
        mask = 0
        for alias in node.names:
            if alias.name != "*":
                mask |= self.bit(alias.asname or alias.name.partition(".")[0])
        return 0, mask, mask


_HANDLERS = {
    ast.If: Scope._if,
    ast.While: Scope._while,
    ast.For: Scope._for,
    ast.With: Scope._with,
    ast.Match: Scope._match,
    ast.Return: Scope._jump,
    ast.Raise: Scope._jump,
    ast.FunctionDef: Scope._definition,
    ast.AsyncFunctionDef: Scope._definition,
    ast.ClassDef: Scope._definition,
    ast.Global: Scope._declaration,
    ast.Nonlocal: Scope._declaration,
    ast.Import: Scope._import,
    ast.ImportFrom: Scope._import,
    **dict.fromkeys(_TRIES, Scope._try),
}
