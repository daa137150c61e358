"""Functions of two arrays, element by element."""

from __future__ import annotations

import numpy as np

from tracefn._namespaces import root
from tracefn.experimental.numpy.arrays import broadcast, is_inexact, promoted, promoted_pair, tensor
from tracefn.experimental.numpy.dtype_rules import inferred_float, numpy_result_type

tf = root()


def _function(name: str, compute, summary: str, example: str):
    """A function of two arrays of their promoted dtype. `example`: "arguments -> printed result"."""

    def function(x1, x2):
        return compute(*promoted_pair(x1, x2))

    call, _, result = example.partition(" -> ")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{summary}\n\n    Args:\n      x1, x2: arrays of shapes that broadcast. They get their promoted dtype.\n\n    Returns:"
        f"\n      A tensor.\n\n    Example:\n      >>> import tracefn as tf\n      >>> tf.experimental.numpy.{name}({call})"
        f".numpy().tolist()\n      {result}\n    "
    )
    return function


def _or_of_bools(of_bools, compute):
    """`compute`, but of booleans another function."""
    return lambda x, y: of_bools(x, y) if x.dtype.is_bool else compute(x, y)


def _bools_as(dtype, compute):
    """`compute`, after booleans have become numbers, of the dtype that `dtype()` gives."""

    def with_numbers(x, y):
        return compute(tf.cast(x, dtype()), tf.cast(y, dtype())) if x.dtype.is_bool else compute(x, y)

    return with_numbers


def _bits(compute):
    """An op of bits; booleans stay booleans."""

    def of_bits(x, y):
        if x.dtype.is_bool:
            return tf.cast(compute(tf.cast(x, tf.int8), tf.cast(y, tf.int8)), tf.bool)
        return compute(x, y)

    return of_bits


add = _function("add", _or_of_bools(tf.logical_or, tf.add), "x1 + x2; of booleans, x1 or x2.", "[1], 2.5 -> [3.5]")
subtract = _function("subtract", tf.subtract, "x1 - x2.", "[1], 2 -> [-1]")
multiply = _function(
    "multiply", _or_of_bools(tf.logical_and, tf.multiply), "x1 * x2; of booleans, x1 and x2.", "[2], 3 -> [6]"
)
true_divide = _function("true_divide", _bools_as(inferred_float, tf.truediv), "x1 / x2.", "[1], 2 -> [0.5]")
divide = _function("divide", _bools_as(inferred_float, tf.truediv), "x1 / x2.", "[1], 2 -> [0.5]")
floor_divide = _function(
    "floor_divide", _bools_as(lambda: tf.int8, tf.math.floordiv), "x1 / x2, rounded down.", "[-7], 2 -> [-4]"
)
mod = _function("mod", _bools_as(lambda: tf.int8, tf.math.floormod), "The rest of `floor_divide`.", "[-7], 2 -> [1]")
remainder = _function("remainder", _bools_as(lambda: tf.int8, tf.math.floormod), "The rest of `floor_divide`.", "[-7], 2 -> [1]")
power = _function("power", tf.pow, "x1**x2.", "[2], 3 -> [8]")
float_power = _function("float_power", tf.pow, "x1**x2; integers stay integers.", "[2.0], 3 -> [8.0]")
minimum = _function(
    "minimum", _or_of_bools(tf.logical_and, tf.minimum), "The lesser of two elements.", "[1, 5], 3 -> [1, 3]"
)
arctan2 = _function("arctan2", tf.math.atan2, "The angle of the point (x2, x1).", "[0.0], 1.0 -> [0.0]")
nextafter = _function("nextafter", tf.math.nextafter, "The next float after x1 towards x2.", "[1.0], 1.0 -> [1.0]")
bitwise_and = _function("bitwise_and", _bits(tf.bitwise.bitwise_and), "Bits of both.", "[6], 3 -> [2]")
bitwise_or = _function("bitwise_or", _bits(tf.bitwise.bitwise_or), "Bits of either.", "[6], 3 -> [7]")
bitwise_xor = _function("bitwise_xor", _bits(tf.bitwise.bitwise_xor), "Bits of just one.", "[6], 3 -> [5]")

_maximum = _or_of_bools(tf.logical_or, tf.maximum)


def maximum(x1, x2):
    """The greater of two elements.

    Args:
      x1, x2: arrays of shapes that broadcast. They get their promoted dtype.

    Returns:
      A tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.maximum([1, 5], 3).numpy().tolist()
      [3, 5]
    """
    is_zero = isinstance(x2, (int, float)) and not isinstance(x2, bool) and x2 == 0
    if is_zero and isinstance(x1, tf.Tensor) and not x1.dtype.is_bool:
        return tf.nn.relu(x1)  # its gradient at 0 is TensorFlow's choice here
    return _maximum(*promoted_pair(x1, x2))


def divmod(x1, x2):
    """(floor_divide(x1, x2), mod(x1, x2)).

    Example:
      >>> import tracefn as tf
      >>> [int(t) for t in tf.experimental.numpy.divmod(7, 2)]
      [3, 1]
    """
    return floor_divide(x1, x2), mod(x1, x2)


def clip(a, a_min, a_max):
    """The elements, moved into the range from `a_min` to `a_max`.

    Args:
      a: array.
      a_min, a_max: arrays of shapes that broadcast; one of them may be None: no bound.

    Raises:
      ValueError: both are None.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.clip([1, 5, 9], 2, 6).numpy().tolist()
      [2, 5, 6]
    """
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_min is None:
        return minimum(a, a_max)
    if a_max is None:
        return maximum(a, a_min)
    return tf.clip_by_value(*broadcast(*promoted(a, a_min, a_max)))


def heaviside(x1, x2):
    """0 below 0, 1 above, and x2 where x1 is 0.

    Args:
      x1, x2: arrays of shapes that broadcast. They get their promoted dtype.

    Returns:
      A floating tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.heaviside([-1.0, 0.0, 2.0], 0.5).numpy().tolist()
      [0.0, 0.5, 1.0]
    """
    x1, x2 = promoted_pair(x1, x2)
    zero, one = tf.constant(0, x2.dtype), tf.constant(1, x2.dtype)
    result = tf.where(x1 < zero, zero, tf.where(x1 > zero, one, x2))
    return result if is_inexact(result) else tf.cast(result, inferred_float())


def hypot(x1, x2):
    """The hypotenuse of a right triangle: sqrt(x1**2 + x2**2).

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.hypot([3.0], 4.0).numpy().tolist()
      [5.0]
    """
    # The squares are promoted, not the arguments: of a list of ints they are int64.
    squares = add(tf.square(tensor(x1)), tf.square(tensor(x2)))
    return tf.sqrt(squares if is_inexact(squares) else tf.cast(squares, inferred_float()))


def _log_of_sum(x1, x2, exponential, scaled):
    """log(e**x1 + e**x2) to some base: `scaled` makes natural logarithms those to the base."""
    x1, x2 = promoted_pair(x1, x2)
    difference = x1 - x2
    if not is_inexact(difference):
        dtype = numpy_result_type(x1.dtype, inferred_float())
        x1, x2, difference = (tf.cast(x, dtype) for x in (x1, x2, difference))
    rest = scaled(tf.math.log1p(exponential(-tf.abs(difference))))
    x1, x2 = tf.cast(x1, rest.dtype), tf.cast(x2, rest.dtype)
    # The difference of infinities of one sign is NaN; their sum is right.
    return tf.where(tf.math.is_nan(difference), x1 + x2, tf.maximum(x1, x2) + rest)


def logaddexp(x1, x2):
    """log(e**x1 + e**x2), without overflow.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.logaddexp([-float("inf")], 1.0).numpy().tolist()
      [1.0]
    """
    return _log_of_sum(x1, x2, tf.exp, lambda natural: natural)


def logaddexp2(x1, x2):
    """log2(2**x1 + 2**x2), without overflow.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.logaddexp2([1.0], 1.0).numpy().tolist()
      [2.0]
    """
    # By a number of NumPy, a float64: see `log2`.
    return _log_of_sum(x1, x2, lambda x: tf.pow(tf.constant(2, x.dtype), x), lambda natural: natural / np.log(2))


def _gcd(x1, x2):
    """Euclid's algorithm, on all pairs at once until each is done."""
    if not x1.dtype.is_integer:
        raise ValueError("Arguments to gcd must be integers.")
    zero, one = tf.constant(0, x1.dtype), tf.constant(1, x1.dtype)
    x1, x2 = broadcast(*(x if x.dtype.is_unsigned else tf.abs(x) for x in (x1, x2)))

    def step(x, y):
        rest = tf.where(y == zero, zero, tf.math.floormod(x, tf.where(y == zero, one, y)))
        return tf.where(y == zero, x, y), rest

    return tf.while_loop(lambda x, y: tf.reduce_any(y != zero), step, (x1, x2))[0]


def gcd(x1, x2):
    """Greatest common divisor.

    Raises:
      ValueError: the arguments are no integers.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.gcd([12, 7], 18).numpy().tolist()
      [6, 1]
    """
    return _gcd(*promoted_pair(x1, x2))


def lcm(x1, x2):
    """Least common multiple.

    Raises:
      ValueError: the arguments are no integers.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.lcm([4, 0], 6).numpy().tolist()
      [12, 0]
    """
    x1, x2 = promoted_pair(x1, x2)
    divisor = _gcd(x1, x2)
    zero = tf.constant(0, divisor.dtype)
    safe = tf.where(divisor == zero, tf.constant(1, divisor.dtype), divisor)
    product = x1 * tf.math.floordiv(x2, safe)
    return tf.where(divisor == zero, zero, product if x1.dtype.is_unsigned else tf.abs(product))


def polyval(p, x):
    """The polynomial with the coefficients p, highest power first, at x.

    Args:
      p: vector of known size, or scalar.
      x: array.

    Returns:
      A tensor of the shape of x.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.polyval([1, 0, 2], [3]).numpy().tolist()
      [11]
    """
    p, x = promoted_pair(p, x)
    coefficients = tf.unstack(tf.reshape(p, [1]) if p.shape.rank == 0 else p)
    value = tf.math.polyval(coefficients, x)
    return tf.broadcast_to(value, tf.shape(x)) if len(coefficients) == 1 else value


def diff(a, n=1, axis=-1):
    """Differences of neighbours along an axis, n times over; of booleans, whether they differ.

    Args:
      a: array of known rank.
      n: int.
      axis: int.

    Raises:
      ValueError: n is negative, there is no such axis, or the rank is unknown.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.diff([1, 2, 4]).numpy().tolist()
      [1, 2]
    """
    a = tensor(a)
    rank = a.shape.rank
    if rank is None:
        raise ValueError(f"Function `diff` currently requires a known rank for input `a`. Received: a={a} (unknown rank)")
    if (axis + rank if axis < 0 else axis) >= rank:
        raise ValueError(f"Argument `axis` (received axis={axis}) is out of bounds for input {a} of rank {rank}.")
    if n < 0:
        raise ValueError(f"Argument `order` must be a non-negative integer. Received: axis={n}")
    rest, start = [slice(None)] * rank, [slice(None)] * rank
    rest[axis], start[axis] = slice(1, None), slice(None, -1)
    compute = tf.not_equal if a.dtype.is_bool else tf.subtract
    for _ in range(n):
        a = compute(a[tuple(rest)], a[tuple(start)])
    return a
