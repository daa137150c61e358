"""Templates of generated code, parsed once and filled with parts of the user's tree."""

from __future__ import annotations

import ast
from typing import Any


class Template:
    """Python code with gaps, which are names in capitals.

    `fill(at, GAP=part)` returns statements with the position of the node `at`. A part is a str (a name), an expression, a
    list of statements (the gap must be a statement of its own) or any constant.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._made: _Plan | None = None

    @property
    def _plan(self) -> _Plan:
        plan = self._made
        if plan is None:  # parsed on first use: most programs need only a few templates
            plan = self._made = _Plan(ast.parse(self._text.strip("\n")).body)
        return plan

    def fill(self, at: ast.AST, **parts) -> list[ast.stmt]:
        """The statements, with `parts` in the gaps."""
        where = {"lineno": at.lineno, "col_offset": NO_COLUMN}
        return _spliced(self._plan.body, self._plan.nodes(parts, where), parts)

    def expression(self, at: ast.AST, **parts) -> ast.expr:
        """The only expression of the template."""
        where = {
            "lineno": at.lineno,
            "col_offset": at.col_offset,
            "end_lineno": at.end_lineno,
            "end_col_offset": at.end_col_offset,
        }
        return self._plan.nodes(parts, where)[self._plan.value]


# Positions of generated statements: tracebacks show the line, and underline nothing.
NO_COLUMN = -1

# Nodes are created by setting their dict: their constructors cost more than twice as much.
_new = ast.AST.__new__


class _Plan:
    """The distinct nodes of a template, children first; an expression that appears twice is created once."""

    def __init__(self, body) -> None:
        # (class, fields known beforehand, [(field, step)], [(field, step of the only item)], [(field, steps)],
        # [(field, statements)]), or for a gap (None, its name, its context).
        self._steps: list = []
        self._known: dict = {}
        self.body = self._statements(body)
        self.value: Any = None
        if type(body[0]) is ast.Expr:  # the expression itself is wanted, not the statement around it
            self.value = self._add(body[0].value)

    def _statements(self, body) -> list:
        """(gap or None, step) of each statement; a gap that is a whole statement takes a list of statements."""
        result = []
        for node in body:
            alone = type(node) is ast.Expr and type(node.value) is ast.Name and node.value.id.isupper()
            result.append((node.value.id, None) if alone else (None, self._add(node)))
        return result

    def _add(self, node) -> int:
        made = self._gap(node) if type(node) is ast.Name and node.id.isupper() else self._node(node)
        known = _key(made) if isinstance(node, ast.expr) else id(node)
        step = self._known.get(known)
        if step is None:
            step = self._known[known] = len(self._steps)
            self._steps.append(made)
        return step

    def _gap(self, node: ast.Name):
        return None, node.id, node.ctx, (), (), ()

    def _node(self, node):
        fixed: dict = {}
        single, only, several, blocks = [], [], [], []
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list) and all(isinstance(item, ast.stmt) for item in value) and isinstance(node, ast.stmt):
                blocks.append((name, self._statements(value)))
            elif isinstance(value, list) and value and value[0]._fields:
                steps = [self._add(item) for item in value]
                if len(steps) == 1:
                    only.append((name, steps[0]))
                else:
                    several.append((name, steps))
            elif isinstance(value, ast.AST) and value._fields:
                single.append((name, self._add(value)))
            else:  # operators, contexts, no arguments: shared
                fixed[name] = value
        return type(node), fixed, single, only, several, blocks

    def nodes(self, parts, where) -> list:
        """All steps' nodes."""
        made: list = []
        node: Any
        for kind, fixed, single, only, several, blocks in self._steps:
            if kind is None:
                part = parts[fixed]
                if type(part) is str:
                    node = _new(ast.Name)
                    node.__dict__ = {"id": part, "ctx": single, **where}
                elif isinstance(part, ast.AST):
                    node = part
                else:
                    node = _new(ast.Constant)
                    node.__dict__ = {"value": part, "kind": None, **where}
            else:
                node = _new(kind)
                node.__dict__ = fields = {**fixed, **where}
                for name, step in single:
                    fields[name] = made[step]
                for name, step in only:
                    fields[name] = [made[step]]
                for name, steps in several:
                    fields[name] = [made[step] for step in steps]
                for name, body in blocks:
                    fields[name] = _spliced(body, made, parts)
            made.append(node)
        return made


def _key(step):
    """Equal for steps that make equal expressions."""
    kind, fixed, single, only, several, _ = step
    if kind is None:
        return fixed, type(single)
    plain = tuple((name, _plain_key(value)) for name, value in fixed.items())
    return kind, plain, tuple(single), tuple(only), tuple((name, tuple(steps)) for name, steps in several)


def _plain_key(value):
    if isinstance(value, list):
        return tuple(map(_plain_key, value))
    return type(value) if isinstance(value, ast.AST) else (type(value), value)


def _spliced(body, made, parts) -> list:
    result = []
    for gap, step in body:
        if gap is None:
            result.append(made[step])
        else:
            result += parts[gap]
    return result


def cloned(node):
    """A copy of a tree, to be rewritten separately; operators and contexts are shared."""
    result = node.__class__.__new__(node.__class__)
    result.__dict__ = {name: _cloned_field(value) for name, value in node.__dict__.items()}
    return result


def _cloned_field(value):
    if isinstance(value, ast.AST):
        return cloned(value) if value._fields else value
    if type(value) is list:
        return [_cloned_field(item) for item in value]
    return value


def stored(at: ast.AST, ids) -> ast.Tuple:
    """The tuple (a, b, ...) of names, as a target."""
    context = ast.Store()
    where = {"lineno": at.lineno, "col_offset": NO_COLUMN}
    elements: list[ast.expr] = []
    for name in ids:
        element = _new(ast.Name)
        element.__dict__ = {"id": name, "ctx": context, **where}
        elements.append(element)
    return ast.Tuple(elements, context, **where)


def constant(at: ast.AST, value) -> ast.Constant:
    """A constant at a node's position."""
    return ast.copy_location(ast.Constant(value), at)
