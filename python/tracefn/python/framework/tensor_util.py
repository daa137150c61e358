"""`tensorflow.python.framework.tensor_util`: questions about tensors."""

from __future__ import annotations

from tracefn import _core
from tracefn._static_value import get_static_value as constant_value
from tracefn._static_value import known_value, sizes_in
from tracefn.framework import is_tensor_like as is_tensor
from tracefn.framework import is_tensor_like as is_tf_type
from tracefn.tensor_shape import TensorShape

__all__ = ["constant_value", "constant_value_as_shape", "is_tensor", "is_tf_type", "try_evaluate_constant"]


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
