"""`tensorflow.python.framework.common_shapes`: shapes that are broadcast together."""

from __future__ import annotations

from tracefn.ops.array_shape import broadcast_static_shape
from tracefn.tensor_shape import TensorShape

__all__ = ["broadcast_shape", "is_broadcast_compatible"]


def broadcast_shape(shape_x, shape_y) -> TensorShape:
    """The shape that two shapes are broadcast to, as far as it is known; of unknown rank if one of them is.

    Raises:
      ValueError: they do not fit.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.common_shapes import broadcast_shape
      >>> broadcast_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
      TensorShape([2, 3])
    """
    if shape_x.rank is None or shape_y.rank is None:
        return TensorShape(None)
    if not is_broadcast_compatible(shape_x, shape_y):
        raise ValueError(
            "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are either equal "
            f"or one of them is 1. Received: {shape_x} and {shape_y}."
        )
    return broadcast_static_shape(shape_x, shape_y)


def is_broadcast_compatible(shape_x, shape_y) -> bool:
    """Whether two shapes may be broadcast together; False if a rank is unknown."""
    if shape_x.rank is None or shape_y.rank is None:
        return False
    pairs = zip(reversed(shape_x.as_list()), reversed(shape_y.as_list()), strict=False)
    return all(a is None or b is None or a == b or 1 in (a, b) for a, b in pairs)
