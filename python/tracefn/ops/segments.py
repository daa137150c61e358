"""Segment means, computed from sums."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.casting import cast


def _per_row(values, rows):
    """A vector with further dimensions of size 1, so that it broadcasts with rows of that rank."""
    return op("Reshape")(tensor=values, shape=convert([-1] + [1] * (rows.shape.rank - 1)))


def _sums(data, segment_ids, num_segments):
    """(sums of the rows of each segment, their counts, at least 1)."""
    data = convert(data, name="data")
    ids = convert(segment_ids, name="segment_ids")
    ones = op("Fill")(dims=op("Shape")(input=ids), value=convert(1, dtype=data.dtype))
    if num_segments is None:
        total, count = (op("SegmentSum")(data=t, segment_ids=ids) for t in (data, ones))
    else:
        total, count = (
            op("UnsortedSegmentSum")(data=t, segment_ids=ids, num_segments=num_segments) for t in (data, ones)
        )
    count = op("Maximum")(x=count, y=convert(1, dtype=data.dtype))
    return total, _per_row(count, total)


@export("math.segment_mean")
def segment_mean(data, segment_ids, name=None):
    """Row i of the result is the mean of the rows of `data` with segment id i. The ids must be sorted.

    Args:
      data: tensor of numbers, of rank at least 1.
      segment_ids: sorted integer vector, one id for each row.
      name: name of the ops.

    Returns:
      Tensor with a row for each id up to the last; zeros where an id does not occur.

    Raises:
      InvalidArgumentError: the ids are not sorted, or one is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.math.segment_mean([1.0, 3.0, 5.0], [0, 0, 1]).numpy().tolist()
      [2.0, 5.0]
    """
    with name_scope(name or "SegmentMean"):
        total, count = _sums(data, segment_ids, None)
        return op("RealDiv")(x=total, y=count) if total.dtype.is_floating else total // count


@export("math.unsorted_segment_mean")
def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    """Row i of the result is the mean of the rows of `data` with segment id i. Negative ids are dropped.

    Args:
      data: floating or complex tensor.
      segment_ids: integer tensor whose shape is a prefix of data's.
      num_segments: int, the number of rows of the result.
      name: name of the ops.

    Returns:
      Tensor with `num_segments` rows; zeros where an id does not occur.

    Raises:
      InvalidArgumentError: an id is `num_segments` or more.

    Example:
      >>> import tracefn as tf
      >>> tf.math.unsorted_segment_mean([1.0, 2.0, 3.0], [0, 1, 0], 2).numpy().tolist()
      [2.0, 2.0]
    """
    with name_scope(name or "UnsortedSegmentMean"):
        total, count = _sums(data, segment_ids, num_segments)
        return op("RealDiv")(x=total, y=count)


@export("math.unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """Like `tf.math.unsorted_segment_mean`, but divides by the square root of the number of rows.

    Arguments, result and errors are those of `tf.math.unsorted_segment_mean`.

    Example:
      >>> import tracefn as tf
      >>> tf.math.unsorted_segment_sqrt_n([1.0, 2.0, 3.0, 4.0, 5.0], [0, 0, 0, 0, 1], 2).numpy().tolist()
      [5.0, 5.0]
    """
    with name_scope(name or "UnsortedSegmentSqrtN"):
        total, count = _sums(data, segment_ids, num_segments)
        return op("RealDiv")(x=total, y=op("Sqrt")(x=cast(count, total.dtype)))
