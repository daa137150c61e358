"""Fourier transforms of real numbers and over given axes, with lengths that may be left out; shifts of spectra."""

from __future__ import annotations

import math

from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.framework import is_tensor
from tracefn.ops._build import constant, convert, ints, name_scope, op
from tracefn.ops.array_shape import concat, pad, rank, shape, stack
from tracefn.ops.casting import cast
from tracefn.ops.indexing import gather, where
from tracefn.tensor_shape import TensorShape

_COMPLEX_OF = {"float32": "complex64", "float64": "complex128"}
_REAL_OF = {"complex64": "float32", "complex128": "float64"}


def _real_input(x):
    x = convert(x, dtype_hint="float32")
    if x.dtype.name not in _COMPLEX_OF:
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x!s}")
    return x


def _half_input(x):
    x = convert(x, dtype_hint="complex64")
    if x.dtype.name not in _REAL_OF:
        raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {x!s}")
    return x


def _last_sizes(x, count, of_half):
    """The sizes of the last axes as a vector; of the real numbers, if the last one keeps their half."""
    sizes = x.shape[-count:] if x.shape.rank is not None else TensorShape(None)
    if sizes.is_fully_defined():
        sizes = sizes.as_list()
        return ints(sizes[:-1] + [max(0, 2 * (sizes[-1] - 1))] if of_half else sizes)
    sizes = shape(x)[-count:]
    if not of_half:
        return sizes
    last = op("Maximum")(x=0, y=2 * (sizes[-1] - 1))
    return concat([sizes[:-1], [last]], 0)


def _padded(x, lengths, of_half):
    """x with zeros after it along the last axes, where it is shorter than a transform of these lengths uses."""
    if x.shape.rank is not None and 0 in x.shape.as_list():
        return x
    known = get_static_value(lengths)
    if known is not None and x.shape.rank is not None:
        wanted = [int(n) for n in known.ravel()]
        if any(n < -1 for n in wanted):  # -1 is an unknown length for shapes, and refused by the kernel
            raise ValueError(f"Dimension {min(wanted)} must be >= 0")
        if of_half and wanted:
            wanted[-1] = wanted[-1] // 2 + 1
        sizes = x.shape.as_list()[-len(wanted) :] if wanted else []
        if None not in sizes:
            missing = [max(n - size, 0) for n, size in zip(wanted, sizes, strict=False)]
            if not any(missing):
                return x
            return pad(x, [[0, 0]] * (x.shape.rank - len(missing)) + [[0, n] for n in missing])
    if of_half:
        lengths = concat([lengths[:-1], lengths[-1:] // 2 + 1], 0)
    count = lengths.shape[0]
    missing = op("Maximum")(x=0, y=lengths - shape(x)[-count:])
    after = concat([op("Fill")(dims=[op("Maximum")(x=0, y=rank(x) - count)], value=0), missing], 0)
    return pad(x, stack([op("ZerosLike")(x=after), after], axis=1))


def _from_real(kind, axes, input_tensor, fft_length, name):
    with name_scope(name or kind.lower()) as scope:
        x = _real_input(input_tensor)
        x.shape.with_rank_at_least(axes)
        if fft_length is None:
            lengths = _last_sizes(x, axes, False)
        else:
            lengths = convert(fft_length, dtype="int32", name="fft_length")
            x = _padded(x, lengths, False)
        return op(kind)(input=x, fft_length=lengths, Tcomplex=_COMPLEX_OF[x.dtype.name], name=scope)


def _to_real(kind, axes, input_tensor, fft_length, name):
    with name_scope(name or kind.lower()) as scope:
        x = _half_input(input_tensor)
        x.shape.with_rank_at_least(axes)
        if fft_length is None:
            lengths = _last_sizes(x, axes, True)
        else:
            lengths = convert(fft_length, dtype="int32", name="fft_length")
            x = _padded(x, lengths, True)
        return op(kind)(input=x, fft_length=lengths, Treal=_REAL_OF[x.dtype.name], name=scope)


@export("signal.rfft", "compat.v1.spectral.rfft")
def rfft(input_tensor, fft_length=None, name=None):
    """The discrete Fourier transform of real numbers over the last axis: the first n // 2 + 1 numbers of it.

    Args:
      input_tensor: float32 or float64 tensor [..., samples].
      fft_length: int32 tensor [1] with n: input is cut off or padded with zeros to this length; None: samples.
      name: name of the node.

    Returns:
      complex64 or complex128 tensor [..., n // 2 + 1].

    Raises:
      ValueError: the input has another dtype, or no axis.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.rfft([1.0, 2.0, 3.0, 4.0]).numpy().tolist()
      [(10+0j), (-2+2j), (-2+0j)]
    """
    return _from_real("RFFT", 1, input_tensor, fft_length, name)


@export("signal.rfft2d", "compat.v1.spectral.rfft2d")
def rfft2d(input_tensor, fft_length=None, name=None):
    """`tf.signal.rfft` over the last two axes; only the last one keeps half of its numbers.

    Args:
      input_tensor: float32 or float64 tensor [..., rows, columns].
      fft_length: int32 tensor [2] with the lengths; None: those of the input.
      name: name of the node.

    Returns:
      complex64 or complex128 tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.rfft2d(tf.ones([2, 4])).shape
      TensorShape([2, 3])
    """
    return _from_real("RFFT2D", 2, input_tensor, fft_length, name)


@export("signal.rfft3d", "compat.v1.spectral.rfft3d")
def rfft3d(input_tensor, fft_length=None, name=None):
    """`tf.signal.rfft` over the last three axes; only the last one keeps half of its numbers.

    Args:
      input_tensor: float32 or float64 tensor of rank 3 or more.
      fft_length: int32 tensor [3] with the lengths; None: those of the input.
      name: name of the node.

    Returns:
      complex64 or complex128 tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.rfft3d(tf.ones([2, 2, 4])).shape
      TensorShape([2, 2, 3])
    """
    return _from_real("RFFT3D", 3, input_tensor, fft_length, name)


@export("signal.irfft", "compat.v1.spectral.irfft")
def irfft(input_tensor, fft_length=None, name=None):
    """Real numbers from the first half of their discrete Fourier transform: the inverse of `tf.signal.rfft`.

    Args:
      input_tensor: complex64 or complex128 tensor [..., m].
      fft_length: int32 tensor [1] with the length n of the result; None: 2 * (m - 1).
      name: name of the node.

    Returns:
      float32 or float64 tensor [..., n].

    Raises:
      ValueError: the input has another dtype, or no axis.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.irfft(tf.signal.rfft([1.0, 2.0, 3.0, 4.0])).numpy().tolist()
      [1.0, 2.0, 3.0, 4.0]
    """
    return _to_real("IRFFT", 1, input_tensor, fft_length, name)


@export("signal.irfft2d", "compat.v1.spectral.irfft2d")
def irfft2d(input_tensor, fft_length=None, name=None):
    """`tf.signal.irfft` over the last two axes: the inverse of `tf.signal.rfft2d`.

    Args:
      input_tensor: complex64 or complex128 tensor [..., rows, m].
      fft_length: int32 tensor [2] with the lengths of the result; None: rows and 2 * (m - 1).
      name: name of the node.

    Returns:
      float32 or float64 tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.irfft2d(tf.signal.rfft2d([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist()
      [[1.0, 2.0], [3.0, 4.0]]
    """
    return _to_real("IRFFT2D", 2, input_tensor, fft_length, name)


@export("signal.irfft3d", "compat.v1.spectral.irfft3d")
def irfft3d(input_tensor, fft_length=None, name=None):
    """`tf.signal.irfft` over the last three axes: the inverse of `tf.signal.rfft3d`.

    Args:
      input_tensor: complex64 or complex128 tensor of rank 3 or more.
      fft_length: int32 tensor [3] with the lengths of the result; None: by the shape of the input.
      name: name of the node.

    Returns:
      float32 or float64 tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.irfft3d(tf.ones([2, 2, 3], tf.complex64)).shape
      TensorShape([2, 2, 4])
    """
    return _to_real("IRFFT3D", 3, input_tensor, fft_length, name)


def _given_axes(x, axes):
    return ints(range(x.shape.rank)) if axes is None else convert(axes, dtype="int32")


def _factor(norm, lengths, inverse):
    """What the numbers are multiplied by before the transform, or None."""
    if norm not in ("forward", "ortho"):
        return None
    known = get_static_value(lengths)
    if known is None:
        size = cast(op("Prod")(input=lengths, axis=0), "float64")
        size = size if norm == "forward" else op("Sqrt")(x=size)
        return size if inverse else 1 / size
    size = math.prod(int(n) for n in known)
    size = size if norm == "forward" else math.sqrt(size)
    return size if inverse else 1 / size


def _over_axes(kind, x, fft_length, axes, norm, scope, of_half=False, **types):
    axes = _given_axes(x, axes)
    x.shape.with_rank_at_least(axes.shape[0])
    lengths = _last_sizes(x, x.shape.rank, of_half) if fft_length is None else convert(fft_length, dtype="int32")
    x = _padded(x, lengths, of_half)
    factor = _factor(norm, lengths, kind.startswith("I"))
    if factor is not None:
        x = x * (cast(factor, x.dtype) if is_tensor(factor) else constant(factor, x.dtype))
    return op(kind)(input=x, fft_length=lengths, axes=axes, name=scope, **types)


@export("signal.fftnd")
def fftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """The discrete Fourier transform over some axes.

    Args:
      input_tensor: complex64 or complex128 tensor.
      fft_length: int32 vector: how many elements along each of the axes are used; None: the shape of the input.
      axes: int32 vector of axes; None: all of them.
      norm: "backward" (None, too), "ortho" or "forward": whether the inverse transform divides by the number of
        elements, both divide by its square root, or this one divides by it.
      name: name of the node.

    Returns:
      Tensor of the input's dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.fftnd(tf.ones([2, 2], tf.complex64)).numpy().real.tolist()
      [[4.0, 0.0], [0.0, 0.0]]
    """
    with name_scope(name or "fftnd") as scope:
        x = convert(input_tensor, dtype_hint="complex64")
        return _over_axes("FFTND", x, fft_length, axes, norm, scope)


@export("signal.ifftnd")
def ifftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """The inverse of the discrete Fourier transform over some axes.

    Args:
      input_tensor: complex64 or complex128 tensor.
      fft_length, axes, norm: as for `tf.signal.fftnd`.
      name: name of the node.

    Returns:
      Tensor of the input's dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.ifftnd(tf.constant([4.0, 0.0], tf.complex64)).numpy().real.tolist()
      [2.0, 2.0]
    """
    with name_scope(name or "ifftnd") as scope:
        x = convert(input_tensor, dtype_hint="complex64")
        return _over_axes("IFFTND", x, fft_length, axes, norm, scope)


@export("signal.rfftnd")
def rfftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """The discrete Fourier transform of real numbers over some axes; the last of these keeps half of its numbers.

    Args:
      input_tensor: float32 or float64 tensor.
      fft_length, axes, norm: as for `tf.signal.fftnd`.
      name: name of the node.

    Returns:
      complex64 or complex128 tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.rfftnd(tf.ones([2, 2])).numpy().real.tolist()
      [[4.0, 0.0], [0.0, 0.0]]
    """
    with name_scope(name or "rfftnd") as scope:
        x = _real_input(input_tensor)
        return _over_axes("RFFTND", x, fft_length, axes, norm, scope, Tcomplex=_COMPLEX_OF[x.dtype.name])


@export("signal.irfftnd")
def irfftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """Real numbers from the first half of their transform over some axes: the inverse of `tf.signal.rfftnd`.

    Args:
      input_tensor: complex64 or complex128 tensor.
      fft_length, axes, norm: as for `tf.signal.fftnd`; the lengths are those of the result.
      name: name of the node.

    Returns:
      float32 or float64 tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.irfftnd(tf.signal.rfftnd([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist()
      [[1.0, 2.0], [3.0, 4.0]]
    """
    with name_scope(name or "irfftnd") as scope:
        x = _half_input(input_tensor)
        return _over_axes("IRFFTND", x, fft_length, axes, norm, scope, of_half=True, Treal=_REAL_OF[x.dtype.name])


def _shifted(x, axes, sign, scope):
    x = convert(x)
    sizes = shape(x)
    if axes is None:
        axes = ints(range(x.shape.rank))
        shift = sizes // 2
    elif isinstance(axes, int):
        shift = sizes[axes] // 2
    else:
        axes = convert(axes, dtype=None if is_tensor(axes) else "int32")
        axes = where(axes < 0, axes + cast(rank(x), axes.dtype), axes)
        shift = gather(sizes, axes) // 2
    return op("Roll")(input=x, shift=shift if sign > 0 else -shift, axis=axes, name=scope)


@export("signal.fftshift")
def fftshift(x, axes=None, name=None):
    """Moves the number for frequency zero to the middle of a spectrum.

    Args:
      x: tensor.
      axes: an axis or several; None: all.
      name: name of the node.

    Returns:
      Tensor like x, rolled by half its size along the axes.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy().tolist()
      [-2, -1, 0, 1, 2]
    """
    with name_scope(name or "fftshift") as scope:
        return _shifted(x, axes, 1, scope)


@export("signal.ifftshift")
def ifftshift(x, axes=None, name=None):
    """The inverse of `tf.signal.fftshift`.

    Args:
      x: tensor.
      axes: an axis or several; None: all.
      name: name of the node.

    Returns:
      Tensor like x.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy().tolist()
      [0, 1, 2, -2, -1]
    """
    with name_scope(name or "ifftshift") as scope:
        return _shifted(x, axes, -1, scope)
