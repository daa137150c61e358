"""Reductions: sums, products, extremes, averages; and running sums."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.experimental.numpy.arrays import choose, fractional, is_inexact, rank_of, tensor
from tracefn.experimental.numpy.creation import asarray
from tracefn.experimental.numpy.dtype_rules import inferred_float, inferred_integer, numpy_result_type, result_type

tf = root()


def _given(dtype):
    return None if dtype is None else result_type(dtype)


def _wide(a):
    """Integers and booleans as the widest integers of their kind, which is what NumPy adds them in."""
    if not (a.dtype.is_integer or a.dtype.is_bool):
        return a
    wide = inferred_integer(a.dtype.is_unsigned)
    return tf.cast(a, wide) if a.dtype.is_bool or a.dtype.size < wide.size else a


def _axis(axis):
    """An axis as the ops take it: int32 and int64 tensors, ints, sequences."""
    if isinstance(axis, tf.Tensor) and axis.dtype not in (tf.int32, tf.int64):
        return tf.cast(axis, tf.int64)
    return axis


def _refuse(out) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported.")


def _summed(compute, of_bools, a, axis, dtype, keepdims):
    dtype = _given(dtype)
    a = tensor(a, dtype)
    if dtype == tf.bool:
        return of_bools(a, _axis(axis), bool(keepdims))
    return compute(a if dtype is not None else _wide(a), _axis(axis), bool(keepdims))


def sum(a, axis=None, dtype=None, keepdims=None):
    """Sums along axes.

    Args:
      a: array.
      axis: int or sequence of ints; None: all.
      dtype: dtype in which to add; None: that of `a`, of integers and booleans the widest integer of their kind.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      A tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], 0).numpy().tolist()
      [4, 6]
    """
    return _summed(tf.reduce_sum, tf.reduce_any, a, axis, dtype, keepdims)


def prod(a, axis=None, dtype=None, keepdims=None):
    """Products along axes; the arguments are those of `sum`.

    Example:
      >>> import tracefn as tf
      >>> int(tf.experimental.numpy.prod([2, 3]))
      6
    """
    return _summed(tf.reduce_prod, tf.reduce_all, a, axis, dtype, keepdims)


def mean(a, axis=None, dtype=None, out=None, keepdims=None):
    """Averages along axes.

    Args:
      a, axis, keepdims: see `sum`.
      dtype: dtype in which to average; None: that of `a`, of integers and booleans the default float.
      out: refused.

    Raises:
      ValueError: `out` is given.

    Example:
      >>> import tracefn as tf
      >>> float(tf.experimental.numpy.mean([1, 2]))
      1.5
    """
    _refuse(out)
    a = fractional(a) if dtype is None else asarray(a, dtype)
    return tf.reduce_mean(a, _axis(axis), bool(keepdims))


def _extreme(compute, of_bools, a, axis, keepdims):
    a = tensor(a)
    return (of_bools if a.dtype.is_bool else compute)(a, _axis(axis), bool(keepdims))


def amax(a, axis=None, out=None, keepdims=None):
    """Greatest elements along axes.

    Args:
      a, axis, keepdims: see `sum`.
      out: refused.

    Raises:
      ValueError: `out` is given.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.amax([[1, 2], [3, 4]], 1).numpy().tolist()
      [2, 4]
    """
    _refuse(out)
    return _extreme(tf.reduce_max, tf.reduce_any, a, axis, keepdims)


def amin(a, axis=None, out=None, keepdims=None):
    """Least elements along axes; the arguments are those of `amax`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.amin([[1, 2], [3, 4]], 1).numpy().tolist()
      [1, 3]
    """
    _refuse(out)
    return _extreme(tf.reduce_min, tf.reduce_all, a, axis, keepdims)


def max(a, axis=None, keepdims=None):
    """Greatest elements along axes, see `amax`.

    Example:
      >>> import tracefn as tf
      >>> int(tf.experimental.numpy.max([1, 2]))
      2
    """
    return amax(a, axis, keepdims=keepdims)


def min(a, axis=None, keepdims=None):
    """Least elements along axes, see `amin`.

    Example:
      >>> import tracefn as tf
      >>> int(tf.experimental.numpy.min([1, 2]))
      1
    """
    return amin(a, axis, keepdims=keepdims)


def ptp(a, axis=None, keepdims=None):
    """Greatest minus least elements along axes.

    Example:
      >>> import tracefn as tf
      >>> int(tf.experimental.numpy.ptp([1, 4]))
      3
    """
    return tf.subtract(amax(a, axis, keepdims=keepdims), amin(a, axis, keepdims=keepdims))


def all(a, axis=None, keepdims=None):
    """Whether all elements along axes are true; numbers other than 0 are.

    Example:
      >>> import tracefn as tf
      >>> bool(tf.experimental.numpy.all([1, 0]))
      False
    """
    return tf.reduce_all(tensor(a, tf.bool), _axis(axis), bool(keepdims))


def any(a, axis=None, keepdims=None):
    """Whether any element along axes is true; numbers other than 0 are.

    Example:
      >>> import tracefn as tf
      >>> bool(tf.experimental.numpy.any([1, 0]))
      True
    """
    return tf.reduce_any(tensor(a, tf.bool), _axis(axis), bool(keepdims))


def _count(a, axis):
    """The number of elements that a reduction takes in, an int or a scalar."""
    if axis is None:
        return tf.size(a)
    return tf.reduce_prod(tf.gather(tf.shape(a), tf.math.floormod(axis, rank_of(a))))


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=None):
    """Variances along axes.

    Args:
      a, axis, keepdims: see `sum`.
      dtype: dtype of the result, one that TensorFlow knows (`float` is float32); None: that of `a`, of integers and
        booleans the default float.
      out: refused.
      ddof: int: the sum of squares is divided by the number of elements less this.

    Raises:
      ValueError: `out` is given.

    Example:
      >>> import tracefn as tf
      >>> float(tf.experimental.numpy.var([1.0, 3.0], ddof=1))
      2.0
    """
    _refuse(out)
    work = None if dtype is None else result_type(a, dtype)
    a = tensor(a, work) if work is not None and (work.is_floating or work.is_complex) else fractional(tensor(a, work))
    axis = _axis(axis)
    if ddof == 0:
        result = tf.math.reduce_variance(a, axis, bool(keepdims))
    else:
        centered = a - tf.reduce_mean(a, axis, keepdims=True)
        squares = tf.math.real(centered * tf.math.conj(centered)) if a.dtype.is_complex else tf.square(centered)
        count = tf.cast(_count(a, axis) - ddof, squares.dtype)
        result = tf.reduce_sum(squares, axis, bool(keepdims)) / count
    return result if dtype is None else tf.cast(result, dtype)


def std(a, axis=None, keepdims=None):
    """Standard deviations along axes; the arguments are those of `sum`.

    Example:
      >>> import tracefn as tf
      >>> float(tf.experimental.numpy.std([1.0, 3.0]))
      1.0
    """
    return tf.math.reduce_std(fractional(a), _axis(axis), bool(keepdims))


def average(a, axis=None, weights=None, returned=False):
    """Averages along an axis, with weights.

    Args:
      a: array.
      axis: int; None: all.
      weights: array of the shape of `a`, or a vector for the axis; None: equal ones.
      returned: whether to return (averages, sums of weights).

    Raises:
      ValueError: the axis is no int.
      InvalidArgumentError: the shape of `weights` does not fit.

    Example:
      >>> import tracefn as tf
      >>> float(tf.experimental.numpy.average([1, 2], weights=[1, 3]))
      1.75
    """
    if axis is not None and not isinstance(axis, int):
        raise ValueError(f"Argument `axis` must be an integer. Received axis={axis} (of type {type(axis)})")
    a = tensor(a)
    if weights is None:
        a = a if is_inexact(a) else tf.cast(a, result_type(a.dtype, inferred_float()))
        result = tf.reduce_mean(a, axis)
        if returned:
            total = tf.cast(tf.size(a) if axis is None else tf.shape(a)[axis], a.dtype)
    else:
        dtype = result_type(*[a, weights] if is_inexact(a) else [a, weights, inferred_float()])
        a, weights = tensor(a, dtype), tensor(weights, dtype)

        def of_same_rank():
            same = tf.debugging.assert_equal(tf.shape(a), tf.shape(weights))
            with tf.control_dependencies([] if same is None else [same]):
                total = tf.reduce_sum(weights, axis)
            return tf.reduce_sum(a * weights, axis) / total, total

        def of_vector():
            total = tf.reduce_sum(weights)
            return tf.tensordot(a, weights, [[axis], [0]]) / total, total

        if axis is None:
            result, total = of_same_rank()
        else:
            ranks = a.shape.rank, weights.shape.rank
            if None not in ranks and ranks[0] != ranks[1]:
                tf.Assert(ranks[1] == 1, [ranks[1]])
            result, total = choose(tf.equal(rank_of(a), rank_of(weights)), of_same_rank, of_vector)
    return (result, tf.broadcast_to(total, tf.shape(result))) if returned else result


def count_nonzero(a, axis=None):
    """How many elements along axes are not 0: int64.

    Example:
      >>> import tracefn as tf
      >>> int(tf.experimental.numpy.count_nonzero([1, 0]))
      1
    """
    return tf.math.count_nonzero(tensor(a), _axis(axis))


def _running(compute, a, axis, dtype):
    a = asarray(a, dtype)
    if dtype is None and a.dtype.is_integer:
        a = tensor(a, numpy_result_type(a, inferred_integer(False)))
    if axis is None:
        a, axis = tf.reshape(a, [-1]), 0
    return compute(a, axis)


def cumsum(a, axis=None, dtype=None):
    """Running sums along an axis, of the elements as a vector if it is None.

    Args:
      a: array.
      axis: int.
      dtype: dtype in which to add; None: that of `a`, of integers int64 at least.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.cumsum([1, 2, 3]).numpy().tolist()
      [1, 3, 6]
    """
    return _running(tf.cumsum, a, axis, dtype)


def cumprod(a, axis=None, dtype=None):
    """Running products; the arguments are those of `cumsum`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.cumprod([1, 2, 3]).numpy().tolist()
      [1, 2, 6]
    """
    return _running(tf.math.cumprod, a, axis, dtype)


def _without_nan(a, instead):
    a = tensor(a)
    if not a.dtype.is_floating:
        return a
    return tf.where(tf.math.is_nan(a), tf.constant(instead, a.dtype), a)


def nansum(a, axis=None, dtype=None, keepdims=False):
    """Sums without NaNs; the arguments are those of `sum`.

    Example:
      >>> import tracefn as tf
      >>> float(tf.experimental.numpy.nansum([1.0, float("nan")]))
      1.0
    """
    return sum(_without_nan(a, 0), axis, dtype, keepdims)


def nanprod(a, axis=None, dtype=None, keepdims=False):
    """Products without NaNs; the arguments are those of `sum`.

    Example:
      >>> import tracefn as tf
      >>> float(tf.experimental.numpy.nanprod([2.0, float("nan")]))
      2.0
    """
    return prod(_without_nan(a, 1), axis, dtype, keepdims)


def nanmean(a, axis=None, dtype=None, keepdims=None):
    """Averages without NaNs; the arguments are those of `mean`.

    Example:
      >>> import tracefn as tf
      >>> float(tf.experimental.numpy.nanmean([2.0, float("nan")]))
      2.0
    """
    a = tensor(a)
    if not a.dtype.is_floating:
        return mean(a, axis, dtype, keepdims=keepdims)
    dtype = a.dtype if dtype is None else dtype
    count = sum(tf.logical_not(tf.math.is_nan(a)), axis, dtype, keepdims)
    return tf.truediv(nansum(a, axis, dtype, keepdims), count)
