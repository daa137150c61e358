"""Evenly spaced numbers: range and linspace."""

from __future__ import annotations

import math

from tracefn import _core
from tracefn._export import export
from tracefn._static_value import known_value
from tracefn.framework import is_tensor
from tracefn.ops._build import convert, int_tensor, ints, name_scope, op

_MAX_INT32 = 2**31 - 1
_RANGE_TYPES = ("int32", "int64", "float16", "bfloat16", "float32", "float64")


@export("range")
def range(start, limit=None, delta=1, dtype=None, name="range"):
    """The numbers start, start + delta, ..., up to but not including limit.

    Args:
      start: scalar; if `limit` is None, this is the limit and the start is 0.
      limit: scalar, or None.
      delta: scalar, not zero.
      dtype: dtype of the result; None: the widest dtype of the arguments.
      name: name of the node.

    Returns:
      Vector of ceil((limit - start) / delta) numbers.

    Raises:
      InvalidArgumentError: delta is zero, or has the wrong sign.
      AssertionError: there is no range of such values.

    Example:
      >>> import tracefn as tf
      >>> tf.range(3, 18, 5)
      <tf.Tensor: shape=(3,), dtype=int32, numpy=array([ 3,  8, 13], dtype=int32)>
    """
    if limit is None:
        start, limit = 0, start
    plain = dtype is None and type(start) is type(limit) is type(delta) is int
    if plain and max(abs(start), abs(limit), abs(delta)) <= _MAX_INT32 and _core.current_graph() is None:
        return op("Range")(start=start, limit=limit, delta=delta)
    with name_scope(name or "range") as scope:
        start = start if is_tensor(start) else convert(start, dtype=dtype, name="start")
        limit = limit if is_tensor(limit) else convert(limit, dtype=dtype, name="limit")
        delta = delta if is_tensor(delta) else convert(delta, dtype=dtype, name="delta")
        parts = (start, limit, delta)
        if dtype is None:
            dtypes = [p.dtype.name for p in parts]
            unknown = [d for d in dtypes if d not in _RANGE_TYPES]
            if unknown and len(set(dtypes)) > 1:
                raise AssertionError(f"{unknown[0]} cannot be mixed with other dtypes in range")
            dtype = dtypes[0] if unknown else max(dtypes, key=_RANGE_TYPES.index)
        start, limit, delta = (p if p.dtype == dtype else op("Cast")(x=p, DstT=dtype) for p in parts)
        return _with_known_length(op("Range")(start=start, limit=limit, delta=delta, name=scope), start, limit, delta)


_NUMPY_FLOATS = ("float16", "float32", "float64")  # bfloat16 is not NumPy's


def _with_known_length(numbers, *bounds):
    """A Range node with its length, where that follows from floating-point constants through other nodes, such as casts:
    shape rules evaluate nodes of integers only."""
    if isinstance(numbers, _core.EagerTensor) or numbers.dtype not in _NUMPY_FLOATS or numbers.shape.is_fully_defined():
        return numbers
    values = [known_value(bound) for bound in bounds]
    if all(value is not None for value in values):
        start, limit, delta = (value.reshape(()) for value in values)
        # A step that is 0 or goes the wrong way, and a length without an end, are reported by the node.
        if delta != 0 and (limit >= start if delta > 0 else limit <= start):
            length = abs((limit - start) / delta)
            if length < 2**63:
                numbers.set_shape([math.ceil(length)])
    return numbers


@export("linspace")
def linspace(start, stop, num, name=None, axis=0):
    """`num` evenly spaced numbers from start to stop, inclusive.

    Args:
      start: tensor of numbers; integers are converted to floating point, as by `/`.
      stop: tensor of start's dtype; the two are broadcast together.
      num: non-negative int scalar; for 1 the result is `start`.
      name: name of the node.
      axis: int, the position of the new axis in the result.

    Returns:
      Tensor of the shape of start and stop with an axis of size `num` inserted.

    Raises:
      TypeError: num is not an integer.
      InvalidArgumentError: num is negative, or the axis is out of range.

    Example:
      >>> import tracefn as tf
      >>> tf.linspace(0.0, 1.0, 3)
      <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0. , 0.5, 1. ], dtype=float32)>
    """
    with name_scope(name or "linspace"):
        start = convert(start, name="start")
        stop = convert(stop, name="stop", dtype=start.dtype)
        num = int_tensor(num, "num", "int32")
        start, stop = _broadcast_together(start, stop)
        first = op("ExpandDims")(input=start, dim=_axis(axis))
        last = op("ExpandDims")(input=stop, dim=axis)
        steps = op("Maximum")(x=num - 1, y=1)
        divisor = op("Cast")(x=steps, DstT=last.dtype)
        step = (last - first) / divisor
        first, last = (op("Cast")(x=end, DstT=step.dtype) for end in (first, last))

        sizes = op("Shape")(input=first)
        before, after = sizes[:axis], sizes[axis + 1 :] if axis != -1 else ints([])
        # The last number is `stop` itself, not start plus a rounded multiple; the slice drops the excess.
        inner = range(1, op("SelectV2")(condition=num >= 0, t=steps, e=-1), dtype="int64", name="range")
        row = op("ConcatV2")(values=[op("OnesLike")(x=before), ints([-1]), op("OnesLike")(x=after)], axis=0)
        inner = op("Reshape")(tensor=op("Cast")(x=inner, DstT=step.dtype), shape=row)
        every = op("ConcatV2")(values=[first, first + step * inner, last], axis=axis)
        size = op("ConcatV2")(values=[before, op("ExpandDims")(input=num, dim=0), after], axis=0)
        return op("Slice")(input=every, begin=op("ZerosLike")(x=size), size=size, name="Slice")


def _axis(axis):
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return axis


def _broadcast_together(x, y):
    """Both tensors broadcast to their common shape."""
    if x.shape.is_fully_defined() and x.shape == y.shape:
        return x, y
    shape = op("BroadcastArgs")(s0=op("Shape")(input=x), s1=op("Shape")(input=y))
    return tuple(op("BroadcastTo")(input=t, shape=shape) for t in (x, y))
