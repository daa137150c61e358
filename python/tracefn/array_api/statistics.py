"""Reductions and running sums."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.array_api.arguments import ALL, NUMERIC, REAL, REAL_FLOATING, as_dtype, one
from tracefn.array_api.manipulation import check_axis
from tracefn.array_api.promotion import kind_of

tf = root()

_FLOATING = ("real floating", "complex floating")


def _accumulated(x, dtype):
    """An array in the dtype of its sums: `dtype`, or that of x, which for small integers is 32 bits wide."""
    if dtype is not None:
        return as_dtype(x, dtype)
    if x.dtype.is_integer and x.dtype.size < 4:
        return tf.cast(x, tf.uint32 if x.dtype.is_unsigned else tf.int32)
    return x


def _axes(name: str, x, axis):
    for place in () if axis is None else (axis,) if isinstance(axis, int) else axis:
        check_axis(name, place, x.shape.rank)
    return list(axis) if isinstance(axis, tuple) else axis


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """Sums along axes.

    Args:
      x: array of numbers.
      axis: int or tuple of ints; None: all.
      dtype: dtype in which to add; None: that of x, of integers of less than 32 bits int32 or uint32.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      A tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.sum(tf.constant([[1, 2], [3, 4]]), axis=0).numpy().tolist()
      [4, 6]
    """
    x = one("sum", x, NUMERIC)
    return tf.reduce_sum(_accumulated(x, dtype), _axes("sum", x, axis), keepdims)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """Products along axes. The arguments are those of `sum`.

    Example:
      >>> import tracefn as tf
      >>> int(tf.array_api.prod(tf.constant([2, 3])))
      6
    """
    x = one("prod", x, NUMERIC)
    return tf.reduce_prod(_accumulated(x, dtype), _axes("prod", x, axis), keepdims)


def max(x, /, *, axis=None, keepdims=False):
    """Greatest elements along axes.

    Args:
      x: array of real numbers, not empty.
      axis: int or tuple of ints; None: all.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      A tensor of x's dtype.

    Example:
      >>> import tracefn as tf
      >>> int(tf.array_api.max(tf.constant([1, 2])))
      2
    """
    x = one("max", x, REAL)
    return tf.reduce_max(x, _axes("max", x, axis), keepdims)


def min(x, /, *, axis=None, keepdims=False):
    """Least elements along axes. The arguments are those of `max`.

    Example:
      >>> import tracefn as tf
      >>> int(tf.array_api.min(tf.constant([1, 2])))
      1
    """
    x = one("min", x, REAL)
    return tf.reduce_min(x, _axes("min", x, axis), keepdims)


def mean(x, /, *, axis=None, keepdims=False):
    """Averages along axes.

    Args:
      x: array of floats or complex numbers.
      axis: int or tuple of ints; None: all.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      A tensor of x's dtype.

    Example:
      >>> import tracefn as tf
      >>> float(tf.array_api.mean(tf.constant([1.0, 2.0])))
      1.5
    """
    x = one("mean", x, _FLOATING)
    return tf.reduce_mean(x, _axes("mean", x, axis), keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """Variances along axes.

    Args:
      x: array of real floats.
      axis: int or tuple of ints; None: all.
      correction: number: the sum of squares is divided by the number of elements less this.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      A tensor of x's dtype.

    Example:
      >>> import tracefn as tf
      >>> float(tf.array_api.var(tf.constant([1.0, 3.0]), correction=1))
      2.0
    """
    x = one("var", x, REAL_FLOATING)
    axes = _axes("var", x, axis)
    squares = tf.square(x - tf.reduce_mean(x, axes, keepdims=True))
    sizes = tf.shape(x) if axis is None else tf.gather(tf.shape(x), tf.math.floormod(axes, tf.rank(x)))
    divisor = tf.cast(tf.reduce_prod(sizes), x.dtype) - tf.constant(correction, x.dtype)
    return tf.reduce_sum(squares, axes, keepdims) / divisor


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """Standard deviations along axes. The arguments are those of `var`.

    Example:
      >>> import tracefn as tf
      >>> float(tf.array_api.std(tf.constant([1.0, 3.0])))
      1.0
    """
    return tf.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def _truth(x):
    return x if x.dtype.is_bool else tf.not_equal(x, tf.zeros([], x.dtype))


def all(x, /, *, axis=None, keepdims=False):
    """Whether all elements along axes are true; numbers other than 0 are.

    Example:
      >>> import tracefn as tf
      >>> bool(tf.array_api.all(tf.constant([1, 0])))
      False
    """
    x = one("all", x, ALL)
    return tf.reduce_all(_truth(x), _axes("all", x, axis), keepdims)


def any(x, /, *, axis=None, keepdims=False):
    """Whether any element along axes is true; numbers other than 0 are.

    Example:
      >>> import tracefn as tf
      >>> bool(tf.array_api.any(tf.constant([1, 0])))
      True
    """
    x = one("any", x, ALL)
    return tf.reduce_any(_truth(x), _axes("any", x, axis), keepdims)


def _running(name: str, compute, first: int, x, axis, dtype, include_initial: bool):
    x = one(name, x, NUMERIC)
    if axis is None:
        if x.shape.rank not in (None, 1):
            raise ValueError(f"{name}: an axis is required for arrays that are no vectors")
        axis = 0
    check_axis(name, axis, x.shape.rank)
    result = compute(_accumulated(x, dtype), axis)
    if not include_initial:
        return result
    shape = tf.tensor_scatter_nd_update(tf.shape(x), [[tf.math.floormod(axis, tf.rank(x))]], [1])
    start = tf.fill(shape, tf.cast(first, result.dtype))
    return tf.concat([start, result], axis)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running sums along an axis.

    Args:
      x: array of numbers.
      axis: int; may be left out for a vector.
      dtype: dtype in which to add, see `sum`.
      include_initial: whether the sum of nothing comes first.

    Raises:
      ValueError: the axis is left out and x is no vector.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.cumulative_sum(tf.constant([1, 2, 3]), include_initial=True).numpy().tolist()
      [0, 1, 3, 6]
    """
    return _running("cumulative_sum", tf.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running products along an axis. The arguments are those of `cumulative_sum`.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.cumulative_prod(tf.constant([1, 2, 3])).numpy().tolist()
      [1, 2, 6]
    """
    return _running("cumulative_prod", tf.math.cumprod, 1, x, axis, dtype, include_initial)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """Differences of neighbours along an axis, n times over.

    Args:
      x: array of numbers.
      axis: int.
      n: int, how often.
      prepend, append: arrays of x's dtype, put before and behind it along the axis; None: nothing.

    Raises:
      ValueError: n is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.diff(tf.constant([1, 2, 4])).numpy().tolist()
      [1, 2]
    """
    x = one("diff", x, NUMERIC)
    check_axis("diff", axis, x.shape.rank)
    if n < 0:
        raise ValueError(f"n must be non-negative, got {n}")
    parts = [one("diff", part, (kind_of(x.dtype),)) for part in (prepend, x, append) if part is not None]
    if len(parts) > 1:
        x = tf.array_api.concat(parts, axis=axis)
    for _ in range(n):
        places = tf.range(1, tf.shape(x)[axis])
        x = tf.gather(x, places, axis=axis) - tf.gather(x, places - 1, axis=axis)
    return x
