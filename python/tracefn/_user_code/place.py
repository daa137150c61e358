"""The source code at a frame: the function, its statements and the expression being evaluated."""

from __future__ import annotations

import ast
import sys
import types
from itertools import islice
from typing import Any

from tracefn._user_code.source import SourceError, file_lines
from tracefn._user_code.walk import children, every

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MODULE = "<module>"
_parsed: tuple = (None, None, [])  # the lines of a file, its tree, and its functions
_sorted: tuple = (None, [])  # a function, and its nodes in the order of the text


def _parse(lines: list[str]) -> tuple:
    """(tree, functions) of a file; (None, []) if it is not plain Python (a cell with magic commands)."""
    global _parsed
    parsed = _parsed
    if parsed[0] is not lines:
        try:
            tree = ast.parse("".join(lines))
        except (SyntaxError, ValueError, RecursionError):
            parsed = (lines, None, [])
        else:
            parsed = (lines, tree, [node for node in every(tree) if isinstance(node, _FUNCTIONS)])
        _parsed = parsed
    return parsed[1:]


def _nodes_of(function) -> list:
    global _sorted
    found = _sorted
    if found[0] is not function:
        nodes = sorted(every(function), key=lambda n: (getattr(n, "lineno", 0), getattr(n, "col_offset", 0)))
        _sorted = found = (function, nodes)
    return found[1]


class _Unknown:
    def __repr__(self) -> str:
        return "<unknown>"


unknown = _Unknown()


class Place:
    """A place in the user's program: a frame at an instruction.

    Args:
      frame: the frame of a user function, converted or not.
      instruction: the offset in its code; None for the current one.
      line: the line; None for the current one.
      traced: whether the frame was traced.
      autograph: whether its function was to be converted.
    """

    def __init__(
        self, frame, instruction: int | None = None, line: int | None = None, traced: bool = False, autograph: bool = True
    ) -> None:
        self.frame = frame
        self.code = frame.f_code
        self.is_traced = traced
        self.autograph = autograph
        self.line = frame.f_lineno if line is None else line
        self._instruction = frame.f_lasti if instruction is None else instruction
        try:
            self.lines = file_lines(self.code, frame.f_globals)
        except SourceError:
            self.lines = []
        self._function: Any = unknown
        self._parents: dict | None = None

    @classmethod
    def of_function(cls, function) -> Place:
        """The place at the beginning of a function that is not running."""
        code = function.__code__
        stand_in = types.SimpleNamespace(f_code=code, f_globals=function.__globals__, f_locals={}, f_lineno=0, f_lasti=0)
        first = max((line for line in (p[0] for p in code.co_positions()) if line), default=code.co_firstlineno)
        return cls(stand_in, 0, first)

    @property
    def module(self) -> str | None:
        """The name of the module."""
        return self.frame.f_globals.get("__name__")

    @property
    def function(self):
        """The def or lambda that the frame runs, the module at the top level, or None."""
        if self._function is unknown:
            tree, functions = _parse(self.lines)
            name = self.code.co_name
            if name == _MODULE:
                self._function = tree
                return tree
            found = [node for node in functions if node.lineno <= self.line <= (node.end_lineno or 0)]
            if name == "<lambda>" and self.code.co_varnames[:1] == ("ag__thunk",):  # a part of an expression
                name = getattr(found[-1], "name", name) if found else name
            named = [n for n in found if getattr(n, "name", "<lambda>") == name]
            self._function = named[-1] if named else None
        return self._function

    def statement(self, *kinds):
        """The statement of one of these kinds that starts on the line, or None."""
        found = [node for node in self.nodes(*kinds) if node.lineno == self.line]
        return found[0] if found else None

    def nodes(self, *kinds) -> list:
        """The nodes of some kinds in the function, in source order."""
        return [] if self.function is None else [n for n in _nodes_of(self.function) if isinstance(n, kinds)]

    def parent(self, node):
        """The parent of a node of the function, or None."""
        if self._parents is None:
            self._parents = {id(c): p for p in every(self.function) for c in children(p)}
        return self._parents.get(id(node))

    def outermost(self, statement):
        """The outermost loop around a statement, or the statement itself; never one that starts with `elif`."""
        found = node = statement
        while (parent := self.parent(node)) is not None and parent is not self.function:
            is_elif = isinstance(parent, ast.If) and self.text_of(node.lineno).startswith("elif")
            if isinstance(parent, (ast.For, ast.While)) or (is_elif and found is node):
                found = parent
            node = parent
        return found

    def text_of(self, line: int) -> str:
        """The text of a line without surrounding whitespace."""
        return self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""

    def segment(self, node) -> str:
        """The text of a node, as one line."""
        if node.lineno != node.end_lineno or node.lineno > len(self.lines):
            return ast.unparse(node)
        return self.lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset].decode()

    def is_alone(self, statement) -> bool:
        """Whether a simple statement is alone on its line, except for a comment."""
        if not isinstance(statement, _SIMPLE) or statement.lineno != statement.end_lineno:
            return False
        rest = self.text_of(statement.lineno).removeprefix(self.segment(statement)).strip()
        return self.text_of(statement.lineno).startswith(self.segment(statement)) and (not rest or rest[0] == "#")

    def expression(self):
        """The expression (or augmented assignment, or raise) being evaluated, or None."""
        position = next(islice(self.code.co_positions(), self._instruction // 2, None), (None,) * 4)
        if None in position or not self.lines:
            return None
        line, end_line, column, end_column = position
        for node in reversed(self.nodes(ast.expr, ast.stmt)):
            if (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == (line, end_line, column, end_column):
                return node.value if isinstance(node, ast.Expr) else node
        return None

    def value(self, node):
        """The value of a name, or of its attributes, in the frame; `unknown` if unavailable."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            for scope in (self.frame.f_locals, self.frame.f_globals):
                if node.id in scope:
                    return scope[node.id]
        if isinstance(node, ast.Attribute):
            base = self.value(node.value)
            held = getattr(base, "__dict__", None)  # properties are not run
            if isinstance(held, dict) and node.attr in held:
                return held[node.attr]
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            base = self.value(node.value)
            if type(base) in (list, tuple, dict):
                try:
                    return base[node.slice.value]
                except (LookupError, TypeError):
                    return unknown
        return unknown

    @property
    def tf(self) -> str:
        """The name that the function uses for this package."""
        package = sys.modules["tracefn"]
        for scope in (self.frame.f_globals, self.frame.f_locals):
            for name, value in list(scope.items()):
                if value is package and not name.startswith("ag__"):
                    return name
        return "tf"


def name_of(node) -> str | None:
    """The text of a target that is one name, attribute or item, else None."""
    return ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) else None


def settings(roots, name: str) -> list:
    """The nodes in `roots` that set a variable: assignments, targets and parameters."""
    found = []
    for root in roots:
        for node in _own_nodes(root):
            if isinstance(node, ast.Assign):
                hit = any(_sets(target, name) for target in node.targets)
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr, ast.comprehension)):
                hit = _sets(node.target, name)
            elif isinstance(node, ast.withitem):
                hit = node.optional_vars is not None and _sets(node.optional_vars, name)
            else:
                hit = isinstance(node, ast.arg) and node.arg == name
            if hit:
                found.append(node)
    return sorted(found, key=line_of)


def _own_nodes(root) -> list:
    """A node and its descendants, without the content of nested functions and classes."""
    found = [root]
    for node in found:
        if node is root or not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            found += children(node)
    return found


def _sets(target, name: str) -> bool:
    return any(name_of(node) == name and isinstance(node.ctx, ast.Store) for node in every(target) if hasattr(node, "ctx"))


def line_of(node) -> int:
    """The line of a node; for a node without one, that of its descendants."""
    while not hasattr(node, "lineno"):
        node = children(node)[0]
    return node.lineno
