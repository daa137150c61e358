"""if statements: each branch stands once; with a tensor condition both run, one after the other, each into its graph."""

from __future__ import annotations

import ast

from tracefn.autograph.converters.booleans import is_python_bool
from tracefn.autograph.converters.jumps import RETURNED, RETVAL
from tracefn.autograph.converters.state import deletions, places_of, shown, state_of
from tracefn.autograph.templates import Template, constant, names

_IF = Template("""
CONDITION = TEST
if CONDITION is not True and CONDITION is not False:
    CONDITION = ag__.if_stmt(CONDITION, NUMBER, NAMES, SHOWN, LIVE, PLACES, STATE, STRICT)
    RESET
if CONDITION:
    MAIN
    if CONDITION is not True:
        SECOND
if CONDITION is not True:
    ELSE
    if CONDITION is not False:
        FINISH
""")
_RESET = Template("""
if CONDITION is not True and CONDITION is not False:
    RETURNED = False
    RETVAL = ag__.unset
""")
_SECOND = Template("TARGETS = CONDITION.orelse(STATE)")
_SECOND_PLAIN = Template("CONDITION.orelse(STATE)")
_FINISH = Template("TARGETS = CONDITION.finish(STATE)")
_FINISH_PLAIN = Template("CONDITION.finish(STATE)")


def convert(context, node: ast.If) -> list:
    """One if statement; `elif` is an if in the else branch."""
    if is_python_bool(node.test):
        node.test = context.expression(node.test)
        node.body = context.block(node.body)
        node.orelse = context.block(node.orelse)
        return [node]
    scope = context.scope
    writes = 0
    for statement in (*node.body, *node.orelse):
        writes |= statement.ag_writes
    changed = scope.name_list(writes)
    live = [name for name in changed if scope.bits[name] & node.ag_live]
    strict = getattr(node, "ag_strict_return", False) and RETVAL in changed
    number = context.number()
    condition = context.temporary()
    maybe_undefined = scope.name_list(writes & ~node.ag_defined)
    state = state_of(context, node, changed)
    test = context.expression(node.test)
    main, orelse = context.block(node.body), context.block(node.orelse)
    second = (
        _SECOND.fill(node, TARGETS=names(node, changed, ast.Store), CONDITION=condition, STATE=state())
        + deletions(node, maybe_undefined)
        if changed
        else _SECOND_PLAIN.fill(node, CONDITION=condition, STATE=state())
    )
    finish = (
        _FINISH.fill(node, TARGETS=names(node, live, ast.Store), CONDITION=condition, STATE=state())
        + deletions(node, live if scope.has_deletions else [name for name in live if name in maybe_undefined])
        if live
        else _FINISH_PLAIN.fill(node, CONDITION=condition, STATE=state())
    )
    reset = _RESET.fill(node, CONDITION=condition, RETURNED=RETURNED, RETVAL=RETVAL) if strict else []
    return _IF.fill(
        node,
        CONDITION=condition,
        TEST=test,
        NUMBER=constant(node, number),
        NAMES=constant(node, tuple(changed)),
        SHOWN=constant(node, tuple(shown(changed))),
        LIVE=constant(node, tuple(name in live for name in changed)),
        PLACES=places_of(context, node, node.ag_places, writes),
        STATE=state(),
        STRICT=constant(node, strict),
        RESET=reset,
        MAIN=main,
        SECOND=second,
        ELSE=orelse,
        FINISH=finish,
    )
