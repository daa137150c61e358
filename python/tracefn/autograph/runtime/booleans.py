"""and, or, not, conditional expressions: staged over tensors, with lazy operands; plain Python otherwise."""

from __future__ import annotations

from tracefn import _core
from tracefn.autograph.runtime.branches import if_value
from tracefn.autograph.runtime.conditions import is_staged, scalar_bool


def and_(left, right):
    """`left and right()`."""
    if not is_staged(left):
        return left and right()
    condition = scalar_bool(left, "`and`") if _needs_scalar(left) else left
    return if_value(condition, right, lambda: condition, "and expression")


def or_(left, right):
    """`left or right()`."""
    if not is_staged(left):
        return left or right()
    condition = scalar_bool(left, "`or`") if _needs_scalar(left) else left
    return if_value(condition, lambda: condition, right, "or expression")


def _needs_scalar(value) -> bool:
    return not (isinstance(value, _core.Tensor) and value.shape.rank == 0 and value.dtype.name == "bool")


def not_(value):
    """`not value`."""
    if not is_staged(value):
        return not value
    return _core.raw_op("LogicalNot")(x=_core.convert_to_tensor(value))


def if_exp(condition, main, orelse, text: str):
    """`main() if condition else orelse()`; `text` is the condition's source."""
    if not is_staged(condition):
        return main() if condition else orelse()
    return if_value(scalar_bool(condition, "conditional expression"), main, orelse, text)
