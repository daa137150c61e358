"""How converted code hands its variables to the run-time functions and takes them back."""

from __future__ import annotations

import ast

from tracefn.autograph.templates import Template, cloned

_LOCALS = Template("ag__.locals()")
_WITH_GLOBALS = Template("ag__.with_globals(ag__.locals(), ag__.globals(), NAMES)")
_DELETE = Template("if NAME is ag__.undefined: del NAME")
_ATTRIBUTE = Template("(TEXT, lambda ag__thunk=0: BASE, ATTRIBUTE, None)")
_ITEM = Template("(TEXT, lambda ag__thunk=0: BASE, None, lambda ag__thunk=0: INDEX)")


def shown(names) -> list[str]:
    """The names of generated variables as messages show them."""
    return [_SHOWN.get(n.rstrip("0123456789"), n) if n.startswith("ag__") else n for n in names]


_SHOWN = {"ag__returned": "do_return", "ag__retval": "retval_", "ag__break_": "break_", "ag__continue_": "continue_"}


def state_of(context, node, names):
    """A function that makes the expression for "the variables as they are now"."""
    scope = context.scope
    outer = [name for name in names if scope.bits[name] & scope.outer]
    if not outer:
        return lambda: _LOCALS.expression(node)
    listed = ast.copy_location(ast.Constant(tuple(outer)), node)
    return lambda: _WITH_GLOBALS.expression(node, NAMES=listed)


def deletions(node, names) -> list:
    """Statements that make names unbound again where the run-time function says so."""
    result = []
    for name in names:
        result += _DELETE.fill(node, NAME=name)
    return result


def places_of(context, node, places, writes: int) -> ast.expr:
    """The tuple that describes attribute and subscript targets whose base is not itself reassigned."""
    items, seen = [], set()
    for place in places:
        if place.text in seen or place.names & writes:
            continue
        seen.add(place.text)
        target = place.node
        text = ast.copy_location(ast.Constant(place.text), node)
        base = _as_load(target.value)
        if type(target) is ast.Attribute:
            attribute = ast.copy_location(ast.Constant(target.attr), node)
            items.append(_ATTRIBUTE.expression(node, TEXT=text, BASE=base, ATTRIBUTE=attribute))
        else:
            items.append(_ITEM.expression(node, TEXT=text, BASE=base, INDEX=_as_load(target.slice)))
    return ast.copy_location(ast.Tuple(items, ast.Load()), node)


def _as_load(node):
    """A copy of a place's base or index, to be read; it keeps its own position."""
    copied = cloned(node)
    for part in ast.walk(copied):
        if hasattr(part, "ctx"):
            part.ctx = ast.Load()
    return copied
