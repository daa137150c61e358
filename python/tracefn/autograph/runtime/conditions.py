"""Conditions: whether a value is a tensor to stage, and its conversion to a scalar bool."""

from __future__ import annotations

from tracefn import _core

_reshape = _core.raw_op("Reshape")


is_staged = _core.is_staged


def is_variable(value) -> bool:
    return getattr(type(value), "is_tensor_like", False) is True and hasattr(value, "assign")


def scalar_bool(value, where: str):
    """The condition as a scalar bool tensor.

    Raises:
      ValueError: it is not of type bool, or has more than one element.
    """
    tensor = _core.convert_to_tensor(value)
    hint = "to check for None, use `is not None`"
    expected = f"condition of {where} expected to be `tf.bool` scalar, got {tensor}"
    if tensor.dtype.name != "bool":
        raise ValueError(f"{expected}; to use as boolean Tensor, use `tf.cast`; {hint}")
    rank = tensor.shape.rank
    if rank == 0:
        return tensor
    if rank is not None and any(size not in (None, 1) for size in tensor.shape.as_list()):
        raise ValueError(f"{expected}; {hint}")
    return _reshape(tensor=tensor, shape=_core.convert_to_tensor([], dtype="int32"))
