"""Comparison, logic, and questions about elements and arrays."""

from __future__ import annotations

import math

from tracefn._namespaces import root
from tracefn.experimental.numpy.arrays import choose, floating, is_inexact, promoted, promoted_pair, rank_of, tensor
from tracefn.experimental.numpy.statistics import all

tf = root()


def _named(function, name: str, summary: str, example: str):
    call, _, result = example.partition(" -> ")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{summary}\n\n    Returns:\n      Boolean tensor.\n\n    Example:\n      >>> import tracefn as tf"
        f"\n      >>> tf.experimental.numpy.{name}({call}).numpy().tolist()\n      {result}\n    "
    )
    return function


def _comparison(name: str, compute, sign: str, example: str, ordered: bool = True):
    def function(x1, x2):
        x1, x2 = promoted(x1, x2)
        if ordered and x1.dtype.is_bool:
            x1, x2 = tf.cast(x1, tf.int32), tf.cast(x2, tf.int32)
        return compute(x1, x2)

    return _named(function, name, f"x1 {sign} x2, after promotion to a common dtype.", example)


def _logical(name: str, compute, summary: str, example: str):
    def function(x1, x2):
        return compute(tensor(x1, tf.bool), tensor(x2, tf.bool))

    return _named(function, name, summary, example)


equal = _comparison("equal", tf.equal, "==", "[1, 2], 1.0 -> [True, False]", ordered=False)
not_equal = _comparison("not_equal", tf.not_equal, "!=", "[1, 2], 1.0 -> [False, True]", ordered=False)
greater = _comparison("greater", tf.greater, ">", "[1, 2], 1.0 -> [False, True]")
greater_equal = _comparison("greater_equal", tf.greater_equal, ">=", "[1, 2], 1.5 -> [False, True]")
less = _comparison("less", tf.less, "<", "[1, 2], 1.5 -> [True, False]")
less_equal = _comparison("less_equal", tf.less_equal, "<=", "[1, 2], 1.0 -> [True, False]")
logical_and = _logical("logical_and", tf.logical_and, "x1 and x2; numbers other than 0 are true.", "[1, 2], 0 -> [False, False]")
logical_or = _logical("logical_or", tf.logical_or, "x1 or x2; numbers other than 0 are true.", "[0, 2], 0 -> [False, True]")
logical_xor = _logical("logical_xor", tf.math.logical_xor, "Just one of x1 and x2; numbers other than 0 are true.", "[0, 2], 1 -> [True, False]")


def logical_not(x):
    """not x; numbers other than 0 are true.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.logical_not([0, 2]).numpy().tolist()
      [True, False]
    """
    return tf.logical_not(tensor(x, tf.bool))


def isnan(x):
    """Whether elements are NaN.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.isnan([1.0, float("nan")]).numpy().tolist()
      [False, True]
    """
    x = floating(x)
    if x.dtype.is_complex:
        return tf.math.is_nan(tf.math.real(x)) | tf.math.is_nan(tf.math.imag(x))
    return tf.math.is_nan(x)


def isfinite(x):
    """Whether elements are neither infinite nor NaN.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.isfinite([1.0, float("inf")]).numpy().tolist()
      [True, False]
    """
    x = floating(x)
    if x.dtype.is_complex:
        return tf.math.is_finite(tf.math.real(x)) & tf.math.is_finite(tf.math.imag(x))
    return tf.math.is_finite(x)


def isinf(x):
    """Whether elements are infinite. Of an array that is not floating: False, as in TensorFlow.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.isinf([1.0, -float("inf")]).numpy().tolist()
      [False, True]
    """
    x = tensor(x)
    return tf.math.is_inf(x) if x.dtype.is_floating else False


def isposinf(x):
    """Whether elements are plus infinity. Of an array that is not floating: False, as in TensorFlow.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.isposinf([float("inf"), -float("inf")]).numpy().tolist()
      [True, False]
    """
    x = tensor(x)
    return tf.equal(x, tf.constant(math.inf, x.dtype)) if x.dtype.is_floating else False


def isneginf(x):
    """Whether elements are minus infinity. Of an array that is not floating: False, as in TensorFlow.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.isneginf([float("inf"), -float("inf")]).numpy().tolist()
      [False, True]
    """
    x = tensor(x)
    return tf.equal(x, tf.constant(-math.inf, x.dtype)) if x.dtype.is_floating else False


def iscomplex(x):
    """Whether elements have an imaginary part other than 0.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.iscomplex([1j, 1]).numpy().tolist()
      [True, False]
    """
    part = tf.math.imag(tensor(x))
    return tf.not_equal(part, tf.zeros([], part.dtype))


def isreal(x):
    """Whether elements have no imaginary part.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.isreal([1j, 1]).numpy().tolist()
      [False, True]
    """
    return tf.logical_not(iscomplex(x))


def iscomplexobj(x):
    """Whether an array has a complex dtype: a bool.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.iscomplexobj([1j])
      True
    """
    return tensor(x).dtype.is_complex


def isrealobj(x):
    """Whether an array has a dtype that is not complex: a bool.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.isrealobj([1j])
      False
    """
    return not iscomplexobj(x)


def isscalar(num):
    """Whether an array has rank 0.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.isscalar(3), tf.experimental.numpy.isscalar([3])
      (True, False)
    """
    return tensor(num).shape.rank == 0


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |a - b| <= atol + rtol * |b|; integers must be equal.

    Args:
      a, b: arrays of shapes that broadcast.
      rtol, atol: floats.
      equal_nan: whether NaN is close to NaN.

    Returns:
      Boolean tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.isclose([1.0, 2.0], [1.0 + 1e-9, 2.1]).numpy().tolist()
      [True, False]
    """
    a, b = promoted_pair(a, b)
    if not is_inexact(a):
        return tf.equal(a, b)
    real = a.dtype.real_dtype
    result = tf.abs(a - b) <= tf.constant(atol, real) + tf.constant(rtol, real) * tf.abs(b)
    return result | (isnan(a) & isnan(b)) if equal_nan else result


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close; the arguments are those of `isclose`.

    Example:
      >>> import tracefn as tf
      >>> bool(tf.experimental.numpy.allclose([1.0], [1.0 + 1e-9]))
      True
    """
    return all(isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan))


def array_equal(a1, a2):
    """Whether two arrays have the same shape and elements.

    Returns:
      Boolean scalar.

    Example:
      >>> import tracefn as tf
      >>> bool(tf.experimental.numpy.array_equal([1, 2], [1.0, 2.0]))
      True
    """
    a1, a2 = promoted(a1, a2)

    def same_sizes():
        if a1.shape.is_fully_defined() and a2.shape.is_fully_defined():
            return a1.shape == a2.shape
        return tf.reduce_all(tf.shape(a1) == tf.shape(a2))

    def different():
        return tf.constant(False)

    def compared():
        return choose(same_sizes(), lambda: tf.reduce_all(tf.equal(a1, a2)), different)

    return choose(tf.equal(rank_of(a1), rank_of(a2)), compared, different)
