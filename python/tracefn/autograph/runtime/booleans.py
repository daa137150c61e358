"""and, or, not, conditional expressions: staged over tensors, with lazy operands; plain Python otherwise."""

from __future__ import annotations

from tracefn import _core
from tracefn._value_text import dtype_in_graph
from tracefn.autograph.runtime.branches import if_value
from tracefn.autograph.runtime.conditions import is_staged, scalar_bool
from tracefn.errors import InvalidArgumentError


def and_(left, right):
    """`left and right()`."""
    if not is_staged(left):
        return left and right()
    return if_value(_deciding(left, "`and`"), right, lambda: left, "and expression")


def or_(left, right):
    """`left or right()`."""
    if not is_staged(left):
        return left or right()
    return if_value(_deciding(left, "`or`"), lambda: left, right, "or expression")


def _deciding(left, where: str):
    """The left operand as a condition. Several bools are refused only when the node runs: a statement whose condition is the
    whole expression refuses them earlier, with its own name."""
    tensor = _core.convert_to_tensor(left)
    if tensor.dtype.name == "bool" and (tensor.shape.num_elements() or 1) > 1:
        return tensor
    return scalar_bool(tensor, where)


def not_(value):
    """`not value`."""
    if not is_staged(value):
        return not value
    return _core.raw_op("LogicalNot")(x=_core.convert_to_tensor(value))


def if_exp(condition, main, orelse, text: str):
    """`main() if condition else orelse()`; `text` is the condition's source."""
    if not is_staged(condition):
        return main() if condition else orelse()
    try:
        condition = scalar_bool(condition, "conditional expression")
    except ValueError as error:
        raise InvalidArgumentError(None, None, f"{error}. {_refused_by_cond(condition)}") from None
    return if_value(condition, main, orelse, text)


def _refused_by_cond(condition) -> str:
    """What TensorFlow's conditional says of a condition that is not a bool, or not one, when it runs."""
    tensor = _core.convert_to_tensor(condition)
    if tensor.dtype.name != "bool":
        return f"Input 'pred' passed {dtype_in_graph(tensor.dtype)} expected bool"
    return f"The second input must be a scalar, but it has shape [{','.join(map(str, tensor.shape.as_list()))}]"
