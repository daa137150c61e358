"""`tensorflow.python.ops.math_ops`: functions that have no public name."""

from __future__ import annotations

from tracefn import _numpy as np
from tracefn._namespaces import root
from tracefn._static_value import get_static_value
from tracefn.ops._build import constant, convert, name_scope, op

__all__ = ["reduced_shape"]


def reduced_shape(input_shape, axes):
    """The shape that a reduction has which keeps the reduced dimensions with size 1.

    Args:
      input_shape: int vector, a shape.
      axes: int scalar or vector, the reduced dimensions; negative ones count from the end.

    Returns:
      Vector of input_shape's length: an array if both are known, else a tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.math_ops.reduced_shape(tf.constant([2, 3, 5]), tf.constant([1, -1])).tolist()
      [2, 1, 1]
    """
    sizes, places = (get_static_value(convert(x)) for x in (input_shape, axes))
    if sizes is not None and places is not None:
        reduced = np.array(sizes, np.int32)
        reduced[np.array(places, np.int32)] = 1
        return reduced
    input_shape, axes = convert(input_shape), convert(axes)
    rank = op("Size")(input=input_shape, out_type=axes.dtype)
    axes = op("FloorMod")(x=axes + rank, y=rank)
    ones = op("Fill")(dims=op("Shape")(input=axes), value=constant(1, input_shape.dtype))
    every = op("Range")(start=constant(0, axes.dtype), limit=rank, delta=constant(1, axes.dtype))
    return root().dynamic_stitch([every, axes], [input_shape, ones])


def _bucketize(input, boundaries, name=None):
    """The number of the interval in which each number is, between boundaries in ascending order, a list of floats."""
    return op("Bucketize")(input=convert(input), boundaries=boundaries, name=name)


def _ReductionDims(x, axis):  # TensorFlow's name
    """The axes that a reduction over `axis` reduces; None stands for all."""
    if axis is not None:
        return axis
    if getattr(x, "shape", None) is not None and x.shape.rank:
        return constant(np.arange(x.shape.rank, dtype=np.int32))
    with name_scope("range"):
        return op("Range")(start=0, limit=op("Rank")(input=convert(x)), delta=1)
