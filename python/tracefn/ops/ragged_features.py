"""The RaggedTensors of `tf.io.RaggedFeature`s, from the vectors that were read for their keys."""

from __future__ import annotations

from tracefn.ops._build import convert, op
from tracefn.ops.by_path import public_function
from tracefn.ops.ragged import RaggedTensor
from tracefn.ops.ragged.elementwise import map_flat_values

_Splits, _Limits, _Starts, _Lengths, _RowIds, _Uniform = (
    "RowSplits",
    "RowLimits",
    "RowStarts",
    "RowLengths",
    "ValueRowIds",
    "UniformRowLength",
)


def build_ragged(serialized_shape, values, row_splits, inner_splits=None) -> list:
    """The values of each key: of a batch, a RaggedTensor with a row for each example; of one example, a vector. With
    inner splits, each has rows itself."""
    if inner_splits is not None:
        values = [RaggedTensor.from_row_splits(v, s, validate=False) for v, s in zip(values, inner_splits, strict=True)]
    if serialized_shape.rank == 0:
        return list(values)
    return [RaggedTensor.from_row_splits(v, s, validate=False) for v, s in zip(values, row_splits, strict=True)]


def partitioned(key: str, feature, parsed: dict):
    """The value of a feature: what was read for its values, in the rows that its partitions tell.

    Args:
      key: the feature's, for error messages.
      feature: a RaggedFeature.
      parsed: dict of what was read, by key.

    Raises:
      InvalidArgumentError: with `validate`: the partitions do not fit.
    """
    value = parsed[feature.value_key or key]
    if not isinstance(value, RaggedTensor):  # of one example
        for partition in reversed(feature.partitions):
            value = _add_rows(value, partition, parsed, feature)
        return value
    outer = None
    if value.ragged_rank > 1:  # lists of a batch of examples: rows of both are one batch
        outer, value = value.row_splits, value.values
    for partition in reversed(feature.partitions):
        value = _add_batched_rows(value, partition, parsed, key, feature.validate, outer)
    return value if outer is None else RaggedTensor.from_row_splits(value, outer, validate=feature.validate)


def _kind(partition) -> str:
    return type(partition).__name__


def _reshaped_rows(values, length: int):
    """Values in rows of one length, as a tensor."""
    inner = op("Shape")(input=values)[1:]
    return op("Reshape")(tensor=values, shape=op("ConcatV2")(values=[convert([-1, length], dtype="int32"), inner], axis=0))


def _add_rows(values, partition, parsed, feature):
    kind, validate = _kind(partition), feature.validate
    if kind == _Uniform:
        if not isinstance(values, RaggedTensor):
            return _reshaped_rows(values, partition.length)
        length = convert(partition.length, dtype=feature.row_splits_dtype)
        return RaggedTensor.from_uniform_row_length(values, length, validate=validate)
    rows = op("Cast")(x=parsed[partition.key], DstT=feature.row_splits_dtype)
    make = {
        _Splits: RaggedTensor.from_row_splits,
        _Lengths: RaggedTensor.from_row_lengths,
        _Starts: RaggedTensor.from_row_starts,
        _Limits: RaggedTensor.from_row_limits,
        _RowIds: RaggedTensor.from_value_rowids,
    }[kind]
    return make(values, rows, validate=validate)


def _add_batched_rows(value, partition, parsed, key, validate, outer):
    """The rows of each example of a batch, parted by the example's partition."""
    kind = _kind(partition)
    if kind == _Uniform:
        splits = value.row_splits // convert(partition.length, dtype=value.row_splits.dtype)
        if value.ragged_rank > 1:
            length = convert(partition.length, dtype=value.row_splits.dtype)
            rows = RaggedTensor.from_uniform_row_length(value.values, length, validate=validate)
        else:
            rows = _reshaped_rows(value.values, partition.length)
        return RaggedTensor.from_row_splits(rows, splits, validate=validate)
    parts = parsed[partition.key]
    if outer is not None:
        if validate:
            message = f"Feature {key}: values and partitions are not aligned"
            public_function("debugging.assert_equal")(outer, parts.row_splits, message=message)
        parts = parts.values
    splits_dtype = value.row_splits.dtype
    parts = map_flat_values(lambda x: op("Cast")(x=x, DstT=splits_dtype), parts)
    return _BATCHED[kind](value, parts, validate)


def _starts_of(value, parts):
    """For each element of the partitions, where the values of its example start."""
    return _repeated(value.row_starts(), parts)


def _repeated(numbers, parts):
    """The number of each example, for each element of its partition."""
    from tracefn.ops.repeat import repeat  # start-up time: few programs repeat

    return repeat(numbers, parts.row_lengths())


def _by_limits(value, parts, validate):
    limits = parts.values + _starts_of(value, parts)
    return parts.with_values(RaggedTensor.from_row_limits(value.values, limits, validate=validate))


def _by_splits(value, parts, validate):
    return _by_limits(value, parts[:, 1:], validate)


def _by_starts(value, parts, validate):
    starts = parts.values + _starts_of(value, parts)
    return parts.with_values(RaggedTensor.from_row_starts(value.values, starts, validate=validate))


def _by_lengths(value, parts, validate):
    return parts.with_values(RaggedTensor.from_row_lengths(value.values, parts.values, validate=validate))


def _by_row_ids(value, parts, validate):
    one_more = map_flat_values(lambda x: x + 1, parts)
    # The number of rows in each example.
    rows = public_function("maximum")(public_function("reduce_max")(one_more, axis=1), 0)
    before = public_function("cumsum")(rows, exclusive=True)
    ids = parts.values + _repeated(before, parts)
    inner = RaggedTensor.from_value_rowids(value.values, ids, validate=validate)
    return RaggedTensor.from_row_lengths(inner, rows, validate=validate)


_BATCHED = {
    _Splits: _by_splits,
    _Limits: _by_limits,
    _Starts: _by_starts,
    _Lengths: _by_lengths,
    _RowIds: _by_row_ids,
}

__all__ = ["build_ragged", "partitioned"]
