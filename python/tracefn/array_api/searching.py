"""Places of elements, selection, and order."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.array_api.arguments import INTEGER, REAL, as_dtype, check_kind, one
from tracefn.array_api.manipulation import check_axis
from tracefn.array_api.promotion import of_number, promote, result_type
from tracefn.experimental.numpy import indexing

tf = root()


def _extreme_place(name: str, compute, x, axis, keepdims):
    x = one(name, x, REAL)
    if axis is not None:
        check_axis(name, axis, x.shape.rank)
    if x.dtype == tf.uint64:
        # Not a dtype of the op: with the highest bit flipped, signed numbers are in the same order.
        x = tf.bitcast(tf.bitwise.bitwise_xor(x, tf.constant(2**63, tf.uint64)), tf.int64)
    result = compute(tf.reshape(x, [-1]) if axis is None else x, 0 if axis is None else axis)
    if not keepdims:
        return result
    if axis is not None:
        return tf.expand_dims(result, axis)
    return tf.reshape(result, tf.ones([tf.rank(x) if x.shape.rank is None else x.shape.rank], tf.int32))


def argmax(x, /, *, axis=None, keepdims=False):
    """Indices of the greatest elements: int64.

    Args:
      x: array of real numbers.
      axis: int; None: the index in the elements as a vector.
      keepdims: whether reduced axes stay, with size 1.

    Example:
      >>> import tracefn as tf
      >>> int(tf.array_api.argmax(tf.constant([2, 3, 1])))
      1
    """
    return _extreme_place("argmax", tf.argmax, x, axis, keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """Indices of the least elements: int64. The arguments are those of `argmax`.

    Example:
      >>> import tracefn as tf
      >>> int(tf.array_api.argmin(tf.constant([2, 3, 1])))
      2
    """
    return _extreme_place("argmin", tf.argmin, x, axis, keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many elements are not 0: int64.

    Args:
      x: array.
      axis: int or tuple of ints; None: all.
      keepdims: whether reduced axes stay, with size 1.

    Example:
      >>> import tracefn as tf
      >>> int(tf.array_api.count_nonzero(tf.constant([1, 0])))
      1
    """
    return tf.math.count_nonzero(one("count_nonzero", x), axis, keepdims=keepdims)


def nonzero(x, /):
    """Indices of the elements that are not 0: a tuple with a vector for each axis.

    Raises:
      ValueError: the array is a scalar, or its rank is unknown.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.array_api.nonzero(tf.constant([[0, 5], [6, 0]]))]
      [[0, 1], [1, 0]]
    """
    x = one("nonzero", x)
    if not x.shape.rank:
        raise ValueError("nonzero takes arrays of known rank, 1 at least")
    return tuple(tf.unstack(tf.where(tf.cast(x, tf.bool)), x.shape.rank, axis=1))


def where(condition, x1, x2, /):
    """Elements of x1 where a condition is true, else of x2.

    Args:
      condition: boolean array.
      x1, x2: arrays or Python numbers of shapes that broadcast; they get their promoted dtype.

    Raises:
      TypeError: the condition is not boolean, or there is no promotion.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.where(tf.constant([True, False]), tf.constant(1), 2).numpy().tolist()
      [1, 2]
    """
    condition = one("where", condition, ("bool",))
    if not any(isinstance(x, (tf.Tensor, tf.Variable)) for x in (x1, x2)):
        numbers = tf.array_api.asarray([x1, x2])
        return tf.where(condition, numbers[0], numbers[1])
    dtype = result_type(x1, x2)
    return tf.where(condition, as_dtype(x1, dtype), as_dtype(x2, dtype))


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Indices at which elements would be put into a sorted vector: int64.

    Args:
      x1: vector of real numbers, in ascending order (by `sorter`).
      x2: array of real numbers, or a number.
      side: "left": before equal elements, "right": behind them.
      sorter: vector of indices that sort x1.

    Raises:
      ValueError: another side.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.searchsorted(tf.constant([1, 2, 3]), tf.constant([2, 9])).numpy().tolist()
      [1, 3]
    """
    x1 = one("searchsorted", x1, REAL)
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', got {side!r}")
    if sorter is not None:
        x1 = tf.gather(x1, one("searchsorted", sorter, INTEGER))
    if isinstance(x2, tf.Tensor):
        check_kind("searchsorted", x2, REAL)
        dtype = promote(x1.dtype, x2.dtype)
    else:
        dtype = of_number(x2, x1.dtype)
    x1, x2 = as_dtype(x1, dtype), as_dtype(x2, dtype)
    found = tf.searchsorted(x1, tf.reshape(x2, [-1]), side=side, out_type=tf.int64)
    return tf.reshape(found, tf.shape(x2))


def take(x, indices, /, *, axis=None):
    """Elements at indices along an axis.

    Args:
      x: array.
      indices: array of integers; negative ones count from the end.
      axis: int; may be left out for a vector.

    Raises:
      ValueError: the axis is left out and x is no vector.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.take(tf.constant([1, 2, 3]), tf.constant([-1, 0])).numpy().tolist()
      [3, 1]
    """
    x, indices = one("take", x), _index(one("take", indices, INTEGER))
    if axis is None:
        if x.shape.rank not in (None, 1):
            raise ValueError("take: an axis is required for arrays that are no vectors")
        axis = 0
    check_axis("take", axis, x.shape.rank)
    size = tf.shape(x, out_type=tf.int64)[axis]
    return tf.gather(x, tf.where(indices < 0, indices + size, indices), axis=axis)


def _index(indices):
    return tf.cast(indices, tf.int64)


def take_along_axis(x, indices, /, *, axis=-1):
    """Elements at indices along an axis; for the others, those of the index itself.

    Args:
      x: array.
      indices: array of integers, of the same rank; the shapes broadcast but for the axis.
      axis: int.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.take_along_axis(tf.constant([[1, 2], [3, 4]]), tf.constant([[0], [1]])).numpy().tolist()
      [[1], [4]]
    """
    x = one("take_along_axis", x)
    check_axis("take_along_axis", axis, x.shape.rank)
    return indexing.take_along_axis(x, _index(one("take_along_axis", indices, INTEGER)), axis)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """Indices that sort an array along an axis: int64. Equal elements keep their order.

    Args:
      x: array of real numbers of known rank.
      axis: int.
      descending: whether the greatest elements come first.
      stable: whether equal elements must keep their order; they do in any case.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.argsort(tf.constant([2, 3, 1])).numpy().tolist()
      [2, 0, 1]
    """
    x = one("argsort", x, REAL)
    check_axis("argsort", axis, x.shape.rank)
    if not descending:
        return tf.cast(tf.argsort(x, axis, stable=stable), tf.int64)
    # Turned around before and after, equal elements keep their order.
    last = tf.shape(x, out_type=tf.int64)[axis] - 1
    reversed_axis = [axis if axis >= 0 else axis + x.shape.rank]
    places = tf.cast(tf.argsort(tf.reverse(x, reversed_axis), axis, stable=True), tf.int64)
    return last - tf.reverse(places, reversed_axis)


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """The elements in order along an axis. The arguments are those of `argsort`.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.sort(tf.constant([2, 3, 1]), descending=True).numpy().tolist()
      [3, 2, 1]
    """
    x = one("sort", x, REAL)
    check_axis("sort", axis, x.shape.rank)
    result = tf.sort(x, axis)
    return tf.reverse(result, [axis if axis >= 0 else axis + x.shape.rank]) if descending else result


