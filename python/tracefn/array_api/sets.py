"""Distinct elements. They come in the order of their first occurrence; each NaN is an element of its own."""

from __future__ import annotations

from typing import Any, NamedTuple

from tracefn._namespaces import root
from tracefn.array_api.arguments import one, two

tf = root()


class unique_all_result(NamedTuple):
    """Distinct elements, the indices of their first occurrences, the index of each element's own, and how often each occurs."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class unique_counts_result(NamedTuple):
    """Distinct elements, and how often each occurs."""

    values: Any
    counts: Any


class unique_inverse_result(NamedTuple):
    """Distinct elements, and for each element of the array the index of its own."""

    values: Any
    inverse_indices: Any


def _distinct(name: str, x):
    """The elements as a vector, the first places of distinct ones, the index of each one's own, and counts."""
    x = one(name, x)
    flat = tf.reshape(x, [-1])
    count = tf.size(flat, out_type=tf.int64)
    if x.dtype.is_complex:
        keys = tf.stack([tf.math.real(flat), tf.math.imag(flat)], 1)
        # The places of pairs: by the places of their parts.
        parts = [_places(keys[:, i], count) for i in range(2)]
        places = _places(parts[0] * count + parts[1], count)
    else:
        places = _places(flat, count)
    _, inverse, counts = tf.unique_with_counts(places, out_idx=tf.int64)
    first, _ = tf.unique(places)
    return x, flat, first, inverse, counts


def _places(flat, count):
    """For each element the first place of an element that equals it; NaN equals nothing."""
    if flat.dtype.is_bool:
        flat = tf.cast(flat, tf.int8)
    _, ids = tf.unique(flat, out_idx=tf.int64)
    own = tf.range(count)
    first = tf.gather(tf.math.unsorted_segment_min(own, ids, count), ids)
    return tf.where(tf.math.is_nan(flat), own, first) if flat.dtype.is_floating else first


def unique_all(x, /):
    """Distinct elements, with all that is known of them.

    Args:
      x: array.

    Returns:
      Named tuple of `values`, `indices`, `inverse_indices` (in the shape of x) and `counts`; the last three int64.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.array_api.unique_all(tf.constant([5, 3, 5]))]
      [[5, 3], [0, 1], [0, 1, 0], [2, 1]]
    """
    x, flat, first, inverse, counts = _distinct("unique_all", x)
    return unique_all_result(tf.gather(flat, first), first, tf.reshape(inverse, tf.shape(x)), counts)


def unique_counts(x, /):
    """Distinct elements, and how often each occurs.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.array_api.unique_counts(tf.constant([5, 3, 5]))]
      [[5, 3], [2, 1]]
    """
    _, flat, first, _, counts = _distinct("unique_counts", x)
    return unique_counts_result(tf.gather(flat, first), counts)


def unique_inverse(x, /):
    """Distinct elements, and for each element of the array the index of its own.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.array_api.unique_inverse(tf.constant([5, 3, 5]))]
      [[5, 3], [0, 1, 0]]
    """
    x, flat, first, inverse, _ = _distinct("unique_inverse", x)
    return unique_inverse_result(tf.gather(flat, first), tf.reshape(inverse, tf.shape(x)))


def unique_values(x, /):
    """Distinct elements.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.unique_values(tf.constant([5, 3, 5])).numpy().tolist()
      [5, 3]
    """
    _, flat, first, _, _ = _distinct("unique_values", x)
    return tf.gather(flat, first)


def isin(x1, x2, /, *, invert=False):
    """Whether the elements of x1 are among those of x2.

    Args:
      x1, x2: arrays of integers, or one array and a number.
      invert: whether to answer the opposite.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.isin(tf.constant([1, 2]), tf.constant([2, 3])).numpy().tolist()
      [False, True]
    """
    x1, x2 = two("isin", x1, x2)
    found = tf.reduce_any(tf.equal(tf.expand_dims(x1, -1), tf.reshape(x2, [-1])), -1)
    return tf.logical_not(found) if invert else found
