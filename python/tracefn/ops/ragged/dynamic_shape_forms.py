"""Other forms of a DynamicRaggedShape: with another number of row partitions, joined with what another says of the same shape,
and with dimensions merged."""

from __future__ import annotations

from tracefn.dtypes import int32, int64
from tracefn.ops._build import constant, op
from tracefn.ops.debugging import check_equal
from tracefn.ops.ragged.dynamic_shape import DynamicRaggedShape
from tracefn.ops.ragged.row_partition import RowPartition, after
from tracefn.ops.ragged.tensor import positive_axis
from tracefn.tensor_shape import TensorShape


def with_row_partitions(shape: DynamicRaggedShape, count: int) -> DynamicRaggedShape:
    """The shape with `count` row partitions: uniform dimensions move between them and the inner shape.

    Raises:
      ValueError: the rank is unknown or too low, or a dimension is ragged.
    """
    if count == shape.num_row_partitions:
        return shape
    if shape.rank is None:
        raise ValueError("Rank must be known to adjust num_row_partitions")
    if count >= shape.rank:
        raise ValueError("num_row_partitions must be less than rank")
    inner = inner_shape_of_rank(shape, shape.rank - count)
    if count < shape.num_row_partitions:
        return DynamicRaggedShape(shape.row_partitions[:count], inner)
    partitions, nvals = list(shape.row_partitions), _size(shape, 0)
    for axis in range(1, count - shape.num_row_partitions + 1):
        nrows, length = nvals, _size(shape, axis)
        partitions.append(RowPartition.from_uniform_row_length(length, nrows=nrows, dtype=shape.dtype))
        nvals = nrows * length
    return DynamicRaggedShape(partitions, inner)


def as_row_partitions(shape: DynamicRaggedShape) -> tuple:
    """The row partitions of all dimensions but the first.

    Raises:
      ValueError: the rank is unknown or 0.
    """
    if shape.rank is None:
        raise ValueError("rank must be known for _as_row_partitions")
    if shape.rank < 1:
        raise ValueError("rank must be >= 1 for _as_row_partitions")
    return with_row_partitions(shape, shape.rank - 1).row_partitions


def inner_shape_of_rank(shape: DynamicRaggedShape, rank: int):
    """The inner shape if it has `rank` dimensions: an int vector.

    Raises:
      ValueError: there is no dimension, or one of them is ragged.
    """
    if rank == 0 or shape.inner_rank == 0:
        raise ValueError("An inner shape has at least one dimension")
    own = shape.inner_rank
    assert own is not None
    if rank == own:
        return shape.inner_shape
    if rank < own:
        known = shape._static_inner_shape
        if known.is_fully_defined():
            first = known[: own - rank + 1].num_elements()
            return constant([first, *known.as_list()[own - rank + 1 :]], shape.dtype)
        first = op("Prod")(input=shape.inner_shape[: own - rank + 1], reduction_indices=[0])
        return op("ConcatV2")(values=[op("Pack")(values=[first]), shape.inner_shape[own - rank + 1 :]], axis=0)
    moved = shape.row_partitions[-(rank - own) :]
    if not all(partition.is_uniform() for partition in moved):
        raise ValueError("Cannot get an inner shape over a ragged dimension")
    sizes = [moved[0].nrows(), *(partition.uniform_row_length() for partition in moved)]
    return op("ConcatV2")(values=[op("Pack")(values=sizes), shape.inner_shape[1:]], axis=0)


def merged_shapes(a: DynamicRaggedShape, b: DynamicRaggedShape) -> DynamicRaggedShape:
    """One shape with what two say of the same shape; that they are the same is checked when the program runs.

    Raises:
      ValueError: they are known to differ.
    """
    count = max(a.num_row_partitions, b.num_row_partitions)
    a, b = with_row_partitions(a, count), with_row_partitions(b, count)
    pairs = zip(a.row_partitions, b.row_partitions, strict=True)
    partitions = [merged_partitions(mine, theirs) for mine, theirs in pairs]
    dtype = b.dtype if a.dtype == int32 else int64
    static = a._static_inner_shape.merge_with(b._static_inner_shape)
    return DynamicRaggedShape(partitions, a.inner_shape, dtype, True, static)


_CHEAPEST_FIRST = ("nrows", "nvals", "uniform_row_length", "row_splits", "row_lengths", "value_rowids")


def merged_partitions(a: RowPartition, b: RowPartition) -> RowPartition:
    """One partition with the encodings of two that divide values the same way, which is checked when the program runs.

    Raises:
      ValueError: they are known to differ.
    """
    made: dict = {}
    told: set[str] = set()
    for name in _CHEAPEST_FIRST:
        mine, theirs = getattr(a, "_" + name), getattr(b, "_" + name)
        if mine is None or theirs is None:
            made[name] = theirs if mine is None else mine
            continue
        made[name] = mine if mine is theirs else _equal(mine, theirs, name, check=not _is_told(told))
        told.add(name)
    for partition in (a, b):
        if all(made[name] is getattr(partition, "_" + name) for name in _CHEAPEST_FIRST if name != "nvals"):
            return partition
    return a._with(**made)


def _is_told(names: set) -> bool:
    """Whether partitions are equal if these encodings are."""
    return bool(names & {"row_splits", "row_lengths"}) or names >= {"nrows", "uniform_row_length"}


def _equal(a, b, name: str, check: bool):
    message = f"RowPartition._merge_precomputed_encodings: partitions have incompatible {name}"
    if not a.shape.is_compatible_with(b.shape):
        raise ValueError(message)
    return after([check_equal(a, b, message=message)], a) if check else a


def merge_axes(shape: DynamicRaggedShape, outer_axis: int, inner_axis: int) -> DynamicRaggedShape:
    """The shape with the dimensions from `outer_axis` to `inner_axis` as one; negative ones count from the end.

    Raises:
      ValueError: there are no such dimensions, or the rank must be known.
    """
    outer = positive_axis(outer_axis, shape.rank, "outer_axis", "rank(self)")
    inner = positive_axis(inner_axis, shape.rank, "inner_axis", "rank(self)")
    if outer > inner:
        raise ValueError(f"Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner}).")
    if outer == inner:
        return shape
    partitions, count = shape.row_partitions, shape.num_row_partitions
    if inner <= count:
        merged = [_joined(partitions[outer - 1 : inner])] if outer else []
        kept = (*partitions[: max(outer - 1, 0)], *merged, *partitions[inner:])
        return DynamicRaggedShape(kept, shape.inner_shape, shape.dtype, static_inner_shape=shape._static_inner_shape)
    if outer > count or not count:
        return _with_merged_inner(shape, outer - count, inner - count)
    rank = shape.rank
    assert rank is not None  # `positive_axis` asks for it
    flat = inner_shape_of_rank(shape, rank - inner)
    if outer == 0:
        return DynamicRaggedShape([], flat)
    size = op("Prod")(input=shape.inner_shape[1 : inner - count + 1], reduction_indices=[0])
    last = RowPartition.from_row_splits(_joined(partitions[outer - 1 :]).row_splits() * size, validate=False)
    return DynamicRaggedShape((*partitions[: outer - 1], last), flat)


def _joined(partitions) -> RowPartition:
    """One partition of the values of the last of consecutive ones into the rows of the first."""
    splits = partitions[0].row_splits()
    for partition in partitions[1:]:
        splits = op("GatherV2")(params=partition.row_splits(), indices=splits, axis=0)
    return RowPartition.from_row_splits(splits, validate=False)


def _with_merged_inner(shape: DynamicRaggedShape, outer: int, inner: int) -> DynamicRaggedShape:
    sizes, known = shape.inner_shape, shape._static_inner_shape
    one = op("Prod")(input=sizes[outer : inner + 1], reduction_indices=[0])
    merged = op("ConcatV2")(values=[sizes[:outer], op("Pack")(values=[one]), sizes[inner + 1 :]], axis=0)
    static = TensorShape([*known[:outer], known[outer : inner + 1].num_elements(), *known[inner + 1 :]])
    return DynamicRaggedShape(shape.row_partitions, merged, shape.dtype, static_inner_shape=static)


def _size(shape: DynamicRaggedShape, axis: int):
    """A size of the inner shape: an int if it is known."""
    known = shape._static_inner_shape[axis]
    return shape.inner_shape[axis] if known is None else known
