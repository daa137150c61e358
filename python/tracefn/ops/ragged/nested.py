"""RaggedTensors with several ragged dimensions, by the row partitions of each."""

from __future__ import annotations

from tracefn import _core
from tracefn.ops._build import name_scope
from tracefn.ops.ragged.row_partition import RowPartition
from tracefn.ops.ragged.tensor import require_bool


def _require_list(value, name: str, of: str = "Tensors") -> None:
    if isinstance(value, (_core.Tensor, RowPartition)):
        raise TypeError(f"Argument `{name}` must be a list of {of}. Received {value}.")


def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
    """The tensor with several ragged dimensions, the outermost first, by the rows of the values of each.

    Args:
      flat_values: tensor.
      nested_value_rowids: list of int vectors.
      nested_nrows: list of int scalars, or None.
      name, validate: see `from_value_rowids`.

    Returns:
      RaggedTensor; `flat_values` if the list is empty.
    """
    require_bool(validate)
    _require_list(nested_value_rowids, "nested_value_rowids")
    if nested_nrows is None:
        nested_nrows = [None] * len(nested_value_rowids)
    else:
        _require_list(nested_nrows, "nested_nrows")
        if len(nested_nrows) != len(nested_value_rowids):
            raise ValueError("Argument `nested_nrows` must have the same length as argument `nested_value_rowids`. "
                             f"len(nested_nrows) = {len(nested_nrows)} vs. len(nested_values_rowids) = "
                             f"{len(nested_value_rowids)}.")
    with name_scope(name or "RaggedFromNestedValueRowIds"):
        result = flat_values
        for rowids, nrows in zip(reversed(nested_value_rowids), reversed(nested_nrows), strict=True):
            result = cls.from_value_rowids(result, rowids, nrows, validate=validate)
        return result


def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
    """The tensor with several ragged dimensions, the outermost first, by the row splits of each.

    Args:
      flat_values: tensor.
      nested_row_splits: list of int vectors.
      name, validate: see `from_value_rowids`.

    Returns:
      RaggedTensor; `flat_values` if the list is empty.
    """
    require_bool(validate)
    _require_list(nested_row_splits, "nested_row_splits")
    with name_scope(name or "RaggedFromNestedRowSplits"):
        result = flat_values
        for splits in reversed(nested_row_splits):
            result = cls.from_row_splits(result, splits, validate=validate)
        return result


def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
    """The tensor with several ragged dimensions, the outermost first, by the row lengths of each.

    Args:
      flat_values: tensor.
      nested_row_lengths: list of int vectors.
      name, validate: see `from_value_rowids`.

    Returns:
      RaggedTensor; `flat_values` if the list is empty.
    """
    require_bool(validate)
    _require_list(nested_row_lengths, "nested_row_lengths")
    with name_scope(name or "RaggedFromNestedRowlengths"):
        result = flat_values
        for lengths in reversed(nested_row_lengths):
            result = cls.from_row_lengths(result, lengths, validate=validate)
        return result


def _from_nested_row_partitions(cls, flat_values, nested_row_partitions, name=None, validate=True):
    require_bool(validate)
    _require_list(nested_row_partitions, "nested_row_partitions", "RowPartitions")
    with name_scope(name or "RaggedFromNestedRowPartitions"):
        result = flat_values
        for partition in reversed(nested_row_partitions):
            result = cls._from_row_partition(result, partition, validate=validate)
        return result


CLASS_METHODS = {
    function.__name__: classmethod(function)
    for function in (from_nested_value_rowids, from_nested_row_splits, from_nested_row_lengths, _from_nested_row_partitions)
}
