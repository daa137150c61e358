"""Converts if statements.

Each branch appears once in the generated code. With a tensor condition both branches run, one after the other, and each
is traced into its own graph.
"""

from __future__ import annotations

import ast

from tracefn.autograph.converters.booleans import is_python_bool
from tracefn.autograph.converters.jumps import RETURNED, RETVAL
from tracefn.autograph.converters.state import deletions, outer_names, places_of
from tracefn.autograph.templates import Template, constant, stored

_IF = Template("""
if (CONDITION := TEST) is not True and CONDITION is not False:
    DECIDE
    RESET
if CONDITION:
    MAIN
    if CONDITION is not True:
        SECOND
OTHERWISE
""")
_DECIDE = Template("CONDITION = ag__.if_stmt(CONDITION, INFO)")
_DECIDE_WITH_PLACES = Template(
    "CONDITION = ag__.if_stmt(CONDITION, INFO, PLACES) if ag__.is_staged(CONDITION) else not not CONDITION"
)
_ELSE = Template("""
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
_SECOND = Template("TARGETS = CONDITION.orelse()")
_SECOND_PLAIN = Template("CONDITION.orelse()")
_FINISH = Template("TARGETS = CONDITION.finish()")
_FINISH_PLAIN = Template("CONDITION.finish()")


def convert(context, node: ast.If) -> list:
    """Converts one if statement; `elif` is an if in the else branch."""
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
    test = context.expression(node.test)
    main, orelse = context.block(node.body), context.block(node.orelse)

    def handed(template, plain, names_set, unbound) -> list:
        """A call that continues the statement and returns its variables; those in `unbound` may have no value."""
        if not names_set:
            return plain.fill(node, CONDITION=condition)
        targets = stored(node, names_set)
        return template.fill(node, TARGETS=targets, CONDITION=condition) + deletions(node, unbound)

    second = handed(_SECOND, _SECOND_PLAIN, changed, maybe_undefined)
    # A global that the function does not read again keeps the value from before the statement, as in TensorFlow.
    kept = [name for name in changed if name in live or scope.bits[name] & scope.outer]
    unbound = kept if scope.has_deletions else [name for name in kept if name in maybe_undefined]
    finish = handed(_FINISH, _FINISH_PLAIN, kept, unbound)
    if node.orelse:
        otherwise = _ELSE.fill(node, CONDITION=condition, ELSE=orelse, FINISH=finish)
    else:  # Two steps too: if the branches do not fit, the variables are left as they were before, as in TensorFlow.
        second += finish
        otherwise = []
    reset = _RESET.fill(node, CONDITION=condition, RETURNED=RETURNED, RETVAL=RETVAL) if strict else []
    info = constant(
        node, (number, tuple(changed), tuple(name in live for name in changed), strict, outer_names(context, changed))
    )
    places = places_of(context, node, node.ag_places, writes)
    if places.elts:
        decide = _DECIDE_WITH_PLACES.fill(node, CONDITION=condition, INFO=info, PLACES=places)
    else:
        decide = _DECIDE.fill(node, CONDITION=condition, INFO=info)
    return _IF.fill(
        node,
        CONDITION=condition,
        TEST=test,
        DECIDE=decide,
        RESET=reset,
        MAIN=main,
        SECOND=second,
        OTHERWISE=otherwise,
    )
