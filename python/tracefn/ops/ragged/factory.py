"""Functions that make ragged tensors: `tf.ragged.constant`, `stack`, `range`; and rows as segment ids."""

from __future__ import annotations

import itertools

from tracefn import _core
from tracefn import _numpy as np
from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.dtypes import as_dtype, int64
from tracefn.ops._build import convert, int_tensor, name_scope, op
from tracefn.ops.constant import constant as dense_constant
from tracefn.ops.ragged.arrays import stack as stack_values
from tracefn.ops.ragged.broadcast import splits_of
from tracefn.ops.ragged.row_partition import cast, rowids_of_splits, size_of
from tracefn.ops.ragged.tensor import RaggedTensor, is_ragged
from tracefn.ops.statistics import bincount


def _is_list(value) -> bool:
    return isinstance(value, (list, tuple)) or np.ndim(value) > 0


@export("ragged.constant")
def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=int64):
    """A ragged tensor with the elements of nested lists.

    Args:
      pylist: nested lists, tuples or arrays; all scalars are at the same depth.
      dtype: dtype of the values; inferred by default.
      ragged_rank: int, the number of ragged dimensions; by default all but the first and those of `inner_shape`.
      inner_shape: tuple, the shape of a value.
      name: name of the ops.
      row_splits_dtype: int32 or int64.

    Returns:
      RaggedTensor; a tensor if there is no ragged dimension.

    Raises:
      ValueError: scalars are at different depths, or do not fit the other arguments.
      TypeError: `pylist` is a RaggedTensor.

    >>> tf.ragged.constant([[1, 2], [], [3]])
    <tf.RaggedTensor [[1, 2], [], [3]]>
    """
    kind = as_dtype(row_splits_dtype)
    with name_scope(name or "RaggedConstant"):
        nested, values, inner_shape = parts_of(pylist, ragged_rank, inner_shape)
        values = dense_constant(values, dtype, inner_shape, name="values" if nested else None)
        for splits in reversed(nested):
            values = RaggedTensor.from_row_splits(values, dense_constant(splits, kind), validate=False)
        return values


def parts_of(pylist, ragged_rank: int | None, inner_shape) -> tuple:
    """(the row splits of the ragged dimensions, outermost first; the list of the values; their shape or None) of a nested list.

    Args:
      pylist: nested list or tuple, or a scalar.
      ragged_rank: number of ragged dimensions, or None: as the list needs.
      inner_shape: shape of the values, or None.

    Raises:
      ValueError: scalars are at different depths, or do not fit the other arguments.
      TypeError: `pylist` is a RaggedTensor.
    """
    if is_ragged(pylist):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    if not _is_list(pylist):
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
        if inner_shape:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with dim(inner_shape)={len(inner_shape)}")
        return [], pylist, ()
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank!r}: must be nonnegative")
    of_scalars, deepest = _depths(pylist)
    _check_depths(pylist, of_scalars, deepest, ragged_rank, inner_shape)
    inner_rank = 0 if inner_shape is None else len(inner_shape)
    if ragged_rank == 0 or (ragged_rank is None and (deepest < 2 or deepest - inner_rank < 2)):
        return [], pylist, inner_shape
    if inner_shape is None:
        inner_shape = () if ragged_rank is None else _inner_shape(pylist, ragged_rank)
    if ragged_rank is None:
        ragged_rank = max(1, deepest - 1 if of_scalars is None else of_scalars - 1 - len(inner_shape))
    nested, values = [], pylist
    for _ in range(ragged_rank):
        nested.append(list(itertools.accumulate([len(row) for row in values], initial=0)))
        values = [item for row in values for item in row]
    return nested, values, (len(values), *inner_shape)


def _depths(value) -> tuple:
    """(the depth of scalars, None without one; the depth of the deepest list) of nested lists."""
    if not _is_list(value):
        return 0, 0
    scalars, deepest = None, 1
    for item in value:
        of_item, deepest_of_item = _depths(item)
        if of_item is not None:
            if scalars is not None and scalars != of_item + 1:
                raise ValueError("all scalar values must have the same nesting depth")
            scalars = of_item + 1
        deepest = max(deepest, deepest_of_item + 1)
    return scalars, deepest


def _check_depths(pylist, of_scalars, deepest, ragged_rank, inner_shape) -> None:
    if of_scalars is not None:
        if deepest > of_scalars:
            raise ValueError(f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting")
        if ragged_rank is not None and deepest < ragged_rank:
            raise ValueError(f"Invalid pylist={pylist}, max depth smaller than ragged_rank={ragged_rank}")
    if inner_shape is not None and ragged_rank is not None:
        wanted = ragged_rank + len(inner_shape) + 1
        if wanted != of_scalars if of_scalars is not None else wanted < deepest:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and "
                             f"dim(inner_shape)={len(inner_shape)}")


def _inner_shape(pylist, ragged_rank: int) -> tuple:
    """The shape that all values below the ragged dimensions have."""
    values = pylist
    for depth in range(ragged_rank):
        if not all(_is_list(value) for value in values):
            raise ValueError(f"pylist has scalar values depth {depth + 1}, but ragged_rank={ragged_rank} requires scalar "
                             f"value depth greater than {ragged_rank}")
        values = [item for value in values for item in value]
    shape, item = [], values
    while _is_list(item):
        shape.append(len(item))
        if len(item) == 0:
            break
        item = item[0]
    _check_shape(values, shape)
    return tuple(shape[1:])


def _check_shape(item, shape) -> None:
    if _is_list(item) != bool(shape) or (shape and len(item) != shape[0]):
        raise ValueError("inner values have inconsistent shape")
    if shape:
        for inner in item:
            _check_shape(inner, shape[1:])


@export("ragged.stack")
def stack(values, axis=0, name=None):
    """Tensors of one rank, joined along a new axis, whatever their sizes.

    Args:
      values: list of tensors and RaggedTensors.
      axis: int, the new axis.
      name: name of the ops.

    Returns:
      RaggedTensor with one dimension more; a tensor if no dimension is ragged.

    Raises:
      ValueError: there are no values, or their ranks differ.

    >>> tf.ragged.stack([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    return stack_values(values, axis, name)


_NUMBERS = ("int32", "int64", "float32", "float64")


@export("ragged.range")
def range_(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=int64):
    """A range of numbers in each row.

    Args:
      starts: vector or scalar, the first numbers; if there are no limits, these are the limits, and 0 is the start.
      limits: vector or scalar; the numbers stay below.
      deltas: vector or scalar, the steps.
      dtype: dtype of the numbers; inferred by default.
      name: name of the ops.
      row_splits_dtype: int32 or int64.

    Returns:
      RaggedTensor.

    Raises:
      InvalidArgumentError: a step is 0, or the lengths of the vectors differ.

    >>> tf.ragged.range([0, 5], [3, 6])
    <tf.RaggedTensor [[0, 1, 2], [5]]>
    """
    if limits is None:
        starts, limits = 0, starts
    with name_scope(name or "RaggedRange") as scope:
        given = [convert(x, dtype=dtype, name=n) for x, n in ((starts, "starts"), (limits, "limits"), (deltas, "deltas"))]
        if dtype is None:
            kinds = [x.dtype.name for x in given]
            if not set(kinds) <= {*_NUMBERS}:
                # TensorFlow's assertion about the dtypes has no text.
                raise AssertionError(f"starts, limits and deltas must be of {', '.join(_NUMBERS)}; they are {', '.join(kinds)}")
            kind = max(kinds, key=_NUMBERS.index)
            given = [cast(x, as_dtype(kind)) for x in given]
        splits, values = op("RaggedRange")(starts=given[0], limits=given[1], deltas=given[2],
                                           Tsplits=as_dtype(row_splits_dtype), name=scope)
        return RaggedTensor.from_row_splits(values, splits, validate=False)


range_.__name__ = range_.__qualname__ = "range"


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """The row of each value.

    Args:
      splits: int vector, row splits.
      name: name of the ops.
      out_type: int32 or int64; by default that of `splits`.

    Returns:
      int vector [splits[-1]].

    Raises:
      ValueError: the splits are not an int vector, or empty.

    >>> tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy().tolist()
    [0, 0, 2]
    """
    with name_scope(name or "RaggedSplitsToSegmentIds"):
        splits = convert(splits, dtype_hint=int64, name="splits")
        if splits.dtype.name not in ("int32", "int64"):
            raise ValueError("splits must have dtype int32 or int64")
        splits.shape.assert_has_rank(1)
        if size_of(splits.shape, 0) == 0:
            raise ValueError("Invalid row_splits: []")
        splits = splits if out_type is None else cast(splits, as_dtype(out_type))
        return rowids_of_splits(splits, first=splits[0])


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Row splits, by the row of each value.

    Args:
      segment_ids: int vector, sorted; those of num_segments and above do not count.
      num_segments: int scalar; by default the last row with a value is the last one.
      out_type: int32 or int64.
      name: name of the ops.

    Returns:
      int vector [num_segments + 1].

    Raises:
      TypeError: an argument is not an integer.
      InvalidArgumentError: a segment id is negative.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()
    [0, 2, 2, 3]
    """
    if out_type is None:
        given = [x.dtype for x in (segment_ids, num_segments) if isinstance(x, _core.Tensor)]
        out_type = given[0] if given else int64
    out_type = as_dtype(out_type)
    with name_scope(name or "SegmentIdsToRaggedSplits"):
        ids = convert(segment_ids, dtype_hint="int32", name="segment_ids")
        ids = int_tensor(ids, "segment_ids", ids.dtype)
        ids.shape.assert_has_rank(1)
        if num_segments is None:
            ends = op("ConcatV2")(values=[convert([-1], dtype=ids.dtype), ids], axis=0)
            num_segments = op("Max")(input=ends, reduction_indices=0) + 1
        else:
            num_segments = int_tensor(num_segments, "num_segments", ids.dtype)
            num_segments.shape.assert_has_rank(0)
        lengths = bincount(ids, minlength=num_segments, maxlength=num_segments, dtype=out_type)
        splits = splits_of(lengths)
        known = get_static_value(num_segments)
        if known is not None:
            splits.set_shape([int(known) + 1])
        return splits
