"""Walks over trees: the standard library's, without its generators, as conversion spends much of its time in them."""

from __future__ import annotations

import ast

_AST = ast.AST


def children(node: ast.AST) -> list:
    """The nodes directly inside of a node, in the order of its fields.

    Those that have no fields themselves (contexts, operators, `pass`, `break`) are left out.
    """
    found = []
    fields = node.__dict__
    for name in node._fields:
        value = fields.get(name)
        if isinstance(value, _AST):
            if value._fields:
                found.append(value)
        elif type(value) is list:
            found += [item for item in value if isinstance(item, _AST) and item._fields]
    return found


def every(node: ast.AST) -> list:
    """A node and all nodes inside of it."""
    found = [node]
    for part in found:
        found += children(part)
    return found
