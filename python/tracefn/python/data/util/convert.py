"""`tensorflow.python.data.util.convert`: arguments of datasets as tensors."""

from __future__ import annotations

from tracefn import _core
from tracefn.tensor_shape import as_shape

__all__ = ["optional_param_to_tensor", "partial_shape_to_tensor"]


def optional_param_to_tensor(argument_name, argument_value, argument_default=0, argument_dtype="int64"):
    """An argument, or its default in place of None, as a tensor.

    Args:
      argument_name: str, the name of the tensor's node.
      argument_value, argument_default: tensor, or value that converts to one; None for the default.
      argument_dtype: dtype.

    Raises:
      TypeError, ValueError: the value does not convert.

    Example:
      >>> import tracefn as tf
      >>> int(tf.python.data.util.convert.optional_param_to_tensor("buffer_size", None, 8))
      8
    """
    value = argument_default if argument_value is None else argument_value
    return _core.convert_to_tensor(value, dtype=argument_dtype, name=argument_name)


def partial_shape_to_tensor(shape_like):
    """A shape as an int64 vector, with -1 for sizes that are not known.

    Args:
      shape_like: TensorShape, list of sizes, or int64 vector.

    Raises:
      ValueError: it is a tensor of another rank.
      TypeError: it is a tensor of another dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.python.data.util.convert.partial_shape_to_tensor([None, 3]).numpy().tolist()
      [-1, 3]
    """
    try:
        shape_like = as_shape(shape_like)  # a shape of unknown rank has no sizes, and no tensor
        sizes = shape_like.as_list()
    except (TypeError, ValueError):
        return _shape_tensor(shape_like)
    return _core.convert_to_tensor([-1 if size is None else size for size in sizes], dtype="int64")


def _shape_tensor(value):
    """A vector, which is no TensorShape, as int64 if it has no dtype yet."""
    tensor = _core.convert_to_tensor(value, dtype_hint="int64")
    if tensor.shape.rank not in (None, 1):
        raise ValueError(
            f"The given shape {value} must be a 1-D tensor of `tf.int64` values, but the shape was {tensor.shape}."
        )
    if tensor.dtype != "int64":
        raise TypeError(
            f"The given shape {value} must be a 1-D tensor of `tf.int64` values, but the element type was {tensor.dtype.name}."
        )
    return tensor
