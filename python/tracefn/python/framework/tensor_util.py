"""`tensorflow.python.framework.tensor_util`: questions about tensors."""

from __future__ import annotations

from tracefn import _core
from tracefn._static_value import get_static_value as constant_value
from tracefn._static_value import known_value, sizes_in
from tracefn.framework import is_tensor_like as is_tensor
from tracefn.framework import is_tensor_like as is_tf_type
from tracefn.tensor_shape import TensorShape

__all__ = ["ShapeEquals", "constant_value", "constant_value_as_shape", "is_tensor", "is_tf_type", "try_evaluate_constant"]


def try_evaluate_constant(tensor):
    """The NumPy value of a tensor if it can be computed without running anything, else None."""
    return known_value(tensor)


def constant_value_as_shape(tensor) -> TensorShape:
    """The shape that a vector of ints holds, as far as it is known.

    Args:
      tensor: integer tensor of rank 1, or the scalar -1 for an unknown shape.

    Raises:
      ValueError: it is another scalar, or of a rank above 1.
      TypeError: its elements are no integers.

    Example:
      >>> import tracefn as tf
      >>> tf.python.framework.tensor_util.constant_value_as_shape(tf.constant([2, -1]))
      TensorShape([2, None])
    """
    if not is_tensor(tensor) or isinstance(tensor, _core.EagerTensor):
        tensor = _core.convert_to_tensor(tensor)
    if tensor.shape.rank == 0:
        value = constant_value(tensor)
        if value is None:
            raise ValueError("Received a scalar with unknown value as shape; require a statically known scalar with value '-1' to "
                             "describe an unknown shape.")
        if value != -1:
            raise ValueError(f"Received a scalar value '{value}' as shape; require a statically known scalar with value '-1' to "
                             "describe an unknown shape.")
        return TensorShape(None)
    tensor.shape.assert_has_rank(1)
    if not tensor.dtype.is_integer:
        value = constant_value(tensor)
        return TensorShape([None] * tensor.shape.num_elements() if value is None else list(value))
    return TensorShape(sizes_in(tensor))


def ShapeEquals(tensor_proto, shape) -> bool:
    """Whether a TensorProto has a shape.

    Args:
      tensor_proto: TensorProto.
      shape: list or tuple of ints, or TensorShapeProto.

    Raises:
      TypeError: an argument is of another type.

    Example:
      >>> import tracefn as tf
      >>> tf.python.framework.tensor_util.ShapeEquals(tf.make_tensor_proto([1, 2]), [2])
      True
    """
    if not hasattr(tensor_proto, "tensor_shape"):
        raise TypeError(f"`tensor_proto` must be a tensor_pb2.TensorProto object, but got type {type(tensor_proto)}.")
    if hasattr(shape, "dim"):
        shape = [dim.size for dim in shape.dim]
    elif not isinstance(shape, (list, tuple)):
        raise TypeError(f"`shape` must be a list or tuple, but got type {type(shape)}.")
    return [dim.size for dim in tensor_proto.tensor_shape.dim] == list(shape)
