"""for and while: the body stands once; over a tensor it runs once, into the body's graph of a While node."""

from __future__ import annotations

import ast

from tracefn.autograph.converters.lists import unpacked
from tracefn.autograph.converters.state import deletions, places_of, shown, state_of
from tracefn.autograph.templates import Template, constant, names

_FOR = Template("""
ITERABLE, LOOP = ag__.for_stmt(ITER)
if LOOP is not None:
    LOOP.start(NUMBER, NAMES, SHOWN, LISTS, TARGETS, PLACES, STATE, OPTIONS, EXIT_NAME)
for ITEM in ITERABLE:
    if LOOP is not None:
        ENTER
    ASSIGN
    BODY
    if LOOP is not None:
        LOOP.leave(STATE2)
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
LOOP = ag__.while_stmt()
if LOOP is not None:
    LOOP.start(NUMBER, NAMES, SHOWN, LISTS, (), PLACES, STATE, OPTIONS, None)
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
        if LOOP.leave(STATE2):
            break
        ENTER2
if LOOP is not None:
    FINISH
""")
_OPTIONS = Template("lambda ag__thunk=0: OPTIONS")
_OPTION_NAMES = ("parallel_iterations", "swap_memory", "maximum_iterations", "shape_invariants")


def _options_of(context, node) -> ast.expr:
    """A thunk for the arguments of set_loop_options, or None."""
    call = node.ag_options
    if call is None:
        return ast.copy_location(ast.Constant(None), node)
    keys = [*_OPTION_NAMES[: len(call.args)], *(k.arg for k in call.keywords)]
    values = [*call.args, *(k.value for k in call.keywords)]
    options = ast.copy_location(
        ast.Dict([ast.copy_location(ast.Constant(k), call) for k in keys], [context.expression(v) for v in values]),
        call,
    )
    return _OPTIONS.expression(call, OPTIONS=options)


def _variables(context, node) -> list[str]:
    """Names assigned in the loop that the next iteration or what follows may read."""
    scope = context.scope
    return scope.name_list(node.ag_writes & (node.ag_head_gen | node.ag_live))


def _parts(context, node, loop: str) -> dict:
    """What both kinds of loops are filled with."""
    scope = context.scope
    variables = _variables(context, node)
    mask = 0
    for name in variables:
        mask |= scope.bits[name]
    state = state_of(context, node, variables)
    number = context.number()
    maybe_undefined = deletions(node, scope.name_list(mask & ~node.ag_defined))

    def assign(with_names, plain):
        if not variables:
            return plain.fill(node, LOOP=loop)
        return with_names.fill(node, VARIABLES=names(node, variables, ast.Store), LOOP=loop)

    lists = tuple(name in context.list_names for name in variables)
    return {
        "LOOP": loop,
        "NUMBER": constant(node, number),
        "NAMES": constant(node, tuple(variables)),
        "SHOWN": constant(node, tuple(shown(variables))),
        "LISTS": constant(node, lists),
        "PLACES": places_of(context, node, node.ag_places, node.ag_writes),
        "OPTIONS": _options_of(context, node),
        "STATE": state(),
        "STATE2": state(),
        "ENTER": assign(_ENTER, _ENTER_PLAIN) + maybe_undefined,
        "ENTER2": assign(_ENTER, _ENTER_PLAIN) + maybe_undefined,
        "FINISH": assign(_FINISH, _FINISH_PLAIN) + maybe_undefined,
    }


def convert_for(context, node: ast.For) -> list:
    """One for statement; its `else` was lowered with the jumps."""
    if getattr(node, "ag_plain", False):
        node.body = context.block(node.body)
        return [node]
    loop, item = context.temporary(), context.temporary()
    parts = _parts(context, node, loop)
    targets = context.scope.name_list(node.ag_target)
    target_value = unpacked(node.target, ast.copy_location(ast.Name(item, ast.Load()), node.target))
    iterable = context.expression(node.iter)
    context.expressions_in(node.target)
    body = context.block(node.body)
    leave = node.ag_exit
    return _FOR.fill(
        node,
        **parts,
        ITERABLE=context.temporary(),
        ITEM=item,
        ITER=iterable,
        TARGETS=constant(node, tuple(targets)),
        ASSIGN=_ASSIGN.fill(node, TARGET=node.target, VALUE=target_value),
        BODY=body,
        EXIT=_EXIT.fill(node, FLAG=leave, LOOP=loop) if leave is not None else [],
        EXIT_NAME=constant(node, leave),
    )


def convert_while(context, node: ast.While) -> list:
    """One while statement; `break` is part of its condition since jumps were lowered."""
    parts = _parts(context, node, context.temporary())
    condition = context.temporary()
    test = context.expression(node.test)
    body = context.block(node.body)
    return _WHILE.fill(node, **parts, CONDITION=condition, TEST=test, BODY=body)
