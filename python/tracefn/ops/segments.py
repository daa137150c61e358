"""Segment means, computed from sums; segments of picked rows."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import convert, ints, name_scope, op
from tracefn.ops.array_creation import ones
from tracefn.ops.casting import cast


def _per_row(values, inner):
    """A vector with `inner` further dimensions of size 1, so that it broadcasts with rows."""
    others = ints([1] * inner) if isinstance(inner, int) else op("Fill")(dims=op("Pack")(values=[inner]), value=1)
    return op("Reshape")(tensor=values, shape=op("ConcatV2")(values=[[-1], others], axis=0))


def _further_dimensions(data, ids):
    """How many dimensions a row of a segment has: an int if the ranks are known, else a tensor."""
    if data.shape.rank is None or ids.shape.rank is None:
        return op("Rank")(input=data) - op("Rank")(input=ids)
    return data.shape.rank - ids.shape.rank


def _sums(data, segment_ids, num_segments):
    """(sums of the rows of each segment, their counts, at least 1)."""
    data = convert(data, name="data")
    ids = convert(segment_ids, name="segment_ids")
    segments = {"segment_ids": ids, "num_segments": convert(num_segments)}
    count = op("UnsortedSegmentSum")(data=ones(op("Shape")(input=ids), data.dtype), **segments)
    count = op("Maximum")(x=_per_row(count, _further_dimensions(data, ids)), y=1)
    return op("UnsortedSegmentSum")(data=data, **segments), count


@export("math.unsorted_segment_mean")
def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    """Row i of the result is the mean of the rows of `data` with segment id i. Negative ids are dropped.

    Args:
      data: tensor of numbers.
      segment_ids: integer tensor whose shape is a prefix of data's.
      num_segments: int, the number of rows of the result.
      name: name of the ops.

    Returns:
      Tensor with `num_segments` rows; zeros where an id does not occur. Of data's dtype; means of integers are float32
      (of 8 and 16 bits) or float64.

    Raises:
      InvalidArgumentError: an id is `num_segments` or more.

    Example:
      >>> import tracefn as tf
      >>> tf.math.unsorted_segment_mean([1.0, 2.0, 3.0], [0, 1, 0], 2).numpy().tolist()
      [2.0, 2.0]
    """
    with name_scope(name or "UnsortedSegmentMean"):
        total, count = _sums(data, segment_ids, num_segments)
        return total / count


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
        return total / op("Sqrt")(x=cast(count, total.dtype))


def _picked(kind: str, data, indices, segment_ids, num_segments, sparse_gradient, name):
    inputs = {"data": data, "indices": indices, "segment_ids": segment_ids, "sparse_gradient": sparse_gradient}
    if num_segments is None:
        return op(kind)(**inputs, name=name)
    return op(kind + "WithNumSegments")(**inputs, num_segments=num_segments, name=name)


@export("sparse.segment_sum")
def sparse_segment_sum(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
    """Row i of the result is the sum of those rows of `data` that `indices` picks for segment id i.

    Args:
      data: tensor of real numbers, of rank at least 1.
      indices: integer vector: the row of `data` that is picked.
      segment_ids: sorted integer vector of the same length: the row of the result to which it is added.
      num_segments: int, the number of rows of the result; None: one more than the last id.
      name: name of the node.
      sparse_gradient: whether the gradient is `tf.IndexedSlices`.

    Returns:
      Tensor of data's dtype; zeros for ids that do not occur.

    Raises:
      InvalidArgumentError: the ids are not sorted or not less than `num_segments`, or an index is out of range.

    Example:
      >>> import tracefn as tf
      >>> tf.sparse.segment_sum([1.0, 2.0, 4.0], [0, 2, 1], [0, 0, 1]).numpy().tolist()
      [5.0, 2.0]
    """
    return _picked("SparseSegmentSum", data, indices, segment_ids, num_segments, sparse_gradient, name)


@export("sparse.segment_mean")
def sparse_segment_mean(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
    """Like `tf.sparse.segment_sum`, but divides by the number of rows. `data` is floating.

    Arguments, result and errors are those of `tf.sparse.segment_sum`.

    Example:
      >>> import tracefn as tf
      >>> tf.sparse.segment_mean([1.0, 2.0, 4.0], [0, 2, 1], [0, 0, 1]).numpy().tolist()
      [2.5, 2.0]
    """
    return _picked("SparseSegmentMean", data, indices, segment_ids, num_segments, sparse_gradient, name)


@export("sparse.segment_sqrt_n")
def sparse_segment_sqrt_n(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
    """Like `tf.sparse.segment_sum`, but divides by the square root of the number of rows. `data` is floating.

    Arguments, result and errors are those of `tf.sparse.segment_sum`.

    Example:
      >>> import tracefn as tf
      >>> tf.sparse.segment_sqrt_n([1.0, 1.0, 1.0, 5.0], [0, 1, 2, 3], [0, 0, 0, 0]).numpy().tolist()
      [4.0]
    """
    return _picked("SparseSegmentSqrtN", data, indices, segment_ids, num_segments, sparse_gradient, name)
