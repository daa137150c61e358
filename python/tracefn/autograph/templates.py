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


def _planned(node):
    """A function of (parts, where) that makes a copy of a template's node: what can be known beforehand is."""
    kind = type(node)
    if not kind._fields:  # an operator or a context: one will do for all
        return lambda parts, where: node
    if kind is ast.Name:
        return _planned_name(node)
    located = "lineno" in kind._attributes
    if kind is ast.Constant:
        return lambda parts, where: kind(node.value, **where)
    made = [_planned_field(getattr(node, name, None)) for name in kind._fields]
    if located:
        return lambda parts, where: kind(*[make(parts, where) for make in made], **where)
    return lambda parts, where: kind(*[make(parts, where) for make in made])


def _planned_name(node: ast.Name):
    name, context = node.id, node.ctx

    def make(parts, where):
        part = parts.get(name, name)
        if type(part) is str:
            return ast.Name(part, context, **where)
        return part if isinstance(part, ast.AST) else ast.Constant(part, **where)

    return make


def _planned_field(value):
    if isinstance(value, ast.AST):
        return _planned(value)
    if isinstance(value, list):
        if value and isinstance(value[0], ast.stmt):
            return _planned_block(value)
        made = [_planned(item) if isinstance(item, ast.AST) else None for item in value]
        return lambda parts, where: [
            make(parts, where) if make else item for make, item in zip(made, value, strict=True)
        ]
    return lambda parts, where: value


def _planned_block(body):
    """The same for statements; a gap that stands alone takes a list of them."""
    made = []
    for statement in body:
        gap = statement.value.id if type(statement) is ast.Expr and type(statement.value) is ast.Name else None
        made.append((gap, _planned(statement)))

    def make_block(parts, where):
        result = []
        for gap, make in made:
            part = parts.get(gap) if gap is not None else None
            if isinstance(part, list):
                result.extend(part)
            else:
                result.append(make(parts, where))
        return result

    return make_block


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
