"""`tf.array_api.fft`: the standard's Fourier transforms."""

from __future__ import annotations

from tracefn._missing import getter
from tracefn._namespaces import root
from tracefn.array_api.arguments import FLOATING, REAL_FLOATING, check_device, one
from tracefn.array_api.manipulation import check_axis, moveaxis

tf = root()

__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft", "rfftfreq",
    "rfftn",
]  # fmt: skip
__getattr__ = getter("array_api.fft")

_COMPLEX = ("complex floating",)
_NORMS = ("backward", "ortho", "forward")
_SWAPPED = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _scaled(x, size, norm: str, inverse: bool):
    """The result of a transform of `size` numbers; TensorFlow's has the norm "backward"."""
    if norm == "backward":
        return x
    factor = tf.cast(size, x.dtype.real_dtype)
    factor = tf.sqrt(factor) if norm == "ortho" else factor
    factor = tf.cast(factor, x.dtype)
    return x * factor if inverse else x / factor


def _check_size(name: str, n) -> None:
    if n is not None and n < 1:
        raise ValueError(f"{name}: {n} numbers cannot be transformed, at least 1")


def _fitted(x, n):
    """x with n elements along its last axis: cut, or followed by zeros."""
    if x.shape[-1] is not None and x.shape[-1] >= n:
        return x[..., :n]
    cut = x[..., :n]
    after = tf.maximum(n - tf.shape(x)[-1], 0)
    rank = x.shape.rank
    padded = tf.pad(cut, tf.concat([tf.zeros([rank - 1, 2], tf.int32), [[0, after]]], 0))
    padded.set_shape([*x.shape[:-1], n])
    return padded


def _along(name: str, x, n, axis: int, norm: str, transform):
    """transform(x, n) along one axis.

    Raises:
      IndexError: there is no such axis.
      ValueError: `n` is below 1, or `norm` is no norm.
    """
    if norm not in _NORMS:
        raise ValueError(f"{name}: norm must be one of {_NORMS}, got {norm!r}")
    check_axis(name, axis, x.shape.rank)
    _check_size(name, n)
    is_last = axis in (-1, x.shape.rank - 1)
    result = transform(x if is_last else moveaxis(x, axis, -1), n)
    return result if is_last else moveaxis(result, -1, axis)


def _complex(name: str, x, n, axis: int, norm: str, inverse: bool):
    def transform(x, n):
        x = x if n is None else _fitted(x, n)
        return _scaled((tf.signal.ifft if inverse else tf.signal.fft)(x), tf.shape(x)[-1], norm, inverse)

    return _along(name, x, n, axis, norm, transform)


def _from_real(name: str, x, n, axis: int, norm: str):
    def transform(x, n):
        x = x if n is None else _fitted(x, n)
        return _scaled(tf.signal.rfft(x), tf.shape(x)[-1], norm, False)

    return _along(name, x, n, axis, norm, transform)


def _to_real(name: str, x, n, axis: int, norm: str):
    def transform(x, n):
        size = 2 * (tf.shape(x)[-1] - 1) if n is None else n
        if n is not None:
            x = _fitted(x, n // 2 + 1)
        return _scaled(tf.signal.irfft(x, [size]), size, norm, True)

    return _along(name, x, n, axis, norm, transform)


def fft(x, /, *, n=None, axis=-1, norm="backward"):
    """The Fourier transform along an axis: sums of x[j] * exp(-2i pi j k / n).

    Args:
      x: array of complex numbers.
      n: int, the number of elements that are transformed: x is cut or followed by zeros; None: all.
      axis: int.
      norm: "backward", or "ortho": divided by sqrt(n), or "forward": divided by n.

    Returns:
      Array of x's dtype, with n elements along the axis.

    Raises:
      TypeError: x is not complex.
      IndexError: there is no such axis.
      ValueError: `n` is below 1, or there is no such `norm`.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.fft(tf.constant([1.0, 2.0], tf.complex64)).numpy().tolist()
      [(3+0j), (-1+0j)]
    """
    return _complex("fft", one("fft", x, _COMPLEX), n, axis, norm, False)


def ifft(x, /, *, n=None, axis=-1, norm="backward"):
    """The inverse of `fft`, with the same arguments.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.ifft(tf.constant([3.0, -1.0], tf.complex64)).numpy().tolist()
      [(1+0j), (2+0j)]
    """
    return _complex("ifft", one("ifft", x, _COMPLEX), n, axis, norm, True)


def rfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The first n // 2 + 1 elements of the Fourier transform of real numbers, which tell the others.

    Args:
      x: array of real floating-point numbers.
      n, axis, norm: as in `fft`.

    Returns:
      Array of complex numbers.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.rfft(tf.constant([1.0, 2.0, 3.0, 4.0])).numpy().tolist()
      [(10+0j), (-2+2j), (-2+0j)]
    """
    return _from_real("rfft", one("rfft", x, REAL_FLOATING), n, axis, norm)


def irfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The inverse of `rfft`.

    Args:
      x: array of complex numbers.
      n: int, the number of elements of the result along the axis; None: 2 * (m - 1) for m in x.
      axis, norm: as in `fft`.

    Returns:
      Array of real numbers.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.irfft(tf.constant([10 + 0j, -2 + 2j, -2 + 0j], tf.complex64)).numpy().tolist()
      [1.0, 2.0, 3.0, 4.0]
    """
    return _to_real("irfft", one("irfft", x, _COMPLEX), n, axis, norm)


def hfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The Fourier transform, which is real, of numbers whose second half mirrors the first, conjugated.

    Args:
      x: array of complex numbers: the first half.
      n: int, the number of elements of the result along the axis; None: 2 * (m - 1) for m in x.
      axis, norm: as in `fft`.

    Returns:
      Array of real numbers.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.hfft(tf.constant([1.0, 2.0, 1.0], tf.complex64)).numpy().tolist()
      [6.0, 0.0, -2.0, 0.0]
    """
    x = one("hfft", x, _COMPLEX)
    return _to_real("hfft", tf.math.conj(x), n, axis, _SWAPPED.get(norm, norm))


def ihfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The inverse of `hfft`: the first half, for real x; the other arguments are those of `fft`.

    Example:
      >>> import tracefn as tf
      >>> tf.math.real(tf.array_api.fft.ihfft(tf.constant([6.0, 0.0, -2.0, 0.0]))).numpy().tolist()
      [1.0, 2.0, 1.0]
    """
    x = one("ihfft", x, REAL_FLOATING)
    return tf.math.conj(_from_real("ihfft", x, n, axis, _SWAPPED.get(norm, norm)))


def _sizes(name: str, x, s, axes) -> list[tuple]:
    """(axis, size or None) of a transform over several axes.

    Raises:
      ValueError: `s` and `axes` differ in length, or the rank is needed and not known.
    """
    if axes is None:
        if s is None and x.shape.rank is None:
            raise ValueError(f"{name} needs axes for an array of unknown rank")
        axes = range(x.shape.rank) if s is None else range(-len(s), 0)
    axes = list(axes)
    sizes = [None] * len(axes) if s is None else list(s)
    if len(sizes) != len(axes):
        raise ValueError(f"{name}: {len(sizes)} sizes for {len(axes)} axes")
    return list(zip(axes, sizes, strict=True))


def fftn(x, /, *, s=None, axes=None, norm="backward"):
    """The Fourier transform along several axes.

    Args:
      x: array of complex numbers.
      s: sequence of ints, the sizes along the axes; None: all elements.
      axes: sequence of ints; None: the last ones, as many as there are sizes, or all.
      norm: as in `fft`.

    Returns:
      Array of x's dtype.

    Raises:
      ValueError: there are not as many sizes as axes.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.fftn(tf.ones([2, 2], tf.complex64)).numpy().tolist()
      [[(4+0j), 0j], [0j, 0j]]
    """
    x = one("fftn", x, _COMPLEX)
    for axis, n in reversed(_sizes("fftn", x, s, axes)):
        x = _complex("fftn", x, n, axis, norm, False)
    return x


def ifftn(x, /, *, s=None, axes=None, norm="backward"):
    """The inverse of `fftn`, with the same arguments.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.ifftn(tf.ones([2, 2], tf.complex64)).numpy().tolist()
      [[(1+0j), 0j], [0j, 0j]]
    """
    x = one("ifftn", x, _COMPLEX)
    for axis, n in reversed(_sizes("ifftn", x, s, axes)):
        x = _complex("ifftn", x, n, axis, norm, True)
    return x


def rfftn(x, /, *, s=None, axes=None, norm="backward"):
    """`rfft` along the last of several axes, and `fft` along the others.

    Args:
      x: array of real floating-point numbers.
      s, axes, norm: as in `fftn`.

    Returns:
      Array of complex numbers.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.rfftn(tf.ones([2, 2])).numpy().tolist()
      [[(4+0j), 0j], [0j, 0j]]
    """
    x = one("rfftn", x, REAL_FLOATING)
    *others, (last, n) = _sizes("rfftn", x, s, axes)
    x = _from_real("rfftn", x, n, last, norm)
    for axis, size in reversed(others):
        x = _complex("rfftn", x, size, axis, norm, False)
    return x


def irfftn(x, /, *, s=None, axes=None, norm="backward"):
    """The inverse of `rfftn`; of the last size without `s`, see `irfft`.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.irfftn(tf.constant([[4.0, 0.0], [0.0, 0.0]], tf.complex64)).numpy().tolist()
      [[1.0, 1.0], [1.0, 1.0]]
    """
    x = one("irfftn", x, _COMPLEX)
    *others, (last, n) = _sizes("irfftn", x, s, axes)
    for axis, size in others:
        x = _complex("irfftn", x, size, axis, norm, True)
    return _to_real("irfftn", x, n, last, norm)


def _frequencies(name: str, places, n: int, d, dtype, device):
    check_device(device)
    _check_size(name, n)
    dtype = tf.float32 if dtype is None else tf.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"{name}: dtype must be a real floating-point type, got {dtype.name}")
    return tf.cast(tf.cast(places, tf.float64) / tf.constant(n * d, tf.float64), dtype)


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of the elements of a Fourier transform.

    Args:
      n: int, the number of elements.
      d: float, the distance of samples.
      dtype: real floating-point dtype; None: float32.
      device: the device, None or that of every tensor.

    Returns:
      Vector of n numbers: 0, 1, …, then the negative ones from -(n // 2) on, divided by n * d.

    Raises:
      ValueError: `n` is below 1, or `dtype` is another one.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.fftfreq(4).numpy().tolist()
      [0.0, 0.25, -0.5, -0.25]
    """
    return _frequencies("fftfreq", [*range((n + 1) // 2), *range(-(n // 2), 0)], n, d, dtype, device)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of the elements of `rfft`; the arguments are those of `fftfreq`.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.rfftfreq(4).numpy().tolist()
      [0.0, 0.25, 0.5]
    """
    return _frequencies("rfftfreq", list(range(n // 2 + 1)), n, d, dtype, device)


def _shift_axes(name: str, x, axes):
    if axes is None:
        return None
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    for axis in axes:
        check_axis(name, axis, x.shape.rank)
    return axes


def fftshift(x, /, *, axes=None):
    """Moves the number for frequency zero to the middle.

    Args:
      x: array of floating-point or complex numbers.
      axes: int or sequence of ints; None: all.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.fftshift(tf.array_api.fft.fftfreq(4)).numpy().tolist()
      [-0.5, -0.25, 0.0, 0.25]
    """
    x = one("fftshift", x, FLOATING)
    return tf.signal.fftshift(x, _shift_axes("fftshift", x, axes))


def ifftshift(x, /, *, axes=None):
    """The inverse of `fftshift`, with the same arguments.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.fft.ifftshift(tf.constant([-0.5, -0.25, 0.0, 0.25])).numpy().tolist()
      [0.0, 0.25, -0.5, -0.25]
    """
    x = one("ifftshift", x, FLOATING)
    return tf.signal.ifftshift(x, _shift_axes("ifftshift", x, axes))
