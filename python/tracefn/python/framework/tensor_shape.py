"""`tensorflow.python.framework.tensor_shape`: shapes."""

from __future__ import annotations

from tracefn.dimension import Dimension
from tracefn.tensor_shape import TensorShape, as_shape

__all__ = ["Dimension", "TensorShape", "as_dimension", "as_shape", "unknown_shape"]


def as_dimension(value) -> Dimension:
    """An int, None or Dimension as a Dimension.

    Raises:
      TypeError: `value` is no integer.
      ValueError: `value` is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.python.framework.tensor_shape.as_dimension(3)
      Dimension(3)
    """
    return value if isinstance(value, Dimension) else Dimension(value)


def unknown_shape(rank=None, **kwargs) -> TensorShape:
    """A shape of unknown sizes, or of unknown rank.

    Args:
      rank: int, or None for an unknown one.
      **kwargs: `ndims`, the older name of `rank`.

    Raises:
      TypeError: there are other arguments.

    Example:
      >>> import tracefn as tf
      >>> tf.python.framework.tensor_shape.unknown_shape(2)
      TensorShape([None, None])
    """
    if rank is None and "ndims" in kwargs:
        rank = kwargs.pop("ndims")
    if kwargs:
        raise TypeError(f"Unknown argument: {kwargs}")
    return TensorShape(None if rank is None else [None] * rank)
