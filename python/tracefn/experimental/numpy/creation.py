"""New arrays: from values, filled, and ranges of numbers."""

from __future__ import annotations

import math

import numpy as np

from tracefn._namespaces import root
from tracefn.experimental.numpy.arrays import choose, rank_of, tensor
from tracefn.experimental.numpy.dtype_rules import (
    default_float,
    dtype_of,
    float_without_dtype,
    promote_types,
    result_type,
)

tf = root()

_MOST_DIMENSIONS = 32


def _given(dtype):
    return None if dtype is None else result_type(dtype)


def array(val, dtype=None, copy=True, ndmin=0):
    """A tensor of a value.

    Args:
      val: a tensor, array, number, string, or nested sequence of numbers and tensors.
      dtype: dtype of the result, any that NumPy or TensorFlow know; None: NumPy's for the value.
      copy: whether the result is a tensor of its own. Tensors do not change, so this makes no difference.
      ndmin: int, the least rank of the result; axes of size 1 are put in front.

    Returns:
      A tensor.

    Raises:
      ValueError: the value cannot be converted, or `ndmin` is more than 32.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.array([1, 2.5])
      <tf.Tensor: shape=(2,), dtype=float64, numpy=array([1. , 2.5])>
    """
    result = tensor(val, _given(dtype))
    if copy:
        result = tf.identity(result)
    if ndmin > _MOST_DIMENSIONS:
        raise ValueError(f"ndmin bigger than allowable number of dimensions: {_MOST_DIMENSIONS}.")
    if ndmin == 0:
        return result
    rank = rank_of(result)
    more = ndmin - rank

    def with_axes():
        return tf.reshape(result, tf.concat([tf.ones([more], tf.int32), tf.shape(result)], 0))

    return choose(more > 0, with_axes, lambda: result)


def asarray(a, dtype=None):
    """A tensor of a value: the value itself if it is a tensor of that dtype.

    Args:
      a: see `array`.
      dtype: dtype of the result; None: NumPy's for the value.

    Returns:
      A tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.asarray([1.5], int).numpy().tolist()
      [1]
    """
    return tensor(a, _given(dtype))


def asanyarray(a, dtype=None):
    """The same as `asarray`: there are no subclasses of tensors to keep.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.asanyarray(3).dtype
      tf.int64
    """
    return asarray(a, dtype)


def ascontiguousarray(a, dtype=None):
    """A tensor of a value, of rank 1 at least. All tensors are contiguous.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.ascontiguousarray(3).shape
      TensorShape([1])
    """
    return array(a, dtype, ndmin=1)


def copy(a):
    """A tensor of a value, see `array`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.copy([1]).numpy().tolist()
      [1]
    """
    return array(a)


def zeros(shape, dtype=float):
    """Zeros.

    Args:
      shape: int, sequence of ints, or vector.
      dtype: dtype of the result; None: the default float.

    Returns:
      A tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.zeros(2)
      <tf.Tensor: shape=(2,), dtype=float64, numpy=array([0., 0.])>
    """
    return tf.zeros(shape, float_without_dtype() if dtype is None else result_type(dtype))


def ones(shape, dtype=float):
    """Ones; the arguments are those of `zeros`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.ones((1, 2), int).numpy().tolist()
      [[1, 1]]
    """
    return tf.ones(shape, float_without_dtype() if dtype is None else result_type(dtype))


def empty(shape, dtype=float):
    """The same as `zeros`: there are no elements without a value.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.empty(1).numpy().tolist()
      [0.0]
    """
    return zeros(shape, dtype)


def zeros_like(a, dtype=None):
    """Zeros in the shape of `a`.

    Args:
      a: tensor or what `array` takes.
      dtype: dtype of the result; None: that of `a`.

    Returns:
      A tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.zeros_like([1.5]).numpy().tolist()
      [0.0]
    """
    return tf.zeros_like(a if isinstance(a, tf.Tensor) else tensor(a), dtype_of(a, dtype))


def ones_like(a, dtype=None):
    """Ones in the shape of `a`; the arguments are those of `zeros_like`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.ones_like([1.5]).numpy().tolist()
      [1.0]
    """
    return tf.ones_like(a if isinstance(a, tf.Tensor) else tensor(a), dtype_of(a, dtype))


def empty_like(a, dtype=None):
    """The same as `zeros_like`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.empty_like([1.5]).numpy().tolist()
      [0.0]
    """
    return zeros_like(a, dtype)


def full(shape, fill_value, dtype=None):
    """`fill_value`, broadcast to a shape.

    Args:
      shape: int, sequence of ints, or integer tensor.
      fill_value: number or array that broadcasts to the shape.
      dtype: dtype of the result; None: that of `fill_value`.

    Returns:
      A tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.full(2, [1.5]).numpy().tolist()
      [1.5, 1.5]
    """
    if not isinstance(shape, tf.Tensor):
        shape = tf.convert_to_tensor(shape, dtype_hint=tf.int32)
    if shape.shape.rank != 1:
        shape = tf.reshape(shape, [-1])
    return tf.broadcast_to(asarray(fill_value, dtype), shape)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    """`fill_value`, broadcast to the shape of `a`.

    Args:
      a: tensor or what `array` takes.
      fill_value: number or array that broadcasts to the shape.
      dtype: dtype of the result; None: that of `a`.
      order, subok, shape: as they are; other values are not supported.

    Raises:
      ValueError: `order`, `subok` or `shape` is given.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.full_like([1, 2], 3).numpy().tolist()
      [3, 3]
    """
    if order != "K":
        raise ValueError("Non-standard orders are not supported.")
    if not subok:
        raise ValueError("subok being False is not supported.")
    if shape:
        raise ValueError("Overriding the shape is not supported.")
    a = asarray(a)
    return tf.broadcast_to(asarray(fill_value, a.dtype if dtype is None else dtype), tf.shape(a))


def broadcast_to(array, shape):
    """The array in a larger shape, see `full`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.broadcast_to([1], (2, 1)).numpy().tolist()
      [[1], [1]]
    """
    return full(shape, array)


def arange(start, stop=None, step=1, dtype=None):
    """The numbers start, start + step, … below `stop`.

    Args:
      start: number or scalar tensor; the end of the range if `stop` is None, which then starts at 0.
      stop: number or scalar tensor, the end.
      step: number, not 0.
      dtype: dtype of the result; None: the promoted dtype of the arguments.

    Returns:
      Vector.

    Raises:
      ValueError: `step` is 0.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.arange(1, 7, 2)
      <tf.Tensor: shape=(3,), dtype=int64, numpy=array([1, 3, 5])>
    """
    if not step:
        raise ValueError("step must be non-zero.")
    bounds = [start, step] if stop is None else [start, step, stop]
    dtype = result_type(*bounds) if dtype is None else result_type(dtype)
    first, last = (0, start) if stop is None else (start, stop)
    if (step > 0 and first > last) or (step < 0 and first < last):
        return array([], dtype)
    if all(isinstance(x, int) for x in (first, last, step)):
        return tf.cast(tf.range(first, last, step, dtype=tf.int64), dtype)
    work = result_type(*bounds)
    if work not in (tf.int32, tf.int64, tf.float32, tf.float64):  # those of the op
        work = tf.float64 if work.is_floating else tf.int64
    return tf.cast(tf.range(*(tensor(x, work) for x in (first, last, step))), dtype)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=float, axis=0):
    """`num` numbers from `start` to `stop` at equal distances.

    Args:
      start, stop: numbers or arrays of shapes that broadcast.
      num: int, how many.
      endpoint: whether `stop` is the last of them.
      retstep: whether to return (numbers, distance).
      dtype: None: the promoted dtype of the arguments. Otherwise the floating dtype that follows from the bounds, as in
        TensorFlow with NumPy 2.
      axis: int, the axis of the result along which the numbers are.

    Returns:
      A tensor.

    Raises:
      ValueError: `num` is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.linspace(0, 1, 3).numpy().tolist()
      [0.0, 0.5, 1.0]
    """
    if dtype is not None:
        dtype = result_type(start, stop, 1.0)
    start, stop = tensor(start, dtype), tensor(stop, dtype)
    if num < 0:
        raise ValueError(f"Argument `num` (number of samples) must be a non-negative integer. Received: num={num}")
    if dtype is None:
        work = result_type(start, stop)
        start, stop = tensor(start, work), tensor(stop, work)
    steps = num - 1 if endpoint else num
    step = tf.truediv(stop - start, tf.cast(steps, start.dtype)) if steps > 0 else tf.constant(math.nan)
    if not endpoint and num > 1:
        stop = tf.cast(stop, step.dtype) - step
        start = tf.cast(start, step.dtype)
    result = tf.linspace(start, stop, num, axis=axis)
    if dtype is not None:
        result = tf.cast(result, dtype)
    return (result, step) if retstep else result


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Powers of `base`, with exponents at equal distances from `start` to `stop`.

    Args:
      start, stop, num, endpoint, dtype, axis: see `linspace`.
      base: number.

    Returns:
      A tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.logspace(0, 2, 3).numpy().tolist()
      [1.0, 10.0, 100.0]
    """
    exponents = linspace(start, stop, num=num, endpoint=endpoint, axis=axis)
    return tf.pow(tf.cast(base, exponents.dtype), exponents)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """`num` numbers from `start` to `stop`, each the same multiple of the one before.

    Args:
      start, stop: numbers or arrays, not 0, of the same sign.
      num, endpoint, axis: see `linspace`.
      dtype: dtype of the result, one that TensorFlow knows; None: the promoted dtype of the arguments and a float.

    Returns:
      A tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.geomspace(-1.0, -100.0, 3).numpy().round().tolist()
      [-1.0, -10.0, -100.0]
    """
    dtype = result_type(start, stop, float(num), default_float()) if dtype is None else tf.as_dtype(dtype)
    work = tf.as_dtype(promote_types(dtype, np.float32))
    start, stop = tensor(start, work), tensor(stop, work)

    def is_negative(x):
        return (tf.math.real(x) if x.dtype.is_complex else x) < 0

    minus = tf.where(is_negative(start) & is_negative(stop), tf.constant(-1, work), tf.constant(1, work))
    signs = tf.expand_dims(minus, axis)
    ten = tf.math.log(tf.constant(10, work))
    result = signs * logspace(
        tf.math.log(minus * start) / ten, tf.math.log(minus * stop) / ten, num, endpoint=endpoint, axis=axis
    )
    return tf.cast(result, dtype)


def meshgrid(*xi, **kwargs):
    """Grids of coordinates: each vector, repeated along the axes of the others.

    Args:
      *xi: vectors.
      **kwargs: indexing, "xy" (the default) or "ij". `sparse` and `copy` are refused unless they are the defaults.

    Returns:
      List of tensors.

    Raises:
      ValueError: `sparse` is true or `copy` is false.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.experimental.numpy.meshgrid([1, 2], [3])]
      [[[1, 2]], [[3, 3]]]
    """
    sparse, whole = kwargs.get("sparse", False), kwargs.get("copy", True)
    if sparse:
        raise ValueError(f"Function `meshgrid` does not support returning sparse arrays yet. Received: sparse={sparse}")
    if not whole:
        raise ValueError(f"Function `meshgrid` only supports copy=True. Received: copy={whole}")
    return tf.meshgrid(*(asarray(x) for x in xi), indexing=kwargs.get("indexing", "xy"))
