"""Discrete cosine transforms, by Fourier transforms of real numbers (J. Makhoul, A fast cosine transform in one and two
dimensions, 1980)."""

from __future__ import annotations

import math

from tracefn._export import export
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.array_shape import concat, pad, shape
from tracefn.ops.casting import cast
from tracefn.ops.complex_numbers import complex as complex_number
from tracefn.ops.complex_numbers import real
from tracefn.ops.indexing import where
from tracefn.ops.ranges import range as number_range
from tracefn.ops.signal_fourier import irfft, rfft

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _check(x, type, n, axis, norm):
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in _INVERSE:
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        if x.shape[-1] is not None and x.shape[-1] < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def last_size(x):
    """The size of the last axis: an int if it is known."""
    size = x.shape[-1] if x.shape.rank else None
    return shape(x)[-1] if size is None else size


def _of_length(x, n):
    """The first n samples, with zeros after them if there are fewer."""
    size = last_size(x)
    if isinstance(size, int):
        return x[..., :n] if n <= size else pad(x, [[0, 0]] * (x.shape.rank - 1) + [[0, n - size]])
    x = x[..., :n]
    return pad(x, [[0, 0]] * (x.shape.rank - 1) + [[0, n - shape(x)[-1]]])


def _waves(n, count, sign):
    """2 exp(sign * i pi k / 2n) for k below n, which is also given as a real tensor."""
    angle = number_range(count) * constant(math.pi / 2, count.dtype) / count
    return 2 * complex_number(op("Cos")(x=angle), sign * op("Sin")(x=angle))


def _weights(n, first, others):
    """[first, others, others, ...] of n scalars."""
    return where(op("Equal")(x=number_range(n), y=0), first, others)


def _dct(x, type, norm):
    n = last_size(x)
    count = cast(n, x.dtype)
    if type == 1:
        return real(rfft(concat([x, x[..., -2:0:-1]], axis=-1)))
    if type == 2:
        result = real(rfft(x, fft_length=[2 * n])[..., :n] * _waves(n, count, -1))
        if norm != "ortho":
            return result
        first = 0.5 * op("Rsqrt")(x=count)
        return result * _weights(n, first, first * math.sqrt(2))
    if type == 3:
        first = op("Sqrt")(x=count)
        x = x * (_weights(n, first, first * math.sqrt(0.5)) if norm == "ortho" else count)
        halves = _waves(n, count, 1) * complex_number(x, constant(0.0, x.dtype))
        return irfft(halves, fft_length=[2 * n])[..., :n]
    # The odd numbers of the transform of twice as many samples.
    result = _dct(pad_last(x, n), 2, None)[..., 1::2]
    return result * (math.sqrt(0.5) * op("Rsqrt")(x=count)) if norm == "ortho" else result


def pad_last(x, after):
    """x with zeros after it along the last axis; its rank is known."""
    return pad(x, [[0, 0]] * (x.shape.rank - 1) + [[0, after]])


@export("signal.dct", "compat.v1.spectral.dct")
def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """The discrete cosine transform over the last axis.

    Args:
      input: float32 or float64 tensor [..., samples].
      type: 1, 2, 3 or 4.
      n: the number of samples to use: the others are left out, missing ones are zero; None: all.
      axis: -1.
      norm: None, or "ortho" for an orthonormal transform (not of type 1).
      name: name of the node.

    Returns:
      Tensor [..., n] of the input's dtype.

    Raises:
      ValueError: a wrong type, n or norm.
      NotImplementedError: another axis.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.dct(tf.constant([1.0, 1.0], tf.float64), norm="ortho").numpy().round(4).tolist()
      [1.4142, 0.0]
    """
    x = convert(input)
    _check(x, type, n, axis, norm)
    with name_scope(name or "dct"):
        return _dct(x if n is None else _of_length(x, n), type, norm)


@export("signal.idct", "compat.v1.spectral.idct")
def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """The inverse of `tf.signal.dct` of the same type; without `norm`, times twice the number of samples.

    Args:
      input: float32 or float64 tensor [..., samples].
      type: 1, 2, 3 or 4.
      n, axis, norm: as for `tf.signal.dct`.
      name: name of the node.

    Returns:
      Tensor like the input.

    Raises:
      ValueError: a wrong type, n or norm.
      NotImplementedError: another axis.

    Example:
      >>> import tracefn as tf
      >>> (tf.signal.idct(tf.signal.dct([1.0, 2.0])) / 4).numpy().round(4).tolist()
      [1.0, 2.0]
    """
    x = convert(input)
    _check(x, type, n, axis, norm)
    with name_scope(name or "dct"):  # TensorFlow's name: that of the transform which is the inverse
        return _dct(x if n is None else _of_length(x, n), _INVERSE[type], norm)
