"""Converts and, or, not, comparison chains and conditional expressions.

The generated code handles Python bools inline, with `is` tests. Any other value goes to a run-time function, which takes
the right operand as a thunk. An expression that appears twice in the generated code is one shared node. It is already
converted, and nothing rewrites it again.
"""

from __future__ import annotations

import ast

from tracefn._user_code.walk import every
from tracefn.autograph.templates import Template, cloned, constant

_INLINE_LIMIT = 25  # nodes that may appear twice in the generated code

_AND = Template(
    "(VALUE and RIGHT) if (STORE := LEFT) is True or VALUE is False or not ag__.is_staged(VALUE) else "
    "ag__.and_(VALUE, lambda ag__thunk=0: RIGHT)"
)
_OR = Template(
    "(VALUE or RIGHT) if (STORE := LEFT) is True or VALUE is False or not ag__.is_staged(VALUE) else "
    "ag__.or_(VALUE, lambda ag__thunk=0: RIGHT)"
)
_AND_CALL = Template("ag__.and_(LEFT, lambda ag__thunk=0: THUNK)")
_OR_CALL = Template("ag__.or_(LEFT, lambda ag__thunk=0: THUNK)")
_NOT = Template("(STORE := OPERAND) is not True and (VALUE is False or ag__.not_(VALUE))")
_NOT_NAME = Template("VALUE is not True and (VALUE is False or ag__.not_(VALUE))")
_NOT_CALL = Template("ag__.not_(OPERAND)")
_IF = Template(
    "(MAIN if VALUE else ELSE) if (STORE := TEST) is True or VALUE is False or not ag__.is_staged(VALUE) else "
    "ag__.if_exp(VALUE, lambda ag__thunk=0: MAIN, lambda ag__thunk=0: ELSE, TEXT)"
)
_IF_CALL = Template("ag__.if_exp(TEST, lambda ag__thunk=0: MAIN, lambda ag__thunk=0: ELSE, TEXT)")

_UNLESS = Template("TEST if FLAG is False else FLAG is not True and ag__.and_(ag__.not_(FLAG), lambda ag__thunk=0: TEST)")
_UNLESS_CALL = Template("FLAG is not True and ag__.and_(FLAG is False or ag__.not_(FLAG), lambda ag__thunk=0: TEST)")

_PYTHON_COMPARISONS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


def is_python_bool(node: ast.expr) -> bool:
    """Whether an expression is known to give a Python bool, so that it needs no staging."""
    kind = type(node)
    if kind is ast.Compare:
        return all(type(op) in _PYTHON_COMPARISONS for op in node.ops)
    if kind is ast.Constant:
        return isinstance(node.value, bool)
    if kind is ast.UnaryOp and type(node.op) is ast.Not:
        return is_python_bool(node.operand)
    if kind is ast.BoolOp:
        return all(is_python_bool(v) for v in node.values)
    return kind is ast.Call and type(node.func) is ast.Name and node.func.id in ("isinstance", "hasattr", "callable")


def _binds(nodes) -> bool:
    return any(type(n) is ast.NamedExpr and not n.target.id.startswith("ag__") for n in nodes)


def convert_bool_op(context, node: ast.BoolOp) -> ast.expr:
    """Converts `a and b` and `a or b`, from right to left."""
    values = [context.expression(v) for v in node.values]
    inline, call = (_AND, _AND_CALL) if type(node.op) is ast.And else (_OR, _OR_CALL)
    pythonic = [is_python_bool(v) for v in node.values]
    result = values[-1]
    for left, is_bool in zip(reversed(values[:-1]), reversed(pythonic[:-1]), strict=True):
        inside = every(result)
        if is_bool or _binds(inside):
            result = ast.copy_location(ast.BoolOp(node.op, [left, result]), node)
        elif context.in_comprehension or len(inside) > _INLINE_LIMIT:
            result = call.expression(node, LEFT=left, THUNK=result)
        else:
            name = context.temporary()
            result = inline.expression(node, STORE=name, VALUE=name, LEFT=left, RIGHT=result)
    return result


def unless(context, flag: str, test: ast.expr) -> ast.expr:
    """Builds `not flag and test` from a test that is already converted."""
    inside = every(test)
    template = _UNLESS_CALL if len(inside) > _INLINE_LIMIT else _UNLESS
    return template.expression(test, FLAG=flag, TEST=test)


def convert_unary(context, node: ast.UnaryOp) -> ast.expr:
    """Converts `not x`; the other unary operators are unchanged."""
    pythonic = is_python_bool(node.operand)
    node.operand = context.expression(node.operand)
    if type(node.op) is not ast.Not or pythonic:
        return node
    if type(node.operand) is ast.Name:
        return _NOT_NAME.expression(node, VALUE=node.operand.id)
    if context.in_comprehension:
        return _NOT_CALL.expression(node, OPERAND=node.operand)
    name = context.temporary()
    return _NOT.expression(node, STORE=name, VALUE=name, OPERAND=node.operand)


def convert_compare(context, node: ast.Compare) -> ast.expr:
    """Converts `a < b < c` to `a < b and b < c`, with b evaluated once; single comparisons are unchanged."""
    if len(node.ops) == 1 or context.in_comprehension or is_python_bool(node):
        context.expressions_in(node)
        return node
    parts: list[ast.expr] = []
    left = node.left
    for i, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
        follow = right
        if i < len(node.ops) - 1 and type(right) not in (ast.Name, ast.Constant):
            name = context.temporary()
            right = ast.copy_location(
                ast.NamedExpr(ast.copy_location(ast.Name(name, ast.Store()), right), right), right
            )
            follow = ast.copy_location(ast.Name(name, ast.Load()), right)
        parts.append(ast.copy_location(ast.Compare(left, [op], [right]), node))
        left = cloned(follow)
    if any(_has_own_walrus(part) for part in parts[1:]):
        # A middle operand after the first `and` would be bound in a thunk: three or more comparisons nest to the right.
        return _nested_chain(context, parts, node)
    return convert_bool_op(context, ast.copy_location(ast.BoolOp(ast.And(), parts), node))


def _has_own_walrus(part) -> bool:
    return any(type(n) is ast.NamedExpr for n in every(part))


def _nested_chain(context, parts, node):
    result = context.expression(parts[-1])
    for part in reversed(parts[:-1]):
        result = _AND_CALL.expression(node, LEFT=context.expression(part), THUNK=result)
    return result


def convert_if_exp(context, node: ast.IfExp) -> ast.expr:
    """Converts `a if c else b`. A Python condition evaluates one operand; a tensor condition traces both."""
    pythonic = is_python_bool(node.test)
    text = ast.unparse(node.test) if not pythonic else ""
    context.expressions_in(node)
    inside = every(node.body) + every(node.orelse)
    if pythonic or _binds(inside):
        return node
    label = constant(node, text)
    if context.in_comprehension or len(inside) > _INLINE_LIMIT:
        return _IF_CALL.expression(node, TEST=node.test, MAIN=node.body, ELSE=node.orelse, TEXT=label)
    name = context.temporary()
    return _IF.expression(
        node,
        STORE=name,
        VALUE=name,
        TEST=node.test,
        MAIN=node.body,
        ELSE=node.orelse,
        TEXT=label,
    )
