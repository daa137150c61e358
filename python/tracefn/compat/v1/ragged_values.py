"""`tf.compat.v1.ragged.constant_value` and `placeholder`: ragged arrays of lists, and placeholders of RaggedTensors."""

from __future__ import annotations

from tracefn import _numpy as np
from tracefn._export import export
from tracefn.compat.v1.placeholders import placeholder as dense_placeholder
from tracefn.compat.v1.ragged_arrays import RaggedTensorValue
from tracefn.compat.v1.variable_scopes import name_scope
from tracefn.dtypes import as_dtype
from tracefn.ops.ragged.factory import parts_of
from tracefn.ops.ragged.tensor import RaggedTensor
from tracefn.tensor_shape import TensorShape


@export("compat.v1.ragged.constant_value")
def constant_value(pylist, dtype=None, ragged_rank=None, inner_shape=None, row_splits_dtype="int64"):
    """`tf.ragged.constant` as a RaggedTensorValue; an array if no dimension is ragged.

    Args:
      pylist: nested list.
      dtype: dtype, or None for NumPy's own choice.
      ragged_rank: int, the number of ragged dimensions; None: as the list needs.
      inner_shape: shape of the values, or None.
      row_splits_dtype: int32 or int64.

    Raises:
      ValueError: scalars are at different depths, or do not fit the other arguments.
      TypeError: `row_splits_dtype` is another one, or `pylist` is a RaggedTensor.

    Example:
      >>> import tracefn as tf
      >>> print(tf.compat.v1.ragged.constant_value([[1, 2], [3]]))
      <tf.RaggedTensorValue [[1, 2], [3]]>
    """
    kind = None if dtype is None else as_dtype(dtype).as_numpy_dtype
    nested, items, shape = parts_of(pylist, ragged_rank, inner_shape)
    values = np.array(items, kind)
    if shape is not None:
        values = np.reshape(values, shape)
    for splits in reversed(nested):
        values = RaggedTensorValue(values, np.array(splits, as_dtype(row_splits_dtype).as_numpy_dtype))
    return values


@export("compat.v1.ragged.placeholder")
def placeholder(dtype, ragged_rank, value_shape=None, name=None):
    """A RaggedTensor of a graph whose parts are fed.

    Args:
      dtype: dtype of the values.
      ragged_rank: int.
      value_shape: shape of the innermost values without the first dimension; None: any.
      name: scope of the placeholders; None for "RaggedPlaceholder".

    Raises:
      RuntimeError: ops run eagerly.
    """
    if ragged_rank == 0:
        return dense_placeholder(dtype, value_shape, name)
    with name_scope(name, "RaggedPlaceholder", []):
        found = dense_placeholder(dtype, TensorShape([None]).concatenate(value_shape), "flat_values")
        for i in reversed(range(ragged_rank)):
            row_splits = dense_placeholder("int64", [None], f"row_splits_{i}")
            found = RaggedTensor.from_row_splits(found, row_splits, validate=False)
    return found
