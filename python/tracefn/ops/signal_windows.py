"""Windows for frames of signals."""

from __future__ import annotations

import math

from tracefn._control_flow.conditional import cond
from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.dtypes import as_dtype
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.array_creation import ones
from tracefn.ops.array_shape import concat
from tracefn.ops.casting import cast
from tracefn.ops.ranges import range as number_range


def _floating(dtype):
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    return dtype


def _length(window_length):
    length = convert(window_length, dtype="int32", name="window_length")
    length.shape.assert_has_rank(0)
    return length


@export("signal.kaiser_window")
def kaiser_window(window_length, beta=12.0, dtype="float32", name=None):
    """A Kaiser window: I0(beta sqrt(1 - x**2)) / I0(beta) for x from -1 to 1 (Oppenheim and Schafer, Discrete-time signal
    processing, section 7.5.3).

    Args:
      window_length: scalar int32, the number of samples.
      beta: number: the larger, the narrower the window.
      dtype: a floating-point dtype.
      name: name of the node.

    Returns:
      Tensor [window_length].

    Raises:
      ValueError: another dtype, or a length that is not a scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.kaiser_window(3, beta=2.0, dtype=tf.float64).numpy().round(4).tolist()
      [0.4387, 1.0, 0.4387]
    """
    with name_scope(name or "kaiser_window"):
        dtype = _floating(dtype)
        length = _length(window_length)
        if get_static_value(length) == 1:
            return ones([1], dtype=dtype)
        half = (cast(length, "float32") - 1.0) / 2.0  # ranges of halves do not exist
        place = cast(number_range(-half, half + 0.1, dtype="float32"), dtype) / cast(half, dtype)
        beta = cast(beta, dtype)
        root = beta * op("Sqrt")(x=op("Relu")(features=1 - op("Square")(x=place)))
        scaled = op("BesselI0e")
        return op("Exp")(x=root - beta) * (scaled(x=root) / scaled(x=beta))


@export("signal.kaiser_bessel_derived_window")
def kaiser_bessel_derived_window(window_length, beta=12.0, dtype="float32", name=None):
    """The window whose squares, overlapping by half, sum up to 1, made of the sums of a Kaiser window.

    Args:
      window_length: scalar int32, the number of samples; even.
      beta: parameter of the Kaiser window.
      dtype: a floating-point dtype.
      name: name of the node.

    Returns:
      Tensor [window_length].

    Raises:
      ValueError: another dtype, or a length that is not a scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.kaiser_bessel_derived_window(4, beta=2.0, dtype=tf.float64).numpy().round(4).tolist()
      [0.4834, 0.8754, 0.8754, 0.4834]
    """
    with name_scope(name or "kaiser_bessel_derived_window"):
        dtype = _floating(dtype)
        sums = op("Cumsum")(x=kaiser_window(_length(window_length) // 2 + 1, beta, dtype=dtype), axis=0)
        half = op("Sqrt")(x=sums[:-1] / sums[-1])
        return concat([half, half[::-1]], axis=0)


@export("signal.vorbis_window")
def vorbis_window(window_length, dtype="float32", name=None):
    """The window of the Vorbis format: sin(pi / 2 sin(pi (k + 1/2) / n)**2).

    Args:
      window_length: scalar int32, the number n of samples.
      dtype: a floating-point dtype.
      name: name of the node.

    Returns:
      Tensor [window_length].

    Raises:
      ValueError: another dtype, or a length that is not a scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.vorbis_window(4, dtype=tf.float64).numpy().round(4).tolist()
      [0.228, 0.9737, 0.9737, 0.228]
    """
    with name_scope(name or "vorbis_window"):
        dtype = _floating(dtype)
        length = _length(window_length)
        step = constant(math.pi, dtype) / cast(length, dtype)
        sine = op("Sin")(x=step * (cast(number_range(length), dtype) + 0.5))
        return op("Sin")(x=constant(math.pi / 2, dtype) * op("Square")(x=sine))


def _raised_cosine(default, window_length, periodic, dtype, name, middle, swing):
    dtype = _floating(dtype)
    with name_scope(name or default):
        length = _length(window_length)
        known = get_static_value(length)
        if known == 1:
            return ones([1], dtype=dtype)
        periodic = cast(convert(periodic, dtype="bool", name="periodic"), "int32")
        periodic.shape.assert_has_rank(0)

        def window():
            # Only an even window is one sample longer than its symmetric part.
            period = cast(length + periodic * (1 - length % 2) - 1, dtype)
            angle = constant(2 * math.pi, dtype) * cast(number_range(length), dtype) / period
            return middle - swing * op("Cos")(x=angle)

        if known is not None:
            return window()
        return cond(op("Equal")(x=length, y=1), lambda: ones([length], dtype=dtype), window)


@export("signal.hann_window")
def hann_window(window_length, periodic=True, dtype="float32", name=None):
    """A Hann window: 1/2 - 1/2 cos(2 pi k / n).

    Args:
      window_length: scalar int32, the number of samples.
      periodic: scalar bool: whether a window of even length is one period (n is the length), not symmetric (n is the
        length - 1, as for all odd lengths).
      dtype: a floating-point dtype.
      name: name of the node.

    Returns:
      Tensor [window_length].

    Raises:
      ValueError: another dtype, or arguments that are not scalars.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.hann_window(4).numpy().round(4).tolist()
      [0.0, 0.5, 1.0, 0.5]
    """
    return _raised_cosine("hann_window", window_length, periodic, dtype, name, 0.5, 0.5)


@export("signal.hamming_window")
def hamming_window(window_length, periodic=True, dtype="float32", name=None):
    """A Hamming window: 0.54 - 0.46 cos(2 pi k / n).

    Args:
      window_length, periodic, dtype, name: as for `tf.signal.hann_window`.

    Returns:
      Tensor [window_length].

    Raises:
      ValueError: another dtype, or arguments that are not scalars.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.hamming_window(4, dtype=tf.float64).numpy().round(4).tolist()
      [0.08, 0.54, 1.0, 0.54]
    """
    return _raised_cosine("hamming_window", window_length, periodic, dtype, name, 0.54, 0.46)
