"""Indexing of ragged tensors."""

from __future__ import annotations

from tracefn import _core
from tracefn._static_value import get_static_value
from tracefn.framework import control_dependencies, executing_eagerly
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.debugging import check_greater_equal, check_less
from tracefn.ops.ragged.row_partition import cast, size_of
from tracefn.ops.ragged.tensor import RaggedTensor

_ALL = slice(None)


def getitem(self, key):
    """Rows, ranges of rows and of columns, as for a tensor; a column by index only where rows have one length.

    Args:
      key: int or int scalar, slice, `...`, None for a new dimension, or a tuple of these.

    Returns:
      Tensor or RaggedTensor.

    Raises:
      IndexError, InvalidArgumentError: an index is out of range.
      ValueError: a column of a ragged dimension.
      TypeError: a key of another class.
    """
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    with name_scope("RaggedGetItem"):
        return _rows(self, keys)


def _rows(rt, keys):
    """Applies the first key to the rows, and the others to what they hold."""
    if not keys:
        return rt
    key, inner = keys[0], keys[1:]
    if key is Ellipsis:
        return _rows(rt, _expanded(keys, rt.shape.rank))
    if key is None:
        inner = _rows(rt, inner)
        return RaggedTensor.from_uniform_row_length(inner, _count(inner), nrows=1, validate=False)
    if isinstance(key, slice):
        sliced = _row_range(rt, key)
        if rt.uniform_row_length is not None:
            sliced = RaggedTensor.from_uniform_row_length(sliced.values, rt.uniform_row_length, nrows=sliced.nrows())
        return _columns(sliced, inner)
    starts, limits = rt.row_splits[:-1], rt.row_splits[1:]
    if executing_eagerly():
        _require_row(key, starts)
    return rt.values[starts[key] : limits[key]].__getitem__(tuple(inner) if inner else _ALL)


def _require_row(key, starts) -> None:
    """An index past the end raises IndexError, which ends a `for` loop."""
    try:
        row = int(key)
    except (TypeError, ValueError):
        return  # the error of the index itself follows
    if row >= size_of(starts.shape, 0):
        raise IndexError(f"Row key {key} out of bounds")


def _count(value):
    """The number of rows, as an int if it is known."""
    known = size_of(value.shape, 0)
    if known is not None:
        return known
    return value.nrows() if isinstance(value, RaggedTensor) else op("Shape")(input=value, out_type="int64")[0]


def _row_range(rt, key):
    if key == _ALL:
        return rt
    splits = rt.row_splits
    starts, limits = splits[:-1][key], splits[1:][key]
    if key.step is not None and not (isinstance(key.step, int) and key.step == 1):
        return _value_ranges(starts, limits, None, rt.values)
    # Without a row in the range, the splits are just a zero.
    zero = constant([0], splits.dtype)
    pad = zero[op("Size")(input=starts) :]
    splits = op("ConcatV2")(values=[pad, starts[:1], limits], axis=0)
    first = splits[0]
    return RaggedTensor.from_row_splits(rt.values[first : splits[-1]], splits - first, validate=False)


def _columns(rt, keys):
    """Applies the keys to what each row holds."""
    if not keys:
        return rt
    if not isinstance(rt, RaggedTensor):
        return rt[(_ALL, *keys)]
    key, inner = keys[0], keys[1:]
    if key is Ellipsis:
        return _columns(rt, _expanded(keys, rt.values.shape.rank))
    if key is None:
        inner = _columns(rt, inner)
        return RaggedTensor.from_uniform_row_length(inner, 1, nrows=_count(inner), validate=False)
    if isinstance(key, slice):
        if key != _ALL:
            rt = _column_range(rt, key)
        return rt.with_values(_columns(rt.values, inner))
    length = rt.uniform_row_length
    if length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    column = cast(convert(key), length.dtype)
    message = "Index out of bounds when indexing into a ragged tensor"
    checks = [check_greater_equal(column, -length, message=message), check_less(column, length, message=message)]
    with control_dependencies([check for check in checks if check is not None]):
        offset = _if_positive(column, lambda: column, lambda: length + column)
        return _columns(rt.values[offset::length], inner)


def _column_range(rt, key):
    """The range of columns of every row."""
    for end in (key.start, key.stop):
        if not (end is None or isinstance(end, (int, _core.Tensor))):
            raise TypeError("slice offsets must be integers or None")
    starts, limits = rt.row_splits[:-1], rt.row_splits[1:]
    step = 1 if key.step is None else key.step
    low = _if_positive(step, lambda: starts, lambda: starts - 1)
    high = _if_positive(step, lambda: limits, lambda: limits - 1)

    def place(end, default):
        if end is None:
            return default()
        offset = cast(convert(end), starts.dtype)
        return _if_positive(end, lambda: op("Minimum")(x=starts + offset, y=high),
                            lambda: op("Maximum")(x=limits + offset, y=low))

    first = place(key.start, lambda: _if_positive(step, lambda: starts, lambda: limits - 1))
    last = place(key.stop, lambda: _if_positive(step, lambda: limits, lambda: starts - 1))
    made = _value_ranges(first, last, key.step, rt.values)
    if rt.uniform_row_length is not None:
        length = _slice_length(rt.uniform_row_length, key)
        made = RaggedTensor.from_uniform_row_length(made.values, length, rt.nrows())
    return made


def _slice_length(size, key):
    """How many of `size` columns a slice takes."""
    columns = op("Fill")(dims=op("Pack")(values=[size]), value=False)
    return op("Size")(input=columns[key], out_type=size.dtype)


def _expanded(keys, rank):
    """The keys with one `:` before an ellipsis, or without it if there is a key for every dimension."""
    if rank is None:
        raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
    count = sum(1 for key in keys if key is not None)
    if count > rank + 1:
        raise IndexError("Too many indices for RaggedTensor")
    return keys[1:] if count == rank + 1 else [_ALL, *keys]


def _value_ranges(starts, limits, step, values):
    """The rows values[starts[i]:limits[i]:step]."""
    step = convert(1 if step is None else step, name="step")
    if not step.dtype.is_integer:
        raise TypeError("slice strides must be integers or None")
    splits, places = op("RaggedRange")(starts=starts, limits=limits, deltas=cast(step, starts.dtype),
                                       Tsplits=starts.dtype)
    return RaggedTensor.from_row_splits(pick_rows(values, places), splits, validate=False)


def pick_rows(values, indices):
    """Rows of a tensor or RaggedTensor at a vector of indices."""
    if not isinstance(values, RaggedTensor):
        return op("GatherV2")(params=values, indices=indices, axis=0)
    splits, flat = op("RaggedGather")(params_nested_splits=list(values.nested_row_splits),
                                      params_dense_values=values.flat_values, indices=indices,
                                      OUTPUT_RAGGED_RANK=values.ragged_rank)
    made = RaggedTensor.from_nested_row_splits(flat, splits, validate=False)
    _keep_uniform(values, made)
    return made


def _keep_uniform(params, picked) -> None:
    """Rows that had one length still have it."""
    while isinstance(params, RaggedTensor) and isinstance(picked, RaggedTensor):
        partition = params._row_partition
        if partition.static_uniform_row_length is not None:
            picked._row_partition._uniform_row_length = partition._uniform_row_length
            picked._row_partition._nrows = picked._row_partition.nrows()
        params, picked = params.values, picked.values


def _if_positive(number, positive, negative):
    """`positive()` if number >= 0, else `negative()`."""
    known = number if isinstance(number, int) else get_static_value(number)
    if known is not None:
        return positive() if known >= 0 else negative()
    yes, no = positive(), negative()
    condition = op("GreaterEqual")(x=number, y=op("ZerosLike")(x=number))
    return op("SelectV2")(condition=condition, t=yes, e=no)


METHODS = {"__getitem__": getitem}
