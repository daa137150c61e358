"""`tf.quantization.quantize_and_dequantize`."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import convert, op


def _axis(x, axis) -> int:
    """The axis as the ops take it: -1 for none."""
    if axis is None:
        return -1
    if axis < 0:
        if x.shape.rank is None:
            raise ValueError("input should have known rank to use negative axis.")
        axis %= x.shape.rank
    return axis


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
    x = convert(input)
    return op("QuantizeAndDequantizeV4")(
        input=x, input_min=convert(input_min, dtype=x.dtype), input_max=convert(input_max, dtype=x.dtype),
        signed_input=signed_input, num_bits=num_bits, range_given=range_given, round_mode=round_mode,
        narrow_range=narrow_range, axis=_axis(x, axis), name=name,
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
    x = convert(input)
    return op("QuantizeAndDequantizeV2")(
        input=x, input_min=convert(input_min, dtype=x.dtype), input_max=convert(input_max, dtype=x.dtype),
        signed_input=signed_input, num_bits=num_bits, range_given=range_given, round_mode=round_mode,
        narrow_range=narrow_range, axis=_axis(x, axis), name=name,
    )  # fmt: skip
