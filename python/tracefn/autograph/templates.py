"""Generated code written as code: a template is parsed once and filled with parts of the user's tree."""

from __future__ import annotations

import ast
from typing import Any


class Template:
    """Python text with capital names as gaps.

    `fill(at, GAP=part)` gives statements that carry the position of the node `at`. A part is a str (a name), an
    expression, a list of statements (the gap is a statement of its own) or any constant.
    """

    def __init__(self, text: str) -> None:
        body = ast.parse(text.strip("\n")).body
        self._block = _planned_block(body)
        self._expression: Any = _planned(body[0].value) if type(body[0]) is ast.Expr else None

    def fill(self, at: ast.AST, **parts) -> list[ast.stmt]:
        """The statements, with `parts` in the gaps."""
        where = {
            "lineno": at.lineno,
            "col_offset": at.col_offset,
            "end_lineno": at.lineno,
            "end_col_offset": min(at.col_offset + 1, at.end_col_offset)
            if at.end_lineno == at.lineno
            else at.col_offset + 1,
        }
        return self._block(parts, where)

    def expression(self, at: ast.AST, **parts) -> ast.expr:
        """The only expression of the template."""
        where = {
            "lineno": at.lineno,
            "col_offset": at.col_offset,
            "end_lineno": at.end_lineno,
            "end_col_offset": at.end_col_offset,
        }
        return self._expression(parts, where)


# Nodes are made by setting their dict: their constructors cost more than twice as much.


def _planned(node):
    """A function of (parts, where) that makes a copy of a template's node: what can be known beforehand is."""
    kind = type(node)
    if not kind._fields:  # an operator or a context: one will do for all
        return lambda parts, where: node
    if kind is ast.Name and node.id.isupper():
        return _planned_gap(node)
    new = kind.__new__
    fixed, made = {}, []
    for name in kind._fields:
        value = getattr(node, name, None)
        if isinstance(value, (ast.AST, list)) and (isinstance(value, list) or value._fields):
            made.append((name, _planned_block(value) if _is_block(value) else _planned_field(value)))
        else:
            fixed[name] = value
    located = "lineno" in kind._attributes

    def make(parts, where):
        result = new(kind)
        fields = {**fixed, **where} if located else fixed.copy()
        for name, part in made:
            fields[name] = part(parts, where)
        result.__dict__ = fields
        return result

    return make


def _planned_gap(node: ast.Name):
    name, context = node.id, node.ctx
    kind, new = ast.Name, ast.Name.__new__

    def make(parts, where):
        part = parts[name]
        if type(part) is str:
            result = new(kind)
            result.__dict__ = {"id": part, "ctx": context, **where}
            return result
        return part if isinstance(part, ast.AST) else ast.Constant(part, **where)

    return make


def _is_block(value) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], ast.stmt)


def _planned_field(value):
    if isinstance(value, list):
        made = [_planned(item) for item in value]
        return lambda parts, where: [make(parts, where) for make in made]
    return _planned(value)


def _planned_block(body):
    """The same for statements; a gap that stands alone takes a list of them."""
    made = []
    for statement in body:
        stands_alone = type(statement) is ast.Expr and type(statement.value) is ast.Name
        made.append((statement.value.id if stands_alone else None, _planned(statement)))

    def make_block(parts, where):
        result = []
        for gap, make in made:
            part = parts[gap] if gap is not None else None
            if type(part) is list:
                result += part
            else:
                result.append(make(parts, where))
        return result

    return make_block


def cloned(node):
    """A copy of a tree, to be rewritten by itself; operators and contexts are shared."""
    result = node.__class__.__new__(node.__class__)
    result.__dict__ = {name: _cloned_field(value) for name, value in node.__dict__.items()}
    return result


def _cloned_field(value):
    if isinstance(value, ast.AST):
        return cloned(value) if value._fields else value
    if type(value) is list:
        return [_cloned_field(item) for item in value]
    return value


def names(at: ast.AST, ids, context) -> ast.Tuple:
    """The tuple (a, b, ...) of names, to be stored or loaded."""
    where = {
        "lineno": at.lineno,
        "col_offset": at.col_offset,
        "end_lineno": at.lineno,
        "end_col_offset": at.col_offset + 1,
    }
    return ast.Tuple([ast.Name(name, context(), **where) for name in ids], context(), **where)


def constant(at: ast.AST, value) -> ast.Constant:
    """A constant at a node's position."""
    return ast.copy_location(ast.Constant(value), at)
