"""`tensorflow.python.ops.ragged.ragged_tensor`: conversions of values that may be ragged."""

from __future__ import annotations

from tracefn import _core
from tracefn.compat.v1.ragged_values import RaggedTensorValue
from tracefn.dtypes import as_dtype, int32, int64
from tracefn.ops._build import name_scope
from tracefn.ops.ragged.tensor import RaggedTensor

__all__ = ["convert_to_tensor_or_ragged_tensor", "match_row_splits_dtypes"]


def convert_to_tensor_or_ragged_tensor(value, dtype=None, preferred_dtype=None, name=None):
    """A tensor or RaggedTensor of a value.

    Args:
      value: RaggedTensor, which is returned as it is; RaggedTensorValue, or what `tf.convert_to_tensor` takes.
      dtype: dtype of the result, or None.
      preferred_dtype: dtype that it may have, or None.
      name: name of a new tensor, or None.

    Raises:
      ValueError: a RaggedTensor has another dtype.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.ragged.ragged_tensor import convert_to_tensor_or_ragged_tensor
      >>> convert_to_tensor_or_ragged_tensor(tf.ragged.constant([[1], [2, 3]]))
      <tf.RaggedTensor [[1], [2, 3]]>
    """
    if isinstance(value, RaggedTensor):
        if dtype is not None and as_dtype(dtype) != value.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {as_dtype(dtype).name} for RaggedTensor with dtype {value.dtype.name}: {value}."
            )
        return value
    if isinstance(value, RaggedTensorValue):
        with name_scope(name or "ConvertToTensorOrRaggedTensor"):
            flat = _core.convert_to_tensor(value.flat_values, dtype=dtype, dtype_hint=preferred_dtype, name="flat_values")
            return RaggedTensor.from_nested_row_splits(flat, value.nested_row_splits, validate=False)
    return _core.convert_to_tensor(value, dtype=dtype, dtype_hint=preferred_dtype, name=name)


def match_row_splits_dtypes(*tensors, return_dtype=False):
    """The same tensors, if the row splits of those that are ragged have one dtype.

    Args:
      *tensors: tensors and RaggedTensors.
      return_dtype: whether that dtype is returned, too; it is int64 if none is ragged.

    Returns:
      The tuple of tensors, or the dtype and the tuple.

    Raises:
      ValueError: they have both dtypes.
    """
    found = {t.row_splits.dtype for t in tensors if isinstance(t, RaggedTensor)}
    if len(found) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to convert them to "
            "compatible dtypes."
        )
    return (int32 if int32 in found else int64, tensors) if return_dtype else tensors
