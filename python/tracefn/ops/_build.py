"""Helpers of composed functions: constants, eager or in a graph, and static shape information."""

from __future__ import annotations

from functools import lru_cache

from tracefn import _core
from tracefn.errors import InvalidArgumentError

name_scope = _core.OpScope

convert = _core.convert_to_tensor
op = _core.raw_op

# The distance from 1 to the next number.
EPSILONS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}


def constant(value, dtype=None, name="Const"):
    """A constant: a tensor when eager, one Const node of the current graph otherwise."""
    if _core.current_graph() is None:
        return convert(value, dtype=dtype)
    try:
        tensor = eager_value(value, dtype)
    except TypeError:
        tensor = None  # a graph has other words for it
    return convert(value, dtype=dtype, name=name) if tensor is None else _node(tensor, name)


def eager_value(value, dtype):
    """The value as an eager tensor; None if it is a list that a graph reads in another way.

    Eager execution looks only at the first elements of a list, so [[], [1]] has no other for it. A graph refuses it.
    """
    with _core.TargetContext(None):
        tensor = convert(value, dtype=dtype)
    return None if isinstance(value, (list, tuple)) and 0 in tensor.shape else tensor


def _node(tensor, name):
    return op("Const")(value=tensor, dtype=tensor.dtype, name=name)


@lru_cache(256)
def _eager_ints(values):
    with _core.TargetContext(None):
        return convert(list(values), dtype="int32")


def ints(values, name="Const"):
    """A constant int32 vector; it may be empty."""
    tensor = _eager_ints(tuple(values))
    return tensor if _core.current_graph() is None else _node(tensor, name)


def known_sizes(shape) -> list:
    """The sizes of a TensorShape.

    Raises:
      ValueError: a size, or their number, is unknown.
    """
    if not shape.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
    return shape.as_list()


def input_of(value, dtype, name):
    """A tensor for an input of one dtype. In a graph the op itself refuses another dtype: its words name op and input."""
    tensor = convert(value, name=name)
    return convert(tensor, dtype=dtype) if _core.current_graph() is None else tensor


def int_tensor(value, name: str, dtype):
    """An integer tensor, cast to `dtype`.

    Raises:
      TypeError: the value is not an integer.
    """
    tensor = convert(value, dtype_hint=dtype, name=name)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = {tensor} of dtype: "
                        f"{tensor.dtype}")
    return tensor if tensor.dtype == dtype else op("Cast")(x=tensor, DstT=dtype)


def no_such_axis(axis, rank: int) -> InvalidArgumentError:
    """The error for an axis that a tensor of that rank does not have."""
    text = f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in the input. Received: dim={axis}"
    return InvalidArgumentError(None, None, text)


def both_eager(x, y) -> bool:
    """Whether two values are eager tensors, and ops run eagerly."""
    return isinstance(x, _core.EagerTensor) and isinstance(y, _core.EagerTensor) and _core.current_graph() is None


def fits(axis: int, rank: int) -> bool:
    """Whether `axis` is an axis of a tensor of that rank."""
    return -rank <= axis < rank


__all__ = ["EPSILONS", "both_eager", "constant", "convert", "fits", "input_of", "int_tensor", "ints", "known_sizes", "name_scope", "op"]
