"""Converts appends to lists in loops, and unpacking.

`out.append(x)` becomes `out = ag__.append(out, x)` if `out` is a list created in this function and the loop only appends
to it. The list can then be a loop variable. `a, b = value` takes the elements of a tensor of known length.
"""

from __future__ import annotations

import ast

from tracefn._user_code.walk import children
from tracefn.autograph.converters.calls import ELEMENTS
from tracefn.autograph.converters.jumps import blocks
from tracefn.autograph.templates import Template

_APPEND = Template("NAME = ag__.append(NAME, VALUE)")


def _appended(statement) -> str | None:
    """The name in `name.append(value)`, or None."""
    if type(statement) is not ast.Expr or type(statement.value) is not ast.Call:
        return None
    call = statement.value
    if (
        type(call.func) is ast.Attribute
        and call.func.attr == "append"
        and type(call.func.value) is ast.Name
        and len(call.args) == 1
        and not call.keywords
        and type(call.args[0]) is not ast.Starred
    ):
        return call.func.value.id
    return None


def _own_nodes(node):
    """Yields (node, whether it is in a nested function) for all nodes of a function."""
    stack = [(child, False) for child in node.body]
    while stack:
        part, nested = stack.pop()
        yield part, nested
        inner = nested or isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda))
        stack += [(child, inner) for child in children(part)]


def _local_lists(node: ast.FunctionDef) -> set[str]:
    """Names that are bound only to list displays and that no nested function uses."""
    made, spoiled = set(), set()
    appends = set()
    for part, nested in _own_nodes(node):
        kind = type(part)
        if kind is ast.Assign and not nested and len(part.targets) == 1 and type(part.targets[0]) is ast.Name:
            name = part.targets[0].id
            if type(part.value) is ast.List:
                made.add(name)
                appends.add(id(part.targets[0]))
        if kind in (ast.Global, ast.Nonlocal):
            spoiled.update(part.names)
        elif kind is ast.Name:
            if nested or (type(part.ctx) is not ast.Load and id(part) not in appends):
                spoiled.add(part.id)
        elif kind is ast.arg:
            spoiled.add(part.arg)
    return made - spoiled


def _rewrite_loop(loop, candidates: set[str], found: set[str]) -> None:
    uses: dict[str, int] = {}
    appends: dict[str, int] = {}
    for part in ast.walk(loop):
        if type(part) is ast.Name and part.id in candidates:
            uses[part.id] = uses.get(part.id, 0) + 1
        name = _appended(part) if isinstance(part, ast.stmt) else None
        if name in candidates:
            appends[name] = appends.get(name, 0) + 1
    good = {name for name, count in appends.items() if uses[name] == count}
    found |= good
    if good:
        _rewrite_appends(loop, good)
    rest = candidates - good
    if rest:
        for _, block in blocks(loop):
            _find_loops(block, rest, found)


def _rewrite_appends(node, names: set[str]) -> None:
    for _, block in blocks(node):
        for i, statement in enumerate(block):
            name = _appended(statement)
            if name in names:
                block[i] = _APPEND.fill(statement, NAME=name, VALUE=statement.value.args[0])[0]
            else:
                _rewrite_appends(statement, names)


def _find_loops(body, candidates: set[str], found: set[str]) -> None:
    for statement in body:
        if type(statement) in (ast.For, ast.While):
            _rewrite_loop(statement, candidates, found)
        else:
            for _, block in blocks(statement):
                _find_loops(block, candidates, found)


def lower(node: ast.FunctionDef) -> set[str]:
    """Rewrites appends in place; returns the names of the lists."""
    candidates = _local_lists(node)
    found: set[str] = set()
    if candidates:
        _find_loops(node.body, candidates, found)
    return found


def unpacked(target: ast.expr, value: ast.expr) -> ast.expr:
    """The value for a target: elements of a tensor if the target takes several."""
    if type(target) not in (ast.Tuple, ast.List):
        return value
    if type(value) in (ast.Tuple, ast.List):
        return value
    return ELEMENTS.expression(value, VALUE=value)


def convert_assign(context, node: ast.Assign) -> list:
    """Converts an assignment; multiple targets take the elements of a tensor."""
    context.expressions_in(node)
    if any(type(target) in (ast.Tuple, ast.List) for target in node.targets):
        node.value = unpacked(node.targets[0] if len(node.targets) == 1 else ast.Tuple([], ast.Store()), node.value)
    return [node]
