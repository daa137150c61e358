"""What convolutions and pooling share: layouts, arguments with a number for each dimension, paddings, batch dimensions."""

from __future__ import annotations

from collections.abc import Sized

from tracefn.ops._build import ints, name_scope, op

# The layouts with the channels last, of one, two and three spatial dimensions.
CHANNELS_LAST = ("NWC", "NHWC", "NDHWC")


def is_channels_second(data_format) -> bool:
    """Whether the channels come before the spatial dimensions."""
    return data_format.startswith("NC")


def require_nhwc(data_format):
    """Refuses other layouts of images.

    Raises:
      ValueError: it is not "NHWC".
    """
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}"
        )


def array_text(values) -> str:
    """Numbers as TensorFlow's messages show them: as NumPy prints arrays."""
    return f"[{' '.join(map(str, values))}]"


def sequence(value, n, channels_second, name):
    """An argument with a number for each of `n` spatial dimensions, as a list of n + 2: 1 for batch and channels.

    Raises:
      ValueError: it has another length than 1, n or n + 2.
    """
    if value is None:
        return [1] * (n + 2)
    value = list(value) if isinstance(value, Sized) and not isinstance(value, str) else [value]
    if len(value) == n + 2:
        return value
    if len(value) == 1:
        value = value * n
    elif len(value) != n:
        raise ValueError(
            f"{name} should be of length 1, {n} or {n + 2}. Received: {name}={value} of length {len(value)}"
        )
    return [1, 1, *value] if channels_second else [1, *value, 1]


def explicit(padding, expected_length=4):
    """(padding, explicit_paddings) as attributes: a list of pairs is "EXPLICIT".

    Raises:
      ValueError: it is "EXPLICIT" itself, or a list of something else.
    """
    if padding == "EXPLICIT":
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` must be a list."
        )
    if not isinstance(padding, (list, tuple)):
        return padding, []
    flat = []
    for i, pair in enumerate(padding):
        start = "When `padding` is a list, each element of `padding` must be a list/tuple of size 2. "
        if not isinstance(pair, (list, tuple)):
            raise ValueError(f"{start}Received: padding={padding} with element at index {i} of type {type(pair)}")
        if len(pair) != 2:
            raise ValueError(f"{start}Received: padding={padding} with element at index {i} of size {len(pair)}")
        flat.extend(pair)
    if len(padding) != expected_length:
        raise ValueError(
            f"When padding is a list, it must be of size {expected_length}. Received: padding={padding} of size "
            f"{len(padding)}"
        )
    return "EXPLICIT", flat


def with_one_batch(x, function, inner_rank, name):
    """A function of tensors with one batch dimension, on one with several: they are joined, and split again."""
    with name_scope(name or "squeeze_batch_dims"):
        outer = x.shape[:-inner_rank]
        shape = op("Shape")(input=x)
        joined = op("Reshape")(tensor=x, shape=op("ConcatV2")(values=[ints([-1]), shape[-inner_rank:]], axis=0))
        joined.set_shape([None, *x.shape[-inner_rank:]])
        result = function(joined)
        inner = op("Shape")(input=result)[-inner_rank:]
        split = op("Reshape")(tensor=result, shape=op("ConcatV2")(values=[shape[:-inner_rank], inner], axis=0))
        split.set_shape(outer.concatenate(result.shape[-inner_rank:]))
        return split
