"""Tree walks like those of the module ast, but without generators, because conversion spends much of its time in them."""

from __future__ import annotations

import ast

_AST = ast.AST
# Fields that never hold relevant nodes: names, operators, contexts, flags.
_PLAIN_FIELDS = frozenset(
    {"id", "ctx", "attr", "arg", "op", "ops", "kind", "conversion", "type_comment", "is_async", "level", "module",
     "simple", "asname", "rest", "kwd_attrs"}
)  # fmt: skip
_WITHOUT_CHILDREN = frozenset({ast.Name, ast.Constant, ast.Global, ast.Nonlocal, ast.MatchSingleton})
_fields: dict = {}


def fields_of(kind) -> tuple[str, ...]:
    """The fields of a node class that may hold nodes."""
    found = _fields.get(kind)
    if found is None:
        names = () if kind in _WITHOUT_CHILDREN else kind._fields
        found = _fields[kind] = tuple(name for name in names if name not in _PLAIN_FIELDS)
    return found


def children(node: ast.AST) -> list:
    """The child nodes of a node, in the order of its fields.

    Nodes without fields (contexts, operators, `pass`, `break`) are left out.
    """
    found: list = []
    fields = node.__dict__
    for name in fields_of(type(node)):
        value = fields.get(name)
        if value is None:
            continue
        if type(value) is list:
            found += [item for item in value if isinstance(item, _AST) and item._fields]
        elif isinstance(value, _AST):
            found.append(value)
    return found


def every(node: ast.AST) -> list:
    """A node and all its descendants."""
    found = [node]
    for part in found:
        found += children(part)
    return found
