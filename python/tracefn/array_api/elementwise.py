"""Functions of elements."""

from __future__ import annotations

import math

from tracefn._namespaces import root
from tracefn.array_api import arguments
from tracefn.array_api.arguments import (
    ALL,
    FLOATING,
    INTEGER,
    INTEGER_OR_BOOLEAN,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    as_dtype,
    one,
    two,
)

tf = root()


def _documented(function, name: str, summary: str, kinds, parameters: str, example: str):
    call, _, result = example.partition(" -> ")
    function.__name__ = function.__qualname__ = name
    what = "of any dtype" if kinds == ALL else f"of a dtype that is {' or '.join(kinds)}"
    function.__doc__ = (
        f"{summary}\n\n    Args:\n      {parameters}: {what}.\n\n    Returns:\n      A tensor.\n\n    Raises:"
        f"\n      TypeError: another dtype, or dtypes that the standard has no promotion for.\n\n    Example:"
        f"\n      >>> import tracefn as tf\n      >>> tf.array_api.{name}({call}).numpy().tolist()\n      {result}\n    "
    )
    return function


def _unary(name: str, compute, kinds, summary: str, example: str):
    def function(x, /):
        return compute(one(name, x, kinds))

    return _documented(function, name, summary, kinds, "x: array", example)


def _binary(name: str, compute, kinds, summary: str, example: str):
    def function(x1, x2, /):
        return compute(*two(name, x1, x2, kinds))

    return _documented(function, name, summary, kinds, "x1, x2: arrays, or one array and a Python number", example)


def _number(value: float, like):
    return tf.constant(value, like.dtype)


def _unless_integer(compute):
    """`compute` of floats; integers stay as they are."""
    return lambda x: x if x.dtype.is_integer else compute(x)


def _by_parts(compute):
    """`compute` of real numbers; of complex ones, of both parts."""

    def function(x):
        return tf.complex(compute(tf.math.real(x)), compute(tf.math.imag(x))) if x.dtype.is_complex else compute(x)

    return function


def _test(of_floats, join, of_integers: bool):
    """A question about floats; of complex numbers, about both parts; of integers the answer is known."""

    def function(x):
        if x.dtype.is_complex:
            return join(of_floats(tf.math.real(x)), of_floats(tf.math.imag(x)))
        if x.dtype.is_integer:
            return tf.fill(tf.shape(x), of_integers)
        return of_floats(x)

    return function


def _has_sign_bit(x):
    integer = {2: tf.int16, 4: tf.int32, 8: tf.int64}[x.dtype.size]
    return tf.bitcast(x, integer) < tf.zeros([], integer)


def _copysign(x1, x2):
    return tf.where(tf.equal(_has_sign_bit(x1), _has_sign_bit(x2)), x1, -x1)


def _absolute(x):
    return x if x.dtype.is_unsigned else tf.abs(x)


def _negated(x):
    return tf.zeros([], x.dtype) - x if x.dtype.is_unsigned else tf.negative(x)


def _sign(x):
    if x.dtype.is_unsigned:
        return tf.cast(tf.not_equal(x, tf.zeros([], x.dtype)), x.dtype)
    return tf.sign(x)


def _truncated(x):
    return tf.where(x < _number(0, x), tf.math.ceil(x), tf.floor(x))


def _power(x1, x2):
    # Powers of unsigned integers: the low bits are those of int64's.
    if x1.dtype.is_unsigned:
        return tf.cast(tf.pow(tf.cast(x1, tf.int64), tf.cast(x2, tf.int64)), x1.dtype)
    return tf.pow(x1, x2)


def _hypotenuse(x1, x2):
    """Without overflow: the longer side times the root of 1 + (shorter / longer) squared."""
    x1, x2 = tf.abs(x1), tf.abs(x2)
    longer, shorter = tf.maximum(x1, x2), tf.minimum(x1, x2)
    zero = _number(0, longer)
    ratio = tf.where(longer > zero, shorter / tf.where(longer > zero, longer, _number(1, longer)), zero)
    result = longer * tf.sqrt(_number(1, longer) + ratio * ratio)
    infinite = tf.math.is_inf(x1) | tf.math.is_inf(x2)
    nan = tf.math.is_nan(x1) | tf.math.is_nan(x2)
    result = tf.where(nan, _number(math.nan, result), result)
    return tf.where(infinite, _number(math.inf, result), result)


def _log_of_sum(x1, x2):
    difference = x1 - x2
    result = tf.maximum(x1, x2) + tf.math.log1p(tf.exp(-tf.abs(difference)))
    return tf.where(tf.math.is_nan(difference), x1 + x2, result)  # of infinities of one sign


def _bits(compute, of_bools):
    return lambda x1, x2: of_bools(x1, x2) if x1.dtype.is_bool else compute(x1, x2)


def _shifted_left(x1, x2):
    bits = tf.constant(x1.dtype.size * 8, x1.dtype)
    inside = x2 < bits
    return tf.where(inside, tf.bitwise.left_shift(x1, tf.where(inside, x2, tf.zeros_like(x2))), tf.zeros_like(x1))


def _shifted_right(x1, x2):
    most = tf.constant(x1.dtype.size * 8 - 1, x1.dtype)
    result = tf.bitwise.right_shift(x1, tf.minimum(x2, most))
    if x1.dtype.is_unsigned:
        result = tf.where(x2 > most, tf.zeros_like(result), result)
    return result


_LOG2, _LOG10 = math.log(2), math.log(10)

abs = _unary("abs", _absolute, NUMERIC, "Absolute value.", "tf.constant([-2]) -> [2]")
acos = _unary("acos", tf.acos, FLOATING, "Inverse cosine.", "tf.constant([1.0]) -> [0.0]")
acosh = _unary("acosh", tf.acosh, FLOATING, "Inverse hyperbolic cosine.", "tf.constant([1.0]) -> [0.0]")
add = _binary("add", tf.add, NUMERIC, "x1 + x2.", "tf.constant([1]), 2 -> [3]")
asin = _unary("asin", tf.asin, FLOATING, "Inverse sine.", "tf.constant([0.0]) -> [0.0]")
asinh = _unary("asinh", tf.asinh, FLOATING, "Inverse hyperbolic sine.", "tf.constant([0.0]) -> [0.0]")
atan = _unary("atan", tf.atan, FLOATING, "Inverse tangent.", "tf.constant([0.0]) -> [0.0]")
atan2 = _binary("atan2", tf.math.atan2, REAL_FLOATING, "The angle of the point (x2, x1).", "tf.constant([0.0]), 1.0 -> [0.0]")
atanh = _unary("atanh", tf.atanh, FLOATING, "Inverse hyperbolic tangent.", "tf.constant([0.0]) -> [0.0]")
bitwise_and = _binary(
    "bitwise_and", _bits(tf.bitwise.bitwise_and, tf.logical_and), INTEGER_OR_BOOLEAN, "Bits of both.",
    "tf.constant([6]), 3 -> [2]",
)  # fmt: skip
bitwise_invert = _unary(
    "bitwise_invert", lambda x: tf.logical_not(x) if x.dtype.is_bool else tf.bitwise.invert(x), INTEGER_OR_BOOLEAN,
    "All bits inverted.", "tf.constant([5]) -> [-6]",
)  # fmt: skip
bitwise_left_shift = _binary(
    "bitwise_left_shift", _shifted_left, INTEGER, "Bits moved to higher places.", "tf.constant([3]), 2 -> [12]"
)
bitwise_or = _binary(
    "bitwise_or", _bits(tf.bitwise.bitwise_or, tf.logical_or), INTEGER_OR_BOOLEAN, "Bits of either.",
    "tf.constant([6]), 3 -> [7]",
)  # fmt: skip
bitwise_right_shift = _binary(
    "bitwise_right_shift", _shifted_right, INTEGER, "Bits moved to lower places; the sign stays.",
    "tf.constant([-8]), 1 -> [-4]",
)  # fmt: skip
bitwise_xor = _binary(
    "bitwise_xor", _bits(tf.bitwise.bitwise_xor, tf.not_equal), INTEGER_OR_BOOLEAN, "Bits of just one.",
    "tf.constant([6]), 3 -> [5]",
)  # fmt: skip
ceil = _unary("ceil", _unless_integer(tf.math.ceil), REAL, "The least integer that is not less.", "tf.constant([1.5]) -> [2.0]")
conj = _unary("conj", tf.math.conj, NUMERIC, "Complex conjugate.", "tf.constant([1j]) -> [-1j]")
copysign = _binary("copysign", _copysign, REAL_FLOATING, "x1 with the sign of x2.", "tf.constant([2.0]), -0.0 -> [-2.0]")
cos = _unary("cos", tf.cos, FLOATING, "Cosine.", "tf.constant([0.0]) -> [1.0]")
cosh = _unary("cosh", tf.cosh, FLOATING, "Hyperbolic cosine.", "tf.constant([0.0]) -> [1.0]")
divide = _binary("divide", tf.truediv, FLOATING, "x1 / x2.", "tf.constant([1.0]), 2 -> [0.5]")
equal = _binary("equal", tf.equal, ALL, "x1 == x2.", "tf.constant([1, 2]), 2 -> [False, True]")
exp = _unary("exp", tf.exp, FLOATING, "e**x.", "tf.constant([0.0]) -> [1.0]")
expm1 = _unary("expm1", tf.math.expm1, FLOATING, "e**x - 1, exact near 0.", "tf.constant([0.0]) -> [0.0]")
floor = _unary("floor", _unless_integer(tf.floor), REAL, "The greatest integer that is not greater.", "tf.constant([1.5]) -> [1.0]")
floor_divide = _binary("floor_divide", tf.math.floordiv, REAL, "x1 / x2, rounded down.", "tf.constant([-7]), 2 -> [-4]")
greater = _binary("greater", tf.greater, REAL, "x1 > x2.", "tf.constant([1, 2]), 1 -> [False, True]")
greater_equal = _binary("greater_equal", tf.greater_equal, REAL, "x1 >= x2.", "tf.constant([1, 2]), 2 -> [False, True]")
hypot = _binary("hypot", _hypotenuse, REAL_FLOATING, "sqrt(x1**2 + x2**2), without overflow.", "tf.constant([3.0]), 4.0 -> [5.0]")
imag = _unary("imag", tf.math.imag, ("complex floating",), "The imaginary part.", "tf.constant([1 + 2j]) -> [2.0]")
isfinite = _unary(
    "isfinite", _test(tf.math.is_finite, tf.logical_and, True), NUMERIC, "Whether elements are neither infinite nor NaN.",
    'tf.constant([1.0, float("inf")]) -> [True, False]',
)  # fmt: skip
isinf = _unary(
    "isinf", _test(tf.math.is_inf, tf.logical_or, False), NUMERIC, "Whether elements are infinite.",
    'tf.constant([1.0, float("inf")]) -> [False, True]',
)  # fmt: skip
isnan = _unary(
    "isnan", _test(tf.math.is_nan, tf.logical_or, False), NUMERIC, "Whether elements are NaN.",
    'tf.constant([1.0, float("nan")]) -> [False, True]',
)  # fmt: skip
less = _binary("less", tf.less, REAL, "x1 < x2.", "tf.constant([1, 2]), 2 -> [True, False]")
less_equal = _binary("less_equal", tf.less_equal, REAL, "x1 <= x2.", "tf.constant([1, 2]), 1 -> [True, False]")
log = _unary("log", tf.math.log, FLOATING, "Natural logarithm.", "tf.constant([1.0]) -> [0.0]")
log10 = _unary("log10", lambda x: tf.math.log(x) / _number(_LOG10, x), FLOATING, "Logarithm to base 10.", "tf.constant([1.0]) -> [0.0]")
log1p = _unary("log1p", tf.math.log1p, FLOATING, "Natural logarithm of 1 + x, exact near 0.", "tf.constant([0.0]) -> [0.0]")
log2 = _unary("log2", lambda x: tf.math.log(x) / _number(_LOG2, x), FLOATING, "Logarithm to base 2.", "tf.constant([1.0]) -> [0.0]")
logaddexp = _binary(
    "logaddexp", _log_of_sum, REAL_FLOATING, "log(e**x1 + e**x2), without overflow.",
    'tf.constant([-float("inf")]), 1.0 -> [1.0]',
)  # fmt: skip
logical_and = _binary("logical_and", tf.logical_and, ("bool",), "x1 and x2.", "tf.constant([True, False]), True -> [True, False]")
logical_not = _unary("logical_not", tf.logical_not, ("bool",), "not x.", "tf.constant([True]) -> [False]")
logical_or = _binary("logical_or", tf.logical_or, ("bool",), "x1 or x2.", "tf.constant([True, False]), False -> [True, False]")
logical_xor = _binary("logical_xor", tf.not_equal, ("bool",), "Just one of x1 and x2.", "tf.constant([True, False]), True -> [False, True]")
maximum = _binary("maximum", tf.maximum, REAL, "The greater of two elements.", "tf.constant([1, 5]), 3 -> [3, 5]")
minimum = _binary("minimum", tf.minimum, REAL, "The lesser of two elements.", "tf.constant([1, 5]), 3 -> [1, 3]")
multiply = _binary("multiply", tf.multiply, NUMERIC, "x1 * x2.", "tf.constant([2]), 3 -> [6]")
negative = _unary("negative", _negated, NUMERIC, "-x; of unsigned integers, the number that added to x gives 0.", "tf.constant([2]) -> [-2]")
nextafter = _binary("nextafter", tf.math.nextafter, REAL_FLOATING, "The next float after x1 towards x2.", "tf.constant([1.0]), 1.0 -> [1.0]")
not_equal = _binary("not_equal", tf.not_equal, ALL, "x1 != x2.", "tf.constant([1, 2]), 2 -> [True, False]")
positive = _unary("positive", tf.identity, NUMERIC, "x.", "tf.constant([2]) -> [2]")
pow = _binary("pow", _power, NUMERIC, "x1**x2.", "tf.constant([2]), 3 -> [8]")
real = _unary("real", tf.math.real, NUMERIC, "The real part.", "tf.constant([1 + 2j]) -> [1.0]")
reciprocal = _unary("reciprocal", tf.math.reciprocal, FLOATING, "1 / x.", "tf.constant([4.0]) -> [0.25]")
remainder = _binary("remainder", tf.math.floormod, REAL, "The rest of `floor_divide`.", "tf.constant([-7]), 2 -> [1]")
round = _unary("round", _by_parts(_unless_integer(tf.round)), NUMERIC, "The nearest integer, halves to even.", "tf.constant([2.5]) -> [2.0]")
sign = _unary("sign", _sign, NUMERIC, "-1, 0 or 1; of complex numbers, the one on the unit circle.", "tf.constant([-2]) -> [-1]")
signbit = _unary("signbit", _has_sign_bit, REAL_FLOATING, "Whether the sign is minus, also that of 0.", "tf.constant([-0.0]) -> [True]")
sin = _unary("sin", tf.sin, FLOATING, "Sine.", "tf.constant([0.0]) -> [0.0]")
sinh = _unary("sinh", tf.sinh, FLOATING, "Hyperbolic sine.", "tf.constant([0.0]) -> [0.0]")
sqrt = _unary("sqrt", tf.sqrt, FLOATING, "Square root.", "tf.constant([4.0]) -> [2.0]")
square = _unary("square", tf.square, NUMERIC, "x * x.", "tf.constant([3]) -> [9]")
subtract = _binary("subtract", tf.subtract, NUMERIC, "x1 - x2.", "tf.constant([1]), 2 -> [-1]")
tan = _unary("tan", tf.tan, FLOATING, "Tangent.", "tf.constant([0.0]) -> [0.0]")
tanh = _unary("tanh", tf.tanh, FLOATING, "Hyperbolic tangent.", "tf.constant([0.0]) -> [0.0]")
trunc = _unary("trunc", _unless_integer(_truncated), REAL, "The next integer towards 0.", "tf.constant([-1.5]) -> [-1.0]")


def clip(x, /, min=None, max=None):
    """The elements, moved into the range from `min` to `max`.

    Args:
      x: array of real numbers.
      min, max: numbers or arrays of shapes that broadcast; None: no bound.

    Returns:
      A tensor of x's dtype.

    Raises:
      TypeError: another dtype, or a bound of another kind.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.clip(tf.constant([1, 5, 9]), 2, 6).numpy().tolist()
      [2, 5, 6]
    """
    result = one("clip", x, REAL)
    dtype = result.dtype
    for bound, compute in ((min, tf.maximum), (max, tf.minimum)):
        if bound is not None:
            arguments.two("clip", result, bound, REAL)
            result = compute(result, as_dtype(bound, dtype))
    return result
