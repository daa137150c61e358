"""Converts for and while.

The loop body appears once in the generated code. In a loop over a tensor it runs once and is traced into the body graph
of a While node.
"""

from __future__ import annotations

import ast

from tracefn.autograph.converters.booleans import unless
from tracefn.autograph.converters.lists import unpacked
from tracefn.autograph.converters.state import deletions, outer_names, places_of
from tracefn.autograph.marks import LOOP_OPTIONS
from tracefn.autograph.templates import Template, constant, stored

_FOR = Template("""
ITERABLE, LOOP = ag__.for_stmt(ITER, INFO)
START
for ITEM in ITERABLE:
    if LOOP is not None:
        ENTER
    ASSIGN
    BODY
    if LOOP is not None:
        LOOP.leave()
    EXIT
if LOOP is not None:
    FINISH
""")
_EXIT = Template("""
if FLAG is not False and ag__.leaves(LOOP, FLAG):
    break
""")
_ASSIGN = Template("TARGET = VALUE")
_ENTER = Template("VARIABLES = LOOP.values()")
_ENTER_PLAIN = Template("LOOP.values()")
_FINISH = Template("VARIABLES = LOOP.finish()")
_FINISH_PLAIN = Template("LOOP.finish()")

_WHILE = Template("""
LOOP = ag__.while_stmt(INFO)
START
while True:
    CONDITION = TEST
    if LOOP is not None:
        CONDITION = LOOP.test(CONDITION)
        if LOOP.detached:
            LOOP = None
        else:
            ENTER
            if LOOP.again:
                continue
    elif CONDITION is not True and CONDITION is not False:
        CONDITION = ag__.python_condition(CONDITION)
    if not CONDITION:
        break
    BODY
    if LOOP is not None:
        if LOOP.leave():
            break
        ENTER
if LOOP is not None:
    FINISH
""")
_START = Template("""
if LOOP is not None:
    LOOP.configure(PLACES, OPTIONS)
""")
_OPTIONS = Template("lambda ag__thunk=0: OPTIONS")


def _options_of(context, node) -> ast.expr:
    """A thunk for the arguments of set_loop_options, or None."""
    call = node.ag_options
    if call is None:
        return ast.copy_location(ast.Constant(None), node)
    keys = [*LOOP_OPTIONS[: len(call.args)], *(k.arg for k in call.keywords)]
    values = [*call.args, *(k.value for k in call.keywords)]
    names: list[ast.expr | None] = [k and ast.copy_location(ast.Constant(k), call) for k in keys]  # None: `**`
    options = ast.copy_location(ast.Dict(names, [context.expression(v) for v in values]), call)
    return _OPTIONS.expression(call, OPTIONS=options)


def _variables(context, node) -> list[str]:
    """Names assigned in the loop that the next iteration or later code may read."""
    scope = context.scope
    return scope.name_list(node.ag_writes & (node.ag_head_gen | node.ag_live))


def _parts(context, node, loop: str, variables: list[str], targets=(), exit_name=None) -> dict:
    """The template arguments that both kinds of loops share."""
    scope = context.scope
    mask = 0
    for name in variables:
        mask |= scope.bits[name]
    number = context.number()
    # Globals that nothing in the function reads again: they are as before after a loop in the graph, as in TensorFlow.
    restored = scope.name_list(node.ag_writes & scope.outer & ~mask)

    def assign(with_names, plain, names):
        if not names:
            return plain.fill(node, LOOP=loop)
        unbound = [name for name in names if name in restored or not scope.bits[name] & node.ag_defined]
        return with_names.fill(node, VARIABLES=stored(node, names), LOOP=loop) + deletions(node, unbound)

    lists = tuple(name in context.list_names for name in variables)
    outer = outer_names(context, [*variables, *restored])
    info = (number, tuple(variables), lists, tuple(targets), exit_name, outer, tuple(restored))
    places = places_of(context, node, node.ag_places, node.ag_writes)
    options = _options_of(context, node)
    plain = not places.elts and node.ag_options is None
    return {
        "LOOP": loop,
        "INFO": constant(node, info),
        "START": [] if plain else _START.fill(node, LOOP=loop, PLACES=places, OPTIONS=options),
        "ENTER": assign(_ENTER, _ENTER_PLAIN, variables),
        "FINISH": assign(_FINISH, _FINISH_PLAIN, [*variables, *restored]),
    }


def convert_for(context, node: ast.For) -> list:
    """Converts one for statement; its `else` was lowered with the jumps."""
    if getattr(node, "ag_plain", False):
        node.body = context.block(node.body)
        return [node]
    loop, variables, leave = context.temporary(), _variables(context, node), node.ag_exit
    targets = context.scope.name_list(node.ag_target)
    parts = _parts(context, node, loop, variables, targets, leave)
    iterable = context.expression(node.iter)
    if type(node.target) is ast.Name and node.target.id not in variables:
        item, assign = node.target.id, []
    else:
        item = context.temporary()
        value = unpacked(node.target, ast.copy_location(ast.Name(item, ast.Load()), node.target))
        context.expressions_in(node.target)
        assign = _ASSIGN.fill(node, TARGET=node.target, VALUE=value)
    body = context.block(node.body)
    return _FOR.fill(
        node,
        **parts,
        ITERABLE=context.temporary(),
        ITEM=item,
        ITER=iterable,
        ASSIGN=assign,
        BODY=body,
        EXIT=_EXIT.fill(node, FLAG=leave, LOOP=loop) if leave is not None else [],
    )


def convert_while(context, node: ast.While) -> list:
    """Converts one while statement; the flag of `break` is part of its condition."""
    parts = _parts(context, node, context.temporary(), _variables(context, node))
    condition = context.temporary()
    test = context.expression(node.test)
    if node.ag_exit is not None:
        test = unless(context, node.ag_exit, test)
    body = context.block(node.body)
    return _WHILE.fill(node, **parts, CONDITION=condition, TEST=test, BODY=body)
