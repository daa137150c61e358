"""Reductions and segment functions of ragged tensors."""

from __future__ import annotations

from tracefn import _core
from tracefn._static_value import get_static_value
from tracefn.framework import control_dependencies
from tracefn.ops._build import constant, name_scope, op
from tracefn.ops.array_creation import ones_like
from tracefn.ops.array_shape import expand_dims
from tracefn.ops.by_path import public_function
from tracefn.ops.debugging import check_equal
from tracefn.ops.ragged.broadcast import match_dtypes, ranges, splits_of
from tracefn.ops.ragged.elementwise import map_flat_values
from tracefn.ops.ragged.row_partition import rowids_of_splits
from tracefn.ops.ragged.tensor import RaggedTensor, convert_values, is_ragged, positive_axis


def _segments(function, data, segment_ids, num_segments, **options):
    """function(data, segment_ids, num_segments) where data, and perhaps the ids, are ragged."""
    if not (is_ragged(data) or is_ragged(segment_ids)):
        return function(data, segment_ids, num_segments, **options)
    data, segment_ids = convert_values(data, "data"), convert_values(segment_ids, "segment_ids")
    match_dtypes(data, segment_ids)
    if segment_ids.dtype.name not in ("int32", "int64"):
        raise ValueError("segment_ids must have dtype int32 or int64.")
    if is_ragged(segment_ids):
        if not is_ragged(data):
            raise ValueError("segment_ids.shape must be a prefix of data.shape, but segment_ids is ragged and data is not.")
        check = check_equal(segment_ids.row_splits, data.row_splits,
                            message="segment_ids.shape must be a prefix of data.shape")
        with control_dependencies([] if check is None else [check]):
            return _segments(function, data.values, segment_ids.values, num_segments, **options)
    lengths = data.row_lengths()
    # A row of the result is as long as the longest row of its segment.
    longest = op("UnsortedSegmentMax")(data=lengths, segment_ids=segment_ids, num_segments=num_segments)
    splits = splits_of(op("Maximum")(x=longest, y=constant(0, longest.dtype)))
    starts = op("GatherV2")(params=splits, indices=segment_ids, axis=0)
    places = ranges(starts, starts + lengths)
    values = _segments(function, data.values, places, splits[-1], **options)
    return RaggedTensor.from_row_splits(values, splits, validate=False)


def _segment_function(path: str, scope: str):
    def segment(data, segment_ids, num_segments, name=None):
        with name_scope(name or scope):
            return _segments(public_function(path), data, segment_ids, num_segments)

    return segment


segment_sum = _segment_function("math.unsorted_segment_sum", "RaggedSegmentSum")
segment_prod = _segment_function("math.unsorted_segment_prod", "RaggedSegmentProd")
segment_min = _segment_function("math.unsorted_segment_min", "RaggedSegmentMin")
segment_max = _segment_function("math.unsorted_segment_max", "RaggedSegmentMax")


def _ones(rt):
    return rt.with_flat_values(ones_like(rt.flat_values)) if is_ragged(rt) else ones_like(rt)


def _ratio(total, count):
    if is_ragged(total):
        return total.with_flat_values(total.flat_values / count.flat_values)
    return total / count


def segment_mean(data, segment_ids, num_segments, name=None):
    """The means of segments: their sums divided by the numbers of values."""
    with name_scope(name or "RaggedSegmentMean"):
        count = segment_sum(_ones(data), segment_ids, num_segments)
        return _ratio(segment_sum(data, segment_ids, num_segments), count)


def segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """The sums of segments divided by the square roots of the numbers of values."""
    with name_scope(name or "RaggedSegmentSqrtN"):
        count = segment_sum(_ones(data), segment_ids, num_segments)
        root = count.with_flat_values(op("Sqrt")(x=count.flat_values)) if is_ragged(count) else op("Sqrt")(x=count)
        return _ratio(segment_sum(data, segment_ids, num_segments), root)


def reduce_aggregate(reduce, segments, rt, axis, keepdims, name=None, **options):
    """A reduction, `reduce`, of a ragged tensor, by the segment function that does the same to segments."""
    if not is_ragged(rt):
        return reduce(rt, axis, keepdims=keepdims, name=name, **options)
    if isinstance(axis, _core.Tensor):
        axis = get_static_value(axis)
        if axis is None:
            raise ValueError("axis must be known at graph construction time.")
        axis = axis.tolist()
    if axis is None:
        result = reduce(rt.flat_values, None, keepdims=keepdims, name=name, **options)
        for _ in range(rt.shape.rank - 1 if keepdims else 0):
            result = expand_dims(result, axis=0)
        return result
    with name_scope(name or "RaggedReduce"):
        rank = rt.shape.rank
        if isinstance(axis, (list, tuple)):
            if not axis:
                return rt
            if len(axis) > 1:
                axes = sorted(positive_axis(a, rank, f"axis[{i}]", "rank(input_tensor)") for i, a in enumerate(axis))
                inner = reduce_aggregate(reduce, segments, rt, axes[-1], keepdims, **options)
                return reduce_aggregate(reduce, segments, inner, axes[:-1], keepdims, **options)
            (axis,) = axis
        axis = positive_axis(axis, rank, ndims_name="rank(input_tensor)")
        if axis > 1:
            return rt.with_values(reduce_aggregate(reduce, segments, rt.values, axis - 1, keepdims, **options))
        if axis == 0:
            lengths = rt.row_lengths()
            count = op("Maximum")(x=op("Max")(input=lengths, reduction_indices=0), y=constant(0, lengths.dtype))
            ids = ranges(op("ZerosLike")(x=lengths), lengths)
        else:
            count, ids = rt.nrows(), rowids_of_splits(rt.row_splits)
        result = _segments(segments, rt.values, ids, count, **options)
        return expand_dims(result, axis=axis) if keepdims else result


def _reduction(path: str, segments: str, scope: str):
    def reduction(input_tensor, axis=None, keepdims=None, name=None):
        return reduce_aggregate(public_function(path), public_function(segments), input_tensor, axis, bool(keepdims), name or scope)

    return reduction


reduce_sum = _reduction("math.reduce_sum", "math.unsorted_segment_sum", "RaggedReduceSum")
reduce_prod = _reduction("math.reduce_prod", "math.unsorted_segment_prod", "RaggedReduceProd")
reduce_min = _reduction("math.reduce_min", "math.unsorted_segment_min", "RaggedReduceMin")
reduce_max = _reduction("math.reduce_max", "math.unsorted_segment_max", "RaggedReduceMax")


def reduce_mean(input_tensor, axis=None, keepdims=None, name=None):
    """The means over dimensions: sums divided by the numbers of values; NaN for empty rows."""
    with name_scope(name or "RaggedReduceMean"):
        total = reduce_sum(input_tensor, axis, keepdims)
        return _ratio(total, reduce_sum(_ones(input_tensor), axis, keepdims))


def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    """The mean of squares minus the square of the mean."""
    with name_scope(name or "RaggedReduceVariance"):
        if input_tensor.dtype.is_complex:
            raise ValueError("reduce_variance is not supported for RaggedTensors with complex dtypes.")
        square = public_function("math.square")
        spread = reduce_mean(square(input_tensor), axis, keepdims) - square(reduce_mean(input_tensor, axis, keepdims))
        return public_function("math.maximum")(spread, 0)  # not below 0 by rounding


def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    """The square root of the variance."""
    with name_scope(name or "RaggedReduceStd"):
        return public_function("math.sqrt")(reduce_variance(input_tensor, axis, keepdims))


def _as_bools(reduction, input_tensor, axis, keepdims):
    cast = public_function("cast")
    return cast(reduction(cast(input_tensor, "int32"), axis, keepdims), "bool")


def reduce_all(input_tensor, axis=None, keepdims=None, name=None):
    """The logical AND over dimensions."""
    with name_scope(name or "RaggedReduceAll"):
        return _as_bools(reduce_prod, input_tensor, axis, keepdims)


def reduce_any(input_tensor, axis=None, keepdims=None, name=None):
    """The logical OR over dimensions."""
    with name_scope(name or "RaggedReduceAny"):
        return _as_bools(reduce_sum, input_tensor, axis, keepdims)


def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None):
    """The logarithm of the sum of exponentials over dimensions."""
    with name_scope(name or "ReduceLogSumExp"):
        most = public_function("stop_gradient")(public_function("math.reduce_max")(input_tensor, axis, True))
        zero = public_function("zeros_like")(most)
        most = public_function("where")(public_function("math.is_finite")(most), most, zero)
        sums = public_function("math.reduce_sum")(public_function("math.exp")(input_tensor - most), axis, keepdims)
        if not keepdims:
            most = public_function("math.reduce_sum")(most, axis)
        return public_function("math.log")(sums) + most


def softmax(logits, axis=None, name=None):
    """exp(x) over its sum along an axis, the last one by default."""
    axis = -1 if axis is None else axis
    with name_scope(name or "RaggedSoftmax"):
        exp = public_function("math.exp")(logits - reduce_max(logits, axis, True))
        return exp / reduce_sum(exp, axis, True)


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """Cumulative sums along an axis."""
    dense = public_function("math.cumsum")
    with name_scope(name or "RaggedCumSum"):
        axis = positive_axis(axis, x.shape.rank, ndims_name="rank")
        depth = x.ragged_rank
        if axis > depth:
            return x.with_flat_values(dense(x.flat_values, axis - depth, exclusive=exclusive, reverse=reverse))
        if axis < depth:
            sums = dense(x.to_tensor(), axis, exclusive=exclusive, reverse=reverse)
            return RaggedTensor.from_tensor(sums, lengths=x.nested_row_lengths())
        partition, values = x._nested_row_partitions[-1], x.flat_values
        # Sums of all values, without those of the rows before, or behind.
        sums = dense(values, exclusive=True, reverse=reverse)
        rows = partition.value_rowids()
        first = partition.row_splits() if not reverse else partition.row_splits()[1:] - 1
        sums = sums - op("GatherV2")(params=sums, indices=op("GatherV2")(params=first, indices=rows, axis=0), axis=0)
        return x.with_flat_values(sums if exclusive else sums + values)


def add_n(inputs, name=None):
    """The sum of tensors with equal row partitions."""
    with name_scope(name or "RaggedAddN"):
        return map_flat_values(public_function("math.add_n"), inputs)
