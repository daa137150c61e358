"""Functions of one array, element by element."""

from __future__ import annotations

import math

import numpy as np

from tracefn._namespaces import root
from tracefn.experimental.numpy.arrays import floating, tensor

tf = root()


def _function(name: str, compute, summary: str, call: str, result: str, *, promotes: bool):
    """A function of one array.

    Args:
      name: its public name.
      compute: function of a tensor.
      summary: first line of its docstring.
      call, result: argument and printed result of its example.
      promotes: whether integers and booleans become the default float.
    """

    def function(x):
        return compute(floating(x) if promotes else tensor(x))

    function.__name__ = function.__qualname__ = name
    dtype = "that of `x`; of integers and booleans, the default float" if promotes else "see the op"
    function.__doc__ = (
        f"{summary}\n\n    Args:\n      x: array.\n\n    Returns:\n      A tensor of the shape of `x`. Its dtype: {dtype}."
        f"\n\n    Example:\n      >>> import tracefn as tf\n      >>> tf.experimental.numpy.{name}({call}).numpy().tolist()"
        f"\n      {result}\n    "
    )
    return function


def _of_floats(name: str, compute, summary: str, call: str, result: str):
    return _function(name, compute, summary, call, result, promotes=True)


def _of_any(name: str, compute, summary: str, call: str, result: str):
    return _function(name, compute, summary, call, result, promotes=False)


def _number(value: float, like):
    return tf.constant(value, like.dtype)


def _log_to_base(base: int):
    # TensorFlow divides by a number of NumPy, a float64: where operators promote dtypes, so is the result.
    return lambda x: tf.math.log(x) / np.log(base)


def _cube_root(x):
    root = tf.pow(tf.abs(x), _number(1 / 3, x))
    return tf.where(x < 0, -root, root)


def _sinc(x):
    angle = x * _number(math.pi, x)
    return tf.where(x == 0, tf.ones_like(x), tf.sin(angle) / angle)


def _is_negative(x):
    return tf.zeros(tf.shape(x), tf.bool) if x.dtype.is_bool else x < tf.zeros([], x.dtype)


exp = _of_floats("exp", tf.exp, "e**x.", "[0.0]", "[1.0]")
exp2 = _of_floats("exp2", lambda x: tf.pow(_number(2, x), x), "2**x.", "[3]", "[8.0]")
expm1 = _of_floats("expm1", tf.math.expm1, "e**x - 1, exact near 0.", "[0.0]", "[0.0]")
log = _of_floats("log", tf.math.log, "Natural logarithm.", "[1.0]", "[0.0]")
log1p = _of_floats("log1p", tf.math.log1p, "Natural logarithm of 1 + x, exact near 0.", "[0.0]", "[0.0]")
log2 = _of_floats("log2", _log_to_base(2), "Logarithm to base 2.", "[8.0]", "[3.0]")
log10 = _of_floats("log10", _log_to_base(10), "Logarithm to base 10.", "[1.0]", "[0.0]")
sqrt = _of_floats("sqrt", tf.sqrt, "Square root.", "[4.0]", "[2.0]")
cbrt = _of_floats("cbrt", _cube_root, "Cube root.", "[-8.0]", "[-2.0]")

sin = _of_floats("sin", tf.sin, "Sine.", "[0.0]", "[0.0]")
cos = _of_floats("cos", tf.cos, "Cosine.", "[0.0]", "[1.0]")
tan = _of_floats("tan", tf.tan, "Tangent.", "[0.0]", "[0.0]")
sinh = _of_floats("sinh", tf.sinh, "Hyperbolic sine.", "[0.0]", "[0.0]")
cosh = _of_floats("cosh", tf.cosh, "Hyperbolic cosine.", "[0.0]", "[1.0]")
tanh = _of_floats("tanh", tf.tanh, "Hyperbolic tangent.", "[0.0]", "[0.0]")
arcsin = _of_floats("arcsin", tf.asin, "Inverse sine.", "[0.0]", "[0.0]")
arccos = _of_floats("arccos", tf.acos, "Inverse cosine.", "[1.0]", "[0.0]")
arctan = _of_floats("arctan", tf.atan, "Inverse tangent.", "[0.0]", "[0.0]")
arcsinh = _of_floats("arcsinh", tf.asinh, "Inverse hyperbolic sine.", "[0.0]", "[0.0]")
arccosh = _of_floats("arccosh", tf.acosh, "Inverse hyperbolic cosine.", "[1.0]", "[0.0]")
arctanh = _of_floats("arctanh", tf.atanh, "Inverse hyperbolic tangent.", "[0.0]", "[0.0]")
deg2rad = _of_floats(
    "deg2rad", lambda x: x * _number(math.pi / 180, x), "Degrees as radians.", "[0.0]", "[0.0]"
)
rad2deg = _of_floats(
    "rad2deg", lambda x: x * _number(180 / math.pi, x), "Radians as degrees.", "[0.0]", "[0.0]"
)
sinc = _of_floats("sinc", _sinc, "sin(pi x) / (pi x); 1 at 0.", "[0.0]", "[1.0]")

ceil = _of_floats("ceil", tf.math.ceil, "The least integer that is not less.", "[1.5]", "[2.0]")
floor = _of_floats("floor", tf.floor, "The greatest integer that is not greater.", "[1.5]", "[1.0]")
fix = _of_floats(
    "fix", lambda x: tf.where(x < 0, tf.math.ceil(x), tf.floor(x)), "The next integer towards 0.", "[-1.5]", "[-1.0]"
)

abs = _of_any("abs", tf.abs, "Absolute value.", "[-2]", "[2]")
absolute = _of_any("absolute", tf.abs, "Absolute value.", "[-2]", "[2]")
fabs = _of_any("fabs", tf.abs, "Absolute value; integers stay integers.", "[-2.0]", "[2.0]")
negative = _of_any("negative", tf.negative, "-x.", "[2]", "[-2]")
positive = _of_any("positive", lambda x: x, "x itself.", "[2]", "[2]")
square = _of_any("square", tf.square, "x * x.", "[3]", "[9]")
reciprocal = _of_any("reciprocal", tf.math.reciprocal, "1 / x.", "[4.0]", "[0.25]")
conj = _of_any("conj", tf.math.conj, "Complex conjugate.", "[1j]", "[-1j]")
conjugate = _of_any("conjugate", tf.math.conj, "Complex conjugate.", "[1j]", "[-1j]")
signbit = _of_any("signbit", _is_negative, "Whether x is less than 0.", "[-1, 1]", "[True, False]")
bitwise_not = _of_any(
    "bitwise_not",
    lambda x: tf.logical_not(x) if x.dtype.is_bool else tf.bitwise.invert(x),
    "All bits inverted; of booleans, not x.",
    "[5]",
    "[-6]",
)


def real(val):
    """The real part.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.real([1 + 2j]).numpy().tolist()
      [1.0]
    """
    return tf.math.real(tensor(val))


def imag(val):
    """The imaginary part; 0 of real numbers.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.imag([1 + 2j]).numpy().tolist()
      [2.0]
    """
    return tf.math.imag(tensor(val))


def angle(z, deg=False):
    """The angle of complex numbers, in radians, or in degrees if `deg` is true.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.angle([1j], deg=True).numpy().tolist()
      [90.0]
    """
    z = floating(z)
    # Of real numbers float32, as in TensorFlow.
    result = tf.math.angle(z) if z.dtype.is_complex else tf.where(z < 0, math.pi, 0.0)
    return rad2deg(result) if deg else result


def sign(x, out=None, where=None, **kwargs):
    """-1, 0 or 1; of a complex number, the number on the unit circle with its angle.

    Args:
      x: array.
      out, where, **kwargs: refused.

    Raises:
      ValueError: another argument than `x`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.sign([-2, 0]).numpy().tolist()
      [-1, 0]
    """
    if out:
        raise ValueError("tf.numpy doesnt support setting out.")
    if where:
        raise ValueError("tf.numpy doesnt support setting where.")
    if kwargs:
        raise ValueError(f"tf.numpy doesnt support setting {kwargs.keys()}")
    return tf.sign(tensor(x))


def around(a, decimals=0):
    """Rounded to a number of decimals, halves to even.

    Args:
      a: array.
      decimals: int; of a negative number, that many digits before the point become 0.

    Returns:
      A tensor of the dtype of `a`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.around([1.25, 155.0], 1).numpy().tolist()
      [1.2, 155.0]
    """
    a = tensor(a)
    work = floating(a)
    factor = _number(math.pow(10, decimals), work)
    return tf.cast(tf.round(work * factor) / factor, a.dtype)


def round(a, decimals=0):
    """The same as `around`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.round([2.5]).numpy().tolist()
      [2.0]
    """
    return around(a, decimals)
