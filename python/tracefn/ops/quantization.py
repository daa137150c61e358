"""`tf.quantization`: quantized integers, and floats rounded as these would be."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import convert, op


def _axis(x, axis) -> int:
    """The axis as the ops take it: -1 for none."""
    if axis is None:
        return -1
    if axis < 0:
        rank = convert(x).shape.rank
        if rank is None:
            raise ValueError("input should have known rank to use negative axis.")
        axis %= rank
    return axis


@export("quantization.quantize")
def quantize(
    input, min_range, max_range, T, mode="MIN_COMBINED", round_mode="HALF_AWAY_FROM_ZERO", name=None, narrow_range=False,
    axis=None, ensure_minimum_range=0.01,
):  # fmt: skip
    """Floats as quantized integers that divide a range evenly.

    Args:
      input: tensor of float32. What is outside of the range becomes one of its ends.
      min_range, max_range: scalars of float32, or with an axis vectors: a range for each slice.
      T: `tf.qint8`, `tf.quint8`, `tf.qint16`, `tf.quint16` or `tf.qint32`.
      mode: "MIN_COMBINED": the least integer is the lower end of the range, the greatest its upper end. "MIN_FIRST": the
        same, and 0 is a whole number of steps. "SCALED": the numbers are multiplied by a factor, so that 0 stays 0.
      round_mode: "HALF_AWAY_FROM_ZERO", or "HALF_TO_EVEN" in mode "SCALED".
      name: name of the node.
      narrow_range: whether mode "SCALED" leaves out the least integer.
      axis: int, or None for one range.
      ensure_minimum_range: the range is made at least this wide, times the larger of 1 and the absolute value of its ends.

    Returns:
      Named tuple of the integers (`output`) and of the range that they have (`output_min` and `output_max`, float32).

    Raises:
      InvalidArgumentError: `min_range` is greater than `max_range`, or their shapes do not fit.
      UnimplementedError: mode "MIN_FIRST" with several slices.
      ValueError: `axis` is negative and the rank is not known.

    >>> tf.quantization.quantize([-1.0, 0.0, 0.5, 3.0], -1.0, 1.0, tf.qint8, mode="SCALED").output.numpy()
    array([-127,    0,   64,  127], dtype=int8)
    """
    return op("QuantizeV2")(
        input=input, min_range=min_range, max_range=max_range, T=T, mode=mode, round_mode=round_mode,
        narrow_range=narrow_range, axis=_axis(input, axis), ensure_minimum_range=ensure_minimum_range, name=name,
    )  # fmt: skip


@export("compat.v1.quantize_v2")
def quantize_v2(
    input, min_range, max_range, T, mode="MIN_COMBINED", name=None, round_mode="HALF_AWAY_FROM_ZERO", narrow_range=False,
    axis=None, ensure_minimum_range=0.01,
):  # fmt: skip
    """`tf.quantization.quantize` with its parameters in another order."""
    return quantize(input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis, ensure_minimum_range)


@export("quantization.dequantize")
def dequantize(
    input, min_range, max_range, mode="MIN_COMBINED", name=None, axis=None, narrow_range=False, dtype="float32"
):
    """The floats that quantized integers stand for.

    Args:
      input: tensor of a quantized dtype.
      min_range, max_range: scalars of float32, or with an axis vectors: the range of the integers.
      mode: as in `tf.quantization.quantize`.
      name: name of the node.
      axis: int, or None for one range.
      narrow_range: as in `tf.quantization.quantize`.
      dtype: float32, or bfloat16 in mode "MIN_COMBINED".

    Returns:
      Tensor of `dtype` in the shape of `input`.

    Raises:
      InvalidArgumentError: the shape of a range does not fit, or bfloat16 in another mode.
      UnimplementedError: mode "MIN_FIRST" with several slices.
      ValueError: `axis` is negative and the rank is not known.

    >>> tf.quantization.dequantize(tf.constant([-127, 0, 64], tf.qint8), -1.0, 1.0, mode="SCALED").numpy()
    array([-1.      ,  0.      ,  0.503937], dtype=float32)
    """
    return op("Dequantize")(
        input=input, min_range=min_range, max_range=max_range, mode=mode, axis=_axis(input, axis),
        narrow_range=narrow_range, dtype=dtype, name=name,
    )  # fmt: skip


@export("quantization.quantize_and_dequantize_v2")
def quantize_and_dequantize_v2(
    input, input_min, input_max, signed_input=True, num_bits=8, range_given=False, round_mode="HALF_TO_EVEN", name=None,
    narrow_range=False, axis=None,
):  # fmt: skip
    """Numbers rounded to the nearest multiples of a step that integers of `num_bits` bits can count.

    Args:
      input: tensor of float32 or float64.
      input_min, input_max: scalars of the same dtype: the range that the integers cover, if `range_given`. What is outside
        is clamped.
      signed_input: whether the integers are signed.
      num_bits: int.
      range_given: whether the range is given; otherwise it is that of `input`, or of each of its slices along `axis`.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      name: name of the node.
      narrow_range: whether the least integer is left out.
      axis: int, or None for one range.

    Returns:
      Tensor like `input`. Its gradient is 0 where `input` is outside of [input_min, input_max], else that of the result.

    Raises:
      InvalidArgumentError: the range is empty, or `num_bits` is out of range.
      ValueError: `axis` is negative and the rank is not known.

    >>> tf.quantization.quantize_and_dequantize_v2([-1.2, 0.3, 5.0], -1.0, 5.0, range_given=True, num_bits=3).numpy()
    array([-1.6666666,  0.       ,  5.       ], dtype=float32)
    """
    return op("QuantizeAndDequantizeV4")(
        input=input, input_min=input_min, input_max=input_max,
        signed_input=signed_input, num_bits=num_bits, range_given=range_given, round_mode=round_mode,
        narrow_range=narrow_range, axis=_axis(input, axis), name=name,
    )  # fmt: skip


@export("quantization.quantize_and_dequantize")
def quantize_and_dequantize(
    input, input_min, input_max, signed_input=True, num_bits=8, range_given=False, round_mode="HALF_TO_EVEN", name=None,
    narrow_range=False, axis=None,
):  # fmt: skip
    """`tf.quantization.quantize_and_dequantize_v2` with the gradient of the identity.

    Arguments, result and errors are those of `tf.quantization.quantize_and_dequantize_v2`.

    >>> tf.quantization.quantize_and_dequantize([-1.0, 0.3, 1.0], 0.0, 0.0, num_bits=2).numpy()
    array([-1.,  0.,  1.], dtype=float32)
    """
    return op("QuantizeAndDequantizeV2")(
        input=input, input_min=input_min, input_max=input_max,
        signed_input=signed_input, num_bits=num_bits, range_given=range_given, round_mode=round_mode,
        narrow_range=narrow_range, axis=_axis(input, axis), name=name,
    )  # fmt: skip
