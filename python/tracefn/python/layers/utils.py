"""`tensorflow.python.layers.utils`: sizes and arguments of convolutions."""

from __future__ import annotations

from tracefn.python.framework.smart_cond import smart_cond
from tracefn.python.framework.smart_cond import smart_constant_value as constant_value

__all__ = [
    "constant_value",
    "conv_input_length",
    "conv_output_length",
    "convert_data_format",
    "deconv_output_length",
    "normalize_data_format",
    "normalize_padding",
    "normalize_tuple",
    "smart_cond",
]

_SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


def convert_data_format(data_format, ndim):
    """"channels_last" or "channels_first" of a tensor with `ndim` dimensions as "NHWC" and the like.

    Raises:
      ValueError: the format or the number of dimensions is another one.

    Example:
      >>> from tracefn.python.layers.utils import convert_data_format
      >>> convert_data_format("channels_first", 4)
      'NCHW'
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(
            "Argument data_format=" + str(data_format) + " not recognized; must be one of channels_first, channels_last."
        )
    spatial = _SPATIAL.get(ndim - 2)
    if spatial is None:
        raise ValueError(f"Input rank: {ndim} not supported. We only support input rank 3, 4, or 5.")
    return f"N{spatial}C" if data_format == "channels_last" else f"NC{spatial}"


def normalize_tuple(value, n, name):
    """An int, or n of them, as a tuple of n ints.

    Raises:
      ValueError: it is something else.

    Example:
      >>> from tracefn.python.layers.utils import normalize_tuple
      >>> normalize_tuple(2, 3, "strides")
      (2, 2, 2)
    """
    if isinstance(value, int):
        return (value,) * n
    wrong = f"Argument `{name}` must be a tuple of {n!s} integers. Received: {value!s}"
    try:
        values = tuple(value)
    except TypeError:
        raise ValueError(wrong) from None
    if len(values) != n:
        raise ValueError(wrong)
    for single in values:
        try:
            int(single)
        except (ValueError, TypeError):
            raise ValueError(f"{wrong} including element {single!s} of type {type(single)!s}") from None
    return values


def normalize_data_format(value):
    """A format in lower case.

    Raises:
      ValueError: it is neither "channels_first" nor "channels_last".
    """
    data_format = value.lower()
    if data_format not in {"channels_first", "channels_last"}:
        raise ValueError(
            f'The `data_format` argument must be one of "channels_first", "channels_last". Received: {value!s}.'
        )
    return data_format


def normalize_padding(value):
    """A padding in lower case.

    Raises:
      ValueError: it is neither "valid" nor "same".
    """
    padding = value.lower()
    if padding not in {"valid", "same"}:
        raise ValueError(f"The `padding` argument must be one of 'valid', 'same'. Received: {padding}.")
    return padding


def conv_output_length(input_length, filter_size, padding, stride, dilation=1):
    """The size of one dimension of a convolution's result; `padding` is "same", "valid" or "full".

    Example:
      >>> from tracefn.python.layers.utils import conv_output_length
      >>> conv_output_length(10, 3, "valid", 2)
      4
    """
    if input_length is None:
        return None
    taps = filter_size + (filter_size - 1) * (dilation - 1)
    length = {"same": input_length, "valid": input_length - taps + 1, "full": input_length + taps - 1}[padding]
    return (length + stride - 1) // stride


def conv_input_length(output_length, filter_size, padding, stride):
    """The size of one dimension of a convolution's input; `padding` is "same", "valid" or "full"."""
    if output_length is None:
        return None
    pad = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(input_length, filter_size, padding, stride):
    """The size of one dimension of a transposed convolution's result."""
    if input_length is None:
        return None
    length = input_length * stride
    if padding == "valid":
        return length + max(filter_size - stride, 0)
    return length - (stride + filter_size - 2) if padding == "full" else length
