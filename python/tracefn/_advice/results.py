"""Advice on invalid results of a traced function."""

from __future__ import annotations

import ast
import types

from tracefn._user_code import edits
from tracefn._user_code.place import Place
from tracefn.autograph.runtime.lists import StagedList

_GENERATOR = 0x20


def refused(python_function, result) -> str:
    """The advice on a result that holds something other than tensors; may be empty.

    Args:
      python_function: the user's function.
      result: the result.
    """
    function = getattr(python_function, "__func__", python_function)
    code = getattr(function, "__code__", None)
    if code is None:
        return ""
    where = f"  File \"{code.co_filename}\", line {code.co_firstlineno}, in {code.co_name}"
    if isinstance(result, types.GeneratorType):
        if code.co_flags & _GENERATOR:
            return f"{where}\n`{code.co_name}` yields, which cannot be traced: return a list of the tensors, or tf.stack of it."
        return f"{where}\nA generator runs when it is asked for elements: return a list of them, or tf.stack of it."
    return where + _of_lists(function, result)


def _of_lists(function, result) -> str:
    """Advice on a list that a staged loop appended to: its elements as one tensor."""
    place = Place.of_function(function)
    returns = edits.returns_of(place.function.body) if isinstance(place.function, ast.FunctionDef) else []
    if len(returns) != 1:
        return ""
    (node,) = returns
    parts, values = [node.value], [result]
    if isinstance(node.value, (ast.Tuple, ast.List)) and isinstance(result, (tuple, list)):
        parts, values = node.value.elts, list(result)
    if len(parts) != len(values):
        return ""
    lists = [part for part, value in zip(parts, values, strict=True) if isinstance(value, StagedList)]
    if len(lists) != 1:
        return ""
    fix = edits.fix([edits.replaced(place, lists[0], f"{place.tf}.stack({place.segment(lists[0])})")])
    return "" if fix is None else f"\n{fix}"
