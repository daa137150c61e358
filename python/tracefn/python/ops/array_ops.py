"""`tensorflow.python.ops.array_ops`: functions that have no public name."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.ops._build import convert, op

__all__ = ["batch_gather_nd", "prevent_gradient"]


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


def prevent_gradient(input, message="", name=None):
    """The same tensor, of which no gradient can be taken: that raises a LookupError with the message.

    Example:
      >>> import tracefn as tf
      >>> float(tf.python.ops.array_ops.prevent_gradient(tf.constant(1.0)))
      1.0
    """
    return op("PreventGradient")(input=convert(input), message=message, name=name)
