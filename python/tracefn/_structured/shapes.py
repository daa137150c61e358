"""The shape of a StructuredTensor, found from its fields and from what is given."""

from __future__ import annotations

from tracefn import _core
from tracefn.dtypes import int32, int64
from tracefn.ops.by_path import public_function
from tracefn.ops.ragged.dynamic_shape import DynamicRaggedShape
from tracefn.ops.ragged.dynamic_shape_forms import merged_shapes
from tracefn.ops.ragged.tensor import RaggedTensor


def own_shape(value) -> DynamicRaggedShape | None:
    """The shape that a StructuredTensor holds; None for other values."""
    return getattr(value, "_ragged_shape", None)


def shape_dtype(fields, nrows=None, row_partitions=()):
    """The dtype of a shape: int64 if a part has it, or if none has any; int32 otherwise."""
    kinds = {_dtype_of(value) for value in fields.values()} | {partition.dtype for partition in row_partitions or ()}
    if isinstance(nrows, _core.Tensor):
        kinds.add(nrows.dtype)
    return int32 if int32 in kinds and int64 not in kinds else int64


def _dtype_of(field):
    if isinstance(field, RaggedTensor):
        return field._row_partition.dtype
    shape = own_shape(field)
    return None if shape is None else shape.dtype


def with_shape_dtype(fields, dtype) -> dict:
    """The fields, with row partitions of that dtype."""
    return {name: _with_dtype(value, dtype) for name, value in fields.items()}


def _with_dtype(field, dtype):
    if isinstance(field, RaggedTensor):
        return field.with_row_splits_dtype(dtype)
    return field if own_shape(field) is None else field.with_shape_dtype(dtype)


def shape_of_fields(fields, rank: int, dtype) -> DynamicRaggedShape | None:
    """The first `rank` dimensions, which all fields share; None without fields.

    Raises:
      ValueError: a field has another shape.
    """
    found = None
    for name, field in fields.items():
        try:
            found = merged(found, _shape_of(field, dtype)[:rank])
        except Exception as error:
            raise ValueError(f"Error in shape of {name}") from error
    return found


def _shape_of(field, dtype) -> DynamicRaggedShape:
    shape = own_shape(field)
    if shape is None:
        shape = public_function("shape")(field, out_type=dtype)
    if isinstance(shape, DynamicRaggedShape):
        return shape
    if isinstance(shape, _core.Tensor):
        return DynamicRaggedShape([], shape)
    raise TypeError(f"Expected shape tf.shape({field}) to return a Tensor or a DynamicRaggedShape. Instead, got: {shape}.")


def merged(a: DynamicRaggedShape | None, b: DynamicRaggedShape | None) -> DynamicRaggedShape | None:
    """One shape with what two say, each of which may be None."""
    if a is None or b is None:
        return b if a is None else a
    return merged_shapes(a, b)


def find_shape(fields, shape, nrows, row_partitions) -> DynamicRaggedShape:
    """The shape from the fields and from what else is given.

    Args:
      fields: dict of values.
      shape: TensorShape of known rank.
      nrows: int scalar, or None.
      row_partitions: tuple of RowPartitions, or None.

    Raises:
      ValueError: they do not fit, or too little is given.
    """
    dtype = shape_dtype(fields, nrows, row_partitions)
    if shape.rank == 0:
        return DynamicRaggedShape([], [], dtype=dtype)
    fields = with_shape_dtype(fields, dtype)
    found = DynamicRaggedShape([], shape.as_list(), dtype=dtype) if shape.is_fully_defined() else None
    found = merged(found, shape_of_fields(fields, shape.rank, dtype))
    if shape.rank == 1:
        rows = nrows if shape[0] is None else shape[0]
        if rows is not None:
            found = merged(found, DynamicRaggedShape([], [rows], dtype=dtype))
        if found is None:
            raise ValueError("Must specify `nrows`, a fully specified `shape`, or have `fields` if `rank=1`")
        return found
    if row_partitions:
        found = merged(found, DynamicRaggedShape.from_row_partitions(row_partitions, dtype=dtype))
    if found is None:
        raise ValueError("Must specify row_partitions, a fully specified shape, or have fields if rank > 1")
    return found
