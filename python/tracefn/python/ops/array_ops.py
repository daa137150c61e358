"""`tensorflow.python.ops.array_ops`: functions that have no public name."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.ops._build import convert, int_tensor, op

__all__ = ["batch_gather_nd", "convert_to_int_tensor", "prevent_gradient", "tile_one_dimension"]


def batch_gather_nd(params, indices, batch_dims, name=None):
    """`tf.gather_nd` with a number of batch dimensions.

    Args:
      params, indices, name: as in `tf.gather_nd`.
      batch_dims: int.

    Raises:
      TypeError: `batch_dims` is no int.
      ValueError: `batch_dims` is negative, or not less than indices' rank.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.array_ops.batch_gather_nd([[1, 2], [3, 4]], [[1], [0]], 1).numpy().tolist()
      [2, 3]
    """
    if not isinstance(batch_dims, int):
        raise TypeError(f"Argument `batch_dims` must be an int; got {batch_dims}")
    return root().gather_nd(params, indices, batch_dims, name)


def convert_to_int_tensor(tensor, name, dtype="int32"):
    """A value as an integer tensor.

    Args:
      tensor: int, array or tensor.
      name: str, what errors call it.
      dtype: integer dtype, or None for that of the value.

    Raises:
      TypeError: the value is no integer.
    """
    tensor = convert(tensor, dtype_hint=dtype or "int32", name=name)
    return int_tensor(tensor, name, dtype or tensor.dtype)


def prevent_gradient(input, message="", name=None):
    """The same tensor, of which no gradient can be taken: that raises a LookupError with the message.

    Example:
      >>> import tracefn as tf
      >>> float(tf.python.ops.array_ops.prevent_gradient(tf.constant(1.0)))
      1.0
    """
    return op("PreventGradient")(input=convert(input), message=message, name=name)


def tile_one_dimension(data, axis, multiple):
    """A tensor several times along one of its dimensions.

    Args:
      data: tensor.
      axis: int, from 0.
      multiple: int scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.array_ops.tile_one_dimension(tf.constant([[1, 2]]), 0, 2).numpy().tolist()
      [[1, 2], [1, 2]]
    """
    data = convert(data)
    rank = op("Rank")(input=data) if data.shape.rank is None else data.shape.rank
    return op("Tile")(input=data, multiples=root().one_hot(axis, rank, on_value=multiple, off_value=1, dtype="int32"))
