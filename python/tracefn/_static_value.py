"""`tf.get_static_value`. The core knows more values while tracing; this function reports the ones that TensorFlow does."""

from __future__ import annotations

from tracefn import _core
from tracefn import _numpy as np

# Ops evaluated through the values of their inputs, and ops that need only the input's shape.
_FROM_VALUES = frozenset(
    "Cast CheckNumerics ConcatOffset ConcatV2 Equal Fill Identity NotEqual Pack Range Split StopGradient Unpack".split()
)
_FROM_SHAPES = frozenset(["Rank", "Shape", "Size"])
# A scalar of these is a numpy scalar, of the others an array of rank 0.
_ELEMENTS = frozenset(["Equal", "NotEqual", "Unpack"])


def get_static_value(tensor, partial: bool = False):
    """The NumPy value of a tensor if it is known without running anything, else None.

    Args:
      tensor: a tensor; any other value is returned unchanged.
      partial: whether a stack with some unknown elements is returned as an array of objects, with None for these.

    Example:
      >>> import tracefn as tf
      >>> int(tf.get_static_value(tf.constant(3)))
      3
    """
    if isinstance(tensor, _core.EagerTensor):
        return tensor.numpy()
    if not isinstance(tensor, _core.Tensor):
        return None if getattr(type(tensor), "is_tensor_like", False) else tensor
    value = _core.constant_value(tensor) if _is_told(tensor) else None
    if value is None:
        return _partly_known(tensor) if partial else None
    return value.numpy() if tensor.op.type in _ELEMENTS else np.asarray(value)


def static_python_value(tensor):
    """`get_static_value` as a Python number, or nested lists of numbers: NumPy need not be imported for it.

    Args:
      tensor: a tensor.
    """
    if not isinstance(tensor, _core.EagerTensor):
        tensor = _core.constant_value(tensor) if _is_told(tensor) else None
    return None if tensor is None else tensor._python_value()


def known_value(tensor):
    """The NumPy value of a tensor if the core can compute it without side effects, else None."""
    value = _core.constant_value(tensor)
    return None if value is None else value.numpy()


def _is_told(tensor) -> bool:
    """Whether TensorFlow reports the value: it follows from constants and shapes by the ops listed above."""
    pending, seen = [tensor], set()
    while pending:
        op = pending.pop().op
        if op.name in seen:
            continue
        seen.add(op.name)
        if op.type in _FROM_VALUES:
            pending.extend(op.inputs)
        elif op.type in _FROM_SHAPES:
            shape = op.inputs[0].shape
            if shape.rank is None or (op.type != "Rank" and not shape.is_fully_defined()):
                return False
        elif op.type not in ("Const", "Placeholder"):  # a placeholder may represent an outside constant
            return False
    return True


def _partly_known(tensor):
    """The value of a stack as an array of objects, with None for what is unknown; None for another tensor."""
    op = tensor.op
    if op.type == "Identity":
        return get_static_value(op.inputs[0], partial=True)
    if op.type != "Pack" or op.get_attr("axis") != 0 or not op.inputs:
        return None
    return np.array([get_static_value(x, partial=True) for x in op.inputs], dtype=object)


def sizes_in(tensor):
    """The sizes in a vector, None for each unknown one; None if not even their number is known."""
    value = known_value(tensor) if tensor.shape.rank == 1 else None
    if value is not None:
        return [None if size < 0 else int(size) for size in value]
    op = tensor.op
    if op.type == "Shape":
        shape = op.inputs[0].shape
        return None if shape.rank is None else shape.as_list()
    if op.type == "Cast":
        return sizes_in(op.inputs[0])
    if op.type == "Pack":
        values = [known_value(part) for part in op.inputs]
        return [None if size is None or size < 0 else int(size) for size in values]
    if op.type == "ConcatV2":
        parts = [sizes_in(part) for part in op.inputs[:-1]]
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
    sizes = sizes_in(source)
    if any(place is None or len(place) != 1 for place in (begin, end, step)) or any(masks) or sizes is None:
        return None
    first = None if op.get_attr("begin_mask") & 1 else int(begin[0])
    last = None if op.get_attr("end_mask") & 1 else int(end[0])
    return sizes[first : last : int(step[0])]
