"""How converted code passes its variables to the run-time functions and gets them back."""

from __future__ import annotations

import ast

from tracefn._user_code.source import mangled
from tracefn.autograph.templates import Template, cloned

_DELETE = Template("if NAME is ag__.undefined: del NAME")
_ATTRIBUTE = Template("(TEXT, lambda ag__thunk=0: BASE, ATTRIBUTE, None)")
_ITEM = Template("(TEXT, lambda ag__thunk=0: BASE, None, lambda ag__thunk=0: INDEX)")


def outer_names(context, names) -> tuple[str, ...]:
    """Those of the names that are declared global or nonlocal."""
    scope = context.scope
    return tuple(name for name in names if scope.bits[name] & scope.outer)


def deletions(node, names) -> list:
    """Statements that delete the names for which the run-time function returned `undefined`."""
    result = []
    for name in names:
        result += _DELETE.fill(node, NAME=name)
    return result


def places_of(context, node, places, writes: int) -> ast.expr:
    """The tuple that describes the attribute and subscript targets whose base is not itself reassigned."""
    items, seen = [], set()
    for place in places:
        if place.text in seen or place.names & writes:
            continue
        seen.add(place.text)
        target = place.node
        text = ast.copy_location(ast.Constant(place.text), node)
        base = _as_load(target.value)
        if type(target) is ast.Attribute:
            attribute = ast.copy_location(ast.Constant(mangled(target.attr, context.class_name)), node)
            items.append(_ATTRIBUTE.expression(node, TEXT=text, BASE=base, ATTRIBUTE=attribute))
        else:
            items.append(_ITEM.expression(node, TEXT=text, BASE=base, INDEX=_as_load(target.slice)))
    return ast.copy_location(ast.Tuple(items, ast.Load()), node)


def _as_load(node):
    """A copy of a place's base or index that reads it, with its own position."""
    copied = cloned(node)
    for part in ast.walk(copied):
        if hasattr(part, "ctx"):
            part.ctx = ast.Load()
    return copied
