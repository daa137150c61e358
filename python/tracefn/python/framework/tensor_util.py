"""`tensorflow.python.framework.tensor_util`: questions about tensors."""

from __future__ import annotations

from tracefn import _core
from tracefn._static_value import get_static_value as constant_value
from tracefn._static_value import known_value
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
    return TensorShape(_dims(tensor))


def _dims(tensor):
    """The sizes in a vector, None for each unknown one; None if not even their number is known."""
    value = known_value(tensor) if tensor.shape.rank == 1 else None
    if value is not None:
        return [None if size < 0 else int(size) for size in value]
    op = tensor.op
    if op.type == "Shape":
        shape = op.inputs[0].shape
        return None if shape.rank is None else shape.as_list()
    if op.type == "Cast":
        return _dims(op.inputs[0])
    if op.type == "Pack":
        values = [known_value(part) for part in op.inputs]
        return [None if size is None or size < 0 else int(size) for size in values]
    if op.type == "ConcatV2":
        parts = [_dims(part) for part in op.inputs[:-1]]
        return None if None in parts else [size for part in parts for size in part]
    if op.type == "StridedSlice":
        taken = _sliced(op)
        if taken is not None:
            return taken
    size = tensor.shape[0] if tensor.shape.rank == 1 else None
    return None if size is None else [None] * size


def _sliced(op):
    """The sizes that a slice of a vector takes; None if that is not known."""
    source, *places = op.inputs
    begin, end, step = (known_value(place) for place in places)
    masks = [op.get_attr(name) for name in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")]
    sizes = _dims(source)
    if any(place is None or len(place) != 1 for place in (begin, end, step)) or any(masks) or sizes is None:
        return None
    first = None if op.get_attr("begin_mask") & 1 else int(begin[0])
    last = None if op.get_attr("end_mask") & 1 else int(end[0])
    return sizes[first : last : int(step[0])]
