"""Spectra on the mel scale."""

from __future__ import annotations

from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.dtypes import as_dtype
from tracefn.framework import is_tensor
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.array_shape import expand_dims, pad
from tracefn.ops.casting import cast
from tracefn.ops.ranges import linspace
from tracefn.ops.signal_cosine import dct, last_size


def _mel(hertz):
    """Frequencies on the mel scale of the Hidden Markov Model Toolkit: 1127 log(1 + f / 700)."""
    return 1127.0 * op("Log")(x=1.0 + hertz / 700.0)


def _check(bins, rate, lower, upper, dtype):
    if bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower:.1f} >= upper_edge_hertz {upper:.1f}")
    if not is_tensor(rate):
        if rate <= 0.0:
            raise ValueError(f"sample_rate must be positive. Got: {rate}")
        if upper > rate / 2:
            raise ValueError(
                "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
                f"Got {upper} for sample_rate: {rate}"
            )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")


@export("signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins=20,
    num_spectrogram_bins=129,
    sample_rate=8000,
    lower_edge_hertz=125.0,
    upper_edge_hertz=3800.0,
    dtype="float32",
    name=None,
):
    """The matrix that turns spectra over linear frequencies into spectra on the mel scale, with triangular bands of height 1.

    The scale is that of the Hidden Markov Model Toolkit: 2595 log10(1 + f / 700).

    Args:
      num_mel_bins: int, the number of bands.
      num_spectrogram_bins: int scalar, the number of frequencies from 0 to sample_rate / 2.
      sample_rate: int or float scalar, in samples per second.
      lower_edge_hertz: float, the lower edge of the lowest band.
      upper_edge_hertz: float, the upper edge of the highest band.
      dtype: a floating-point dtype.
      name: name of the node.

    Returns:
      Tensor [num_spectrogram_bins, num_mel_bins].

    Raises:
      ValueError: numbers that do not fit together, or another dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.linear_to_mel_weight_matrix(2, 4, 8000, 0.0, 4000.0, tf.float64).numpy().round(2).tolist()
      [[0.0, 0.0], [0.32, 0.68], [0.0, 0.53], [0.0, 0.0]]
    """
    with name_scope(name or "linear_to_mel_weight_matrix") as scope:
        dtype = as_dtype(dtype)
        if is_tensor(sample_rate):
            known = get_static_value(sample_rate)
            sample_rate = sample_rate if known is None else known
        _check(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype)
        rate = cast(sample_rate, dtype)
        lower, upper = constant(lower_edge_hertz, dtype), constant(upper_edge_hertz, dtype)
        zero = constant(0.0, dtype)
        # The toolkit leaves out frequency zero.
        mel = expand_dims(_mel(linspace(zero, rate / 2.0, num_spectrogram_bins)[1:]), 1)
        edges = expand_dims(linspace(_mel(lower), _mel(upper), num_mel_bins + 2), 0)
        left, middle, right = edges[:, :-2], edges[:, 1:-1], edges[:, 2:]
        rising, falling = (mel - left) / (middle - left), (right - mel) / (right - middle)
        weights = op("Maximum")(x=zero, y=op("Minimum")(x=rising, y=falling))
        return pad(weights, [[1, 0], [0, 0]], name=scope)


@export("signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    """Mel-frequency cepstral coefficients: the cosine transform of log mel spectra, scaled by sqrt(2 / n).

    Args:
      log_mel_spectrograms: float32 or float64 tensor [..., num_mel_bins].
      name: name of the node.

    Returns:
      Tensor like it; usually the first few of these are used.

    Raises:
      ValueError: num_mel_bins is zero.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.mfccs_from_log_mel_spectrograms([1.0, 1.0]).numpy().round(4).tolist()
      [2.0, 0.0]
    """
    with name_scope(name or "mfccs_from_log_mel_spectrograms"):
        x = convert(log_mel_spectrograms)
        size = last_size(x)
        if isinstance(size, int) and size == 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {x!s}")
        transformed = dct(x, type=2)
        return transformed * op("Rsqrt")(x=2.0 * cast(size, transformed.dtype))
