"""assert: on a tensor it becomes a graph assertion, on a Python value it stays Python's."""

from __future__ import annotations

import ast

from tracefn.autograph.converters.booleans import is_python_bool
from tracefn.autograph.templates import Template

_ASSERT = Template("""
CONDITION = TEST
if CONDITION is not True and ag__.assert_fails(CONDITION, lambda ag__thunk=0: MESSAGE):
    FAIL
""")


def convert(context, node: ast.Assert) -> list:
    """Converts `assert test, message`."""
    pythonic = is_python_bool(node.test) or not __debug__
    context.expressions_in(node)
    if pythonic:
        return [node]
    message = node.msg if node.msg is not None else ast.copy_location(ast.Constant(None), node)
    fail = ast.copy_location(ast.Assert(ast.copy_location(ast.Constant(False), node), node.msg), node)
    return _ASSERT.fill(
        node, CONDITION=context.temporary(), TEST=node.test, MESSAGE=message, FAIL=[fail]
    )
