"""`tensorflow.python.autograph.operators.logical`: `and`, `or`, `not` and comparisons of converted code."""

from __future__ import annotations

from tracefn import _core
from tracefn.autograph.runtime import booleans
from tracefn.autograph.runtime.booleans import not_

__all__ = ["and_", "eq", "not_", "not_eq", "or_"]


def and_(a, b):
    """`a() and b()`, in a graph if `a()` is a tensor of one.

    Args:
      a, b: callables without arguments.
    """
    return booleans.and_(a(), b)


def or_(a, b):
    """`a() or b()`, in a graph if `a()` is a tensor of one.

    Args:
      a, b: callables without arguments.
    """
    return booleans.or_(a(), b)


def _is_tensor(a, b) -> bool:
    return isinstance(a, _core.Tensor) or isinstance(b, _core.Tensor)


def eq(a, b):
    """`a == b`: for tensors, of their elements."""
    return _core.raw_op("Equal")(x=a, y=b) if _is_tensor(a, b) else a == b


def not_eq(a, b):
    """`a != b`: for tensors, of their elements."""
    return not_(eq(a, b))
