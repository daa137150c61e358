"""`tensorflow.python.ops.ragged.ragged_util`: row splits, and copies of ranges of rows."""

from __future__ import annotations

from tracefn.ops._build import convert
from tracefn.ops.debugging import check_equal
from tracefn.ops.indexing import gather
from tracefn.ops.ragged.broadcast import ranges, splits_of
from tracefn.ops.repeat import repeat

__all__ = ["assert_splits_match", "lengths_to_splits", "repeat", "repeat_ranges"]


def assert_splits_match(nested_splits_lists) -> list:
    """Checks that tensors have the same ragged partitions.

    Args:
      nested_splits_lists: list with the nested row splits of each tensor.

    Returns:
      list of assertions, for `tf.control_dependencies`.

    Raises:
      ValueError: the tensors have different ragged ranks.
    """
    first = nested_splits_lists[0]
    if any(len(splits) != len(first) for splits in nested_splits_lists):
        raise ValueError("Inputs must have identical ragged splits")
    text = "Inputs must have identical ragged splits"
    checks = [
        check_equal(first[at], splits[at], message=text) for splits in nested_splits_lists for at in range(len(first))
    ]
    return [check for check in checks if check is not None]


def lengths_to_splits(lengths):
    """The row splits of rows of given lengths, an int vector; they have one element more.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.ragged.ragged_util.lengths_to_splits(tf.constant([2, 0, 1])).numpy().tolist()
      [0, 2, 2, 3]
    """
    return splits_of(convert(lengths))


def repeat_ranges(params, splits, repeats):
    """Each range of rows several times.

    Args:
      params: tensor of rank at least 1.
      splits: int vector; range i are the rows splits[i] to splits[i + 1].
      repeats: int scalar, or a number for each range.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.ragged.ragged_util.repeat_ranges(["a", "b", "c"], [0, 2, 3], 2).numpy().tolist()
      [b'a', b'b', b'a', b'b', b'c', b'c']
    """
    splits, repeats = convert(splits), convert(repeats)
    starts, limits = (repeat(ends, repeats, axis=0) for ends in (splits[:-1], splits[1:]))
    return gather(params, ranges(starts, limits))
