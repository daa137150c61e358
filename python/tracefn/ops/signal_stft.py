"""Short-time Fourier transforms and modified cosine transforms of signals, and back."""

from __future__ import annotations

import math

from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.array_shape import concat, pad, rank, reshape, shape, split, stack
from tracefn.ops.casting import cast
from tracefn.ops.indexing import where
from tracefn.ops.reduction import reduce_sum
from tracefn.ops.signal_cosine import dct, last_size
from tracefn.ops.signal_fourier import irfft, rfft
from tracefn.ops.signal_frames import frame, overlap_and_add
from tracefn.ops.signal_windows import hann_window, vorbis_window


def _scalar(value, name):
    tensor = convert(value, name=name)
    tensor.shape.assert_has_rank(0)
    return tensor


def _power_of_two_from(n):
    known = get_static_value(n)
    if known is not None:
        return constant(1 << (int(known) - 1).bit_length() if known > 0 else 0, n.dtype)
    exponent = op("Ceil")(x=op("Log")(x=cast(n, "float32")) / math.log(2.0))
    return cast(op("Pow")(x=2.0, y=exponent), n.dtype)


def _windowed(frames, window_fn, length, dtype):
    return frames if window_fn is None else frames * window_fn(length, dtype=dtype)


@export("signal.stft")
def stft(signals, frame_length, frame_step, fft_length=None, window_fn=hann_window, pad_end=False, name=None):
    """The short-time Fourier transform: the transform of each windowed frame of a signal.

    Args:
      signals: float32 or float64 tensor [..., samples].
      frame_length: int scalar, the samples of a frame.
      frame_step: int scalar, the samples from the start of one frame to that of the next.
      fft_length: int scalar, the length of the transforms; None: the power of two from frame_length on.
      window_fn: a function of a length and `dtype` that returns a window, or None.
      pad_end: whether frames that go beyond the signal are made, too.
      name: name of the node.

    Returns:
      complex64 or complex128 tensor [..., frames, fft_length // 2 + 1].

    Raises:
      ValueError: `signals` has no axis, or an argument is not a scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.stft(tf.ones([10]), 4, 2).shape
      TensorShape([4, 3])
    """
    with name_scope(name or "stft"):
        signals = convert(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        frame_length, frame_step = _scalar(frame_length, "frame_length"), _scalar(frame_step, "frame_step")
        fft_length = _power_of_two_from(frame_length) if fft_length is None else convert(fft_length, name="fft_length")
        frames = frame(signals, frame_length, frame_step, pad_end=pad_end)
        return rfft(_windowed(frames, window_fn, frame_length, frames.dtype), stack([cast(fft_length, "int32")]))


@export("signal.inverse_stft_window_fn")
def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    """The window for `tf.signal.inverse_stft` that undoes the window of `tf.signal.stft`.

    Args:
      frame_step: int scalar, that of the transforms.
      forward_window_fn: the `window_fn` of `tf.signal.stft`.
      name: name of the node.

    Returns:
      A function of a length and `dtype`: the forward window, over the sum of the squares of all windows that overlap
      there (Griffin and Lim, Signal estimation from modified short-time Fourier transform, 1984, equation 7).

    Example:
      >>> import tracefn as tf
      >>> tf.signal.inverse_stft_window_fn(2)(4, dtype=tf.float32).numpy().round(4).tolist()
      [0.0, 1.0, 1.0, 1.0]
    """

    def inverse_stft_window_fn_inner(frame_length, dtype):
        with name_scope(name or "inverse_stft_window_fn"):
            step, length = _scalar(frame_step, "frame_step"), _scalar(frame_length, "frame_length")
            window = forward_window_fn(length, dtype=dtype)
            overlaps = -(-length // step)
            squares = pad(op("Square")(x=window), [[0, overlaps * step - length]])
            total = reduce_sum(reshape(squares, [overlaps, step]), 0)
            total = op("Tile")(input=total, multiples=[overlaps])[:length]
            none = op("Equal")(x=total, y=constant(0.0, total.dtype))
            return where(none, op("ZerosLike")(x=window), window / total)

    return inverse_stft_window_fn_inner


def _of_length(frames, frame_length):
    """Frames cut off, or padded with zeros."""
    known, size = get_static_value(frame_length), last_size(frames)
    if known is not None and isinstance(size, int):
        n = int(known)
        return frames[..., :n] if n <= size else pad(frames, [[0, 0]] * (frames.shape.rank - 1) + [[0, n - size]])
    frames = frames[..., :frame_length]
    missing = cast(frame_length, "int32") - shape(frames)[-1]
    paddings = concat([op("Fill")(dims=stack([rank(frames) - 1, 2]), value=0), [[0, missing]]], 0)
    return pad(frames, paddings)


@export("signal.inverse_stft")
def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None):
    """A signal from its short-time Fourier transform: the sum of the windowed inverse transforms.

    Args:
      stfts: complex64 or complex128 tensor [..., frames, fft_length // 2 + 1].
      frame_length, frame_step, fft_length: as for `tf.signal.stft`.
      window_fn: a function of a length and `dtype` that returns a window, or None. The signal is that of
        `tf.signal.stft` with `tf.signal.inverse_stft_window_fn(frame_step, forward_window_fn)`.
      name: name of the node.

    Returns:
      float32 or float64 tensor [..., samples].

    Raises:
      ValueError: `stfts` has fewer than two axes, or an argument is not a scalar.

    Example:
      >>> import tracefn as tf
      >>> spectra = tf.signal.stft(tf.range(8.0), 4, 2)
      >>> window = tf.signal.inverse_stft_window_fn(2)
      >>> tf.signal.inverse_stft(spectra, 4, 2, window_fn=window).numpy()[2:6].round(4).tolist()
      [2.0, 3.0, 4.0, 5.0]
    """
    with name_scope(name or "inverse_stft"):
        stfts = convert(stfts, name="stfts")
        stfts.shape.with_rank_at_least(2)
        frame_length, frame_step = _scalar(frame_length, "frame_length"), _scalar(frame_step, "frame_step")
        fft_length = _power_of_two_from(frame_length) if fft_length is None else _scalar(fft_length, "fft_length")
        frames = _of_length(irfft(stfts, stack([cast(fft_length, "int32")])), frame_length)
        return overlap_and_add(_windowed(frames, window_fn, frame_length, frames.dtype), frame_step)


@export("signal.mdct")
def mdct(signals, frame_length, window_fn=vorbis_window, pad_end=False, norm=None, name=None):
    """The modified discrete cosine transform of frames that overlap by half (J. Princen and A. Bradley, Analysis/synthesis
    filter bank design based on time domain aliasing cancellation, 1986).

    Args:
      signals: float32 or float64 tensor [..., samples].
      frame_length: int scalar, a multiple of 4.
      window_fn: a function of a length and `dtype` that returns a window; None: 1 / sqrt(2) everywhere.
      pad_end: whether frames that go beyond the signal are made, too.
      norm: None, or "ortho" for orthonormal cosine transforms.
      name: name of the node.

    Returns:
      Tensor [..., frames, frame_length // 2].

    Raises:
      ValueError: `signals` has no axis, or `frame_length` is not a scalar or not a multiple of 4.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.mdct(tf.ones([12]), 4).shape
      TensorShape([5, 2])
    """
    with name_scope(name or "mdct"):
        signals = convert(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        frame_length = _scalar(frame_length, "frame_length")
        known = get_static_value(frame_length)
        if known is not None and known % 4 != 0:
            raise ValueError("The frame length must be a multiple of 4.")
        frames = frame(signals, frame_length, frame_length // 2, pad_end=pad_end)
        a, b, c, d = split(_with_mdct_window(frames, window_fn, frame_length), 4, axis=-1)
        folded = concat([-_reversed(c) - d, a - _reversed(b)], axis=-1)
        return dct(folded, type=4, norm=norm)


def _with_mdct_window(frames, window_fn, frame_length):
    if window_fn is None:
        return frames * (1.0 / math.sqrt(2))
    return frames * window_fn(frame_length, dtype=frames.dtype)


def _reversed(x):
    return op("ReverseV2")(tensor=x, axis=[-1])


@export("signal.inverse_mdct")
def inverse_mdct(mdcts, window_fn=vorbis_window, norm=None, name=None):
    """A signal from its modified cosine transform.

    Args:
      mdcts: float32 or float64 tensor [..., frames, frame_length // 2].
      window_fn, norm: as for `tf.signal.mdct`.
      name: name of the node.

    Returns:
      Tensor [..., (frames - 1) * (frame_length // 2) + frame_length]. The half frames at both ends are not those of
      the signal.

    Raises:
      ValueError: `mdcts` has fewer than two axes.

    Example:
      >>> import tracefn as tf
      >>> frames = tf.signal.mdct(tf.range(12.0), 4)
      >>> tf.signal.inverse_mdct(frames).numpy()[2:6].round(4).tolist()
      [2.0, 3.0, 4.0, 5.0]
    """
    with name_scope(name or "inverse_mdct"):
        mdcts = convert(mdcts, name="mdcts")
        mdcts.shape.with_rank_at_least(2)
        half = last_size(mdcts)
        transformed = dct(mdcts, type=4, norm=norm)
        if norm is None:
            transformed = transformed * (0.5 / cast(half, mdcts.dtype))
        first, second = split(transformed, 2, axis=-1)
        frames = concat([second, -_reversed(second), -_reversed(first), -first], axis=-1)
        return overlap_and_add(_with_mdct_window(frames, window_fn, 2 * half), half)
