"""Convolutions of one, two and three dimensions, and their transposes."""

from __future__ import annotations

from collections.abc import Sized

from tracefn import _core
from tracefn._export import export
from tracefn.ops._build import convert, ints, name_scope, op
from tracefn.ops.windows import CHANNELS_LAST, array_text, explicit, is_channels_second, sequence, with_one_batch


@export("nn.conv2d")
def conv2d(input, filters, strides, padding, data_format="NHWC", dilations=None, name=None):
    """The cross-correlation of images with filters: each result is a weighted sum of a window of its image.

    Args:
      input: tensor [..., height, width, channels] of rank at least 4; with "NCHW": [batch, channels, height, width].
      filters: tensor [height, width, channels of a group, filters]; the input has one or more groups of channels.
      strides: int or list of 1, 2 or 4 ints: by how much the window moves.
      padding: "SAME" (as many results as elements, divided by the strides), "VALID" (windows inside the images), or a
        list of pairs, for each dimension the zeros before and after it.
      data_format: "NHWC" or "NCHW".
      dilations: int or list of 1, 2 or 4 ints: the distance of elements of the window.
      name: name of the node.

    Returns:
      Tensor of the input's dtype, with the filters as channels.

    Raises:
      ValueError: an argument has another length, or shapes do not fit in a graph.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
      >>> tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), strides=1, padding="VALID")[0, :, :, 0].numpy().tolist()
      [[8.0, 12.0], [20.0, 24.0]]
    """
    padding, explicit_paddings = explicit(padding)
    data_format = data_format or "NHWC"
    attrs = {
        "strides": sequence(strides, 2, is_channels_second(data_format), "strides"),
        "padding": padding,
        "explicit_paddings": explicit_paddings,
        "data_format": data_format,
        "dilations": sequence(dilations, 2, is_channels_second(data_format), "dilations"),
    }
    return _conv2d(convert(input, name="input"), filters, attrs, name)


def _conv2d(input, filters, attrs, name):
    if input.shape.rank is None or input.shape.rank < 5:
        return op("Conv2D")(input=input, filter=filters, **attrs, name=name)
    return with_one_batch(input, lambda x: op("Conv2D")(input=x, filter=filters, **attrs), 3, name)


@export("nn.conv3d")
def conv3d(input, filters, strides, padding, data_format="NDHWC", dilations=None, name=None):
    """The cross-correlation of volumes with filters.

    Args:
      input: tensor [..., depth, height, width, channels] of rank at least 5; with "NCDHW": [batch, channels, depth,
        height, width].
      filters: tensor [depth, height, width, channels of a group, filters].
      strides: list of 5 ints.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      dilations: list of 5 ints, or None for ones.
      name: name of the node.

    Returns:
      Tensor of the input's dtype, with the filters as channels.

    Raises:
      ValueError: shapes or attributes do not fit in a graph.
      InvalidArgumentError: they do not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.ones([1, 2, 2, 2, 1])
      >>> tf.nn.conv3d(x, tf.ones([2, 2, 2, 1, 1]), [1, 1, 1, 1, 1], "VALID").numpy().tolist()
      [[[[[8.0]]]]]
    """
    attrs = {
        "strides": strides,
        "padding": padding,
        "data_format": data_format or "NDHWC",
        "dilations": [1, 1, 1, 1, 1] if dilations is None else dilations,
    }
    return _conv3d(convert(input, name="input"), filters, attrs, name)


def _conv3d(input, filters, attrs, name):
    if input.shape.rank is None or input.shape.rank < 6:
        return op("Conv3D")(input=input, filter=filters, **attrs, name=name)
    return with_one_batch(input, lambda x: op("Conv3D")(input=x, filter=filters, **attrs), 4, name)


def _line_format(data_format):
    """(the format of images with one line, whether the channels come second) of a format of sequences."""
    if data_format in (None, "NHWC", "NWC"):
        return "NHWC", False
    if data_format in ("NCHW", "NCW"):
        return "NCHW", True
    raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")


@export("nn.conv1d")
def conv1d(input, filters, stride, padding, data_format="NWC", dilations=None, name=None):
    """The cross-correlation of sequences with filters.

    Args:
      input: tensor [..., width, channels] of rank at least 3; with "NCW": [batch, channels, width].
      filters: tensor [width, channels of a group, filters].
      stride: int or list of 1 or 3 ints.
      padding: "SAME" or "VALID".
      data_format: "NWC" or "NCW".
      dilations: int or list of 1 or 3 ints.
      name: name of the nodes.

    Returns:
      Tensor of the input's dtype, with the filters as channels.

    Raises:
      ValueError: the format is unknown, or an argument has another length.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(4.0), [1, 4, 1])
      >>> tf.nn.conv1d(x, tf.ones([2, 1, 1]), 1, "VALID")[0, :, 0].numpy().tolist()
      [1.0, 3.0, 5.0]
    """
    with name_scope(name or "conv1d") as scope:
        layout, second = _line_format(data_format)
        line = -2 if second else -3
        attrs = {
            "strides": [1, *sequence(stride, 1, second, "stride")],
            "padding": padding,
            "data_format": layout,
            "dilations": [1, *sequence(dilations, 1, second, "dilations")],
        }
        lines = op("ExpandDims")(input=convert(input, name="input"), axis=line)
        filters = op("ExpandDims")(input=convert(filters, name="filters"), axis=0)
        return op("Squeeze")(input=_conv2d(lines, filters, attrs, scope), squeeze_dims=[line])


@export("nn.conv2d_transpose")
def conv2d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NHWC", dilations=None, name=None
):
    """The transpose of `conv2d`: its gradient with respect to the input, as a function of images.

    Args:
      input: tensor [batch, height, width, channels], or [batch, channels, height, width].
      filters: tensor [height, width, channels of the output, channels of the input].
      output_shape: int32 vector, the shape of the result.
      strides, padding, data_format, dilations: as in `conv2d`, of the convolution that is transposed.
      name: name of the node.

    Returns:
      Tensor of the input's dtype and of the shape `output_shape`.

    Raises:
      ValueError: an argument has another length, or shapes do not fit in a graph.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([1.0, 2.0], [1, 1, 2, 1])
      >>> y = tf.nn.conv2d_transpose(x, tf.ones([1, 2, 1, 1]), [1, 1, 4, 1], strides=[1, 2], padding="VALID")
      >>> y[0, 0, :, 0].numpy().tolist()
      [1.0, 1.0, 2.0, 2.0]
    """
    with name_scope(name or "conv2d_transpose") as scope:
        data_format = data_format or "NHWC"
        padding, explicit_paddings = explicit(padding)
        return op("Conv2DBackpropInput")(
            input_sizes=output_shape,
            filter=filters,
            out_backprop=input,
            strides=sequence(strides, 2, is_channels_second(data_format), "strides"),
            padding=padding,
            explicit_paddings=explicit_paddings,
            data_format=data_format,
            dilations=sequence(dilations, 2, is_channels_second(data_format), "dilations"),
            name=scope,
        )


@export("nn.conv3d_transpose")
def conv3d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NDHWC", dilations=None, name=None
):
    """The transpose of `conv3d`.

    Args:
      input: tensor [batch, depth, height, width, channels], or [batch, channels, depth, height, width].
      filters: tensor [depth, height, width, channels of the output, channels of the input].
      output_shape: integer vector, the shape of the result.
      strides, dilations: int or list of 1, 3 or 5 ints.
      padding, data_format: as in `conv3d`.
      name: name of the node.

    Returns:
      Tensor of the input's dtype and of the shape `output_shape`.

    Raises:
      ValueError: an argument has another length, or shapes do not fit in a graph.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.conv3d_transpose(tf.ones([1, 1, 1, 1, 1]), tf.ones([2, 2, 2, 1, 1]), [1, 2, 2, 2, 1], 2).shape
      TensorShape([1, 2, 2, 2, 1])
    """
    with name_scope(name or "conv3d_transpose") as scope:
        data_format = data_format or "NDHWC"
        return op("Conv3DBackpropInputV2")(
            input_sizes=output_shape,
            filter=filters,
            out_backprop=input,
            strides=sequence(strides, 3, is_channels_second(data_format), "strides"),
            padding=padding,
            data_format=data_format,
            dilations=sequence(dilations, 3, is_channels_second(data_format), "dilations"),
            name=scope,
        )


@export("nn.conv1d_transpose")
def conv1d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NWC", dilations=None, name=None
):
    """The transpose of `conv1d`.

    Args:
      input: tensor [batch, width, channels], or [batch, channels, width].
      filters: tensor [width, channels of the output, channels of the input].
      output_shape: int32 vector, the shape of the result.
      strides, dilations: int or list of 1 or 3 ints.
      padding: "SAME" or "VALID".
      data_format: "NWC" or "NCW".
      name: name of the nodes.

    Returns:
      Tensor of the input's dtype and of the shape `output_shape`.

    Raises:
      ValueError: the format is unknown, or an argument has another length.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([1.0, 2.0], [1, 2, 1])
      >>> tf.nn.conv1d_transpose(x, tf.ones([2, 1, 1]), [1, 4, 1], 2, "VALID")[0, :, 0].numpy().tolist()
      [1.0, 1.0, 2.0, 2.0]
    """
    with name_scope(name or "conv1d_transpose") as scope:
        if data_format not in (None, "NWC", "NCW"):
            raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
        layout, second = _line_format(data_format)
        line = 2 if second else 1
        shape = convert(output_shape, dtype="int32")
        shape = op("ConcatV2")(values=[shape[:line], ints([1]), shape[line:]], axis=0)
        result = op("Conv2DBackpropInput")(
            input_sizes=shape,
            filter=op("ExpandDims")(input=convert(filters, name="filters"), axis=0),
            out_backprop=op("ExpandDims")(input=convert(input, name="input"), axis=line),
            strides=[1, *sequence(strides, 1, second, "stride")],
            padding=padding,
            data_format=layout,
            dilations=[1, *sequence(dilations, 1, second, "dilations")],
            name=scope,
        )
        return op("Squeeze")(input=result, squeeze_dims=[line])


_TRANSPOSES = (conv1d_transpose, conv2d_transpose, conv3d_transpose)


@export("nn.conv_transpose")
def conv_transpose(input, filters, output_shape, strides, padding="SAME", data_format=None, dilations=None, name=None):
    """The transpose of a convolution of one, two or three dimensions, as `output_shape` has them.

    Args:
      input, filters, strides, padding, data_format, dilations: as in `conv1d_transpose` and its like.
      output_shape: vector of 3, 4 or 5 integers.
      name: name of the nodes.

    Returns:
      Tensor of the input's dtype and of the shape `output_shape`.

    Raises:
      ValueError: `output_shape` has another length.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.conv_transpose(tf.ones([1, 2, 1]), tf.ones([2, 1, 1]), [1, 4, 1], 2).shape
      TensorShape([1, 4, 1])
    """
    with name_scope(name or "conv_transpose") as scope:
        if isinstance(output_shape, _core.Tensor):
            n = output_shape.shape[0] - 2
        elif isinstance(output_shape, Sized):
            n = len(output_shape) - 2
        else:
            raise ValueError(
                f"`output_shape` must be a tensor or sized collection. Received: output_shape={output_shape}"
            )
        if not 1 <= n <= 3:
            raise ValueError(
                f"`output_shape` must be of length 3, 4 or 5. Received: output_shape={output_shape} of length {n + 2}."
            )
        return _TRANSPOSES[n - 1](
            input,
            filters,
            output_shape,
            strides,
            padding=padding,
            data_format=data_format,
            dilations=dilations,
            name=scope,
        )


@export("nn.convolution")
def convolution(input, filters, strides=None, padding="VALID", data_format=None, dilations=None, name=None):
    """A convolution of one, two or three dimensions, as the filters have them.

    Args:
      input: tensor [..., spatial dimensions, channels], or channels before them if `data_format` starts with "NC".
      filters: tensor [spatial dimensions, channels of a group, filters].
      strides, dilations: int, or list of 1, n or n + 2 ints; not both more than 1.
      padding: "VALID" or "SAME".
      data_format: "NWC", "NHWC", "NDHWC" or the like with "NC"; None for channels last.
      name: name of the nodes.

    Returns:
      Tensor of the input's dtype, with the filters as channels.

    Raises:
      ValueError: no rank is known, ranks do not fit, or strides and dilations are both more than 1.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(5.0), [1, 5, 1])
      >>> tf.nn.convolution(x, tf.ones([2, 1, 1]), dilations=2)[0, :, 0].numpy().tolist()
      [2.0, 4.0, 6.0]
    """
    filters = convert(filters, name="filters")
    input = convert(input, name="input")
    inputs_rank, filters_rank = input.shape.rank, filters.shape.rank
    if not filters_rank and not inputs_rank:
        raise ValueError(
            "When `num_spatial_dims` is not set, one of `input.shape.rank` or `filters.shape.rank` must be known. "
            f"Received: input.shape={input.shape} of rank {inputs_rank} and filters.shape={filters.shape} of rank "
            f"{filters_rank}"
        )
    n = (filters_rank or inputs_rank) - 2
    if n not in (1, 2, 3):
        raise ValueError(f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={n}.")
    last = data_format is None or data_format in CHANNELS_LAST
    second = not last and (not inputs_rank or inputs_rank - n == 2)
    dilations = sequence(dilations, n, second, "dilations")
    strides = sequence(strides, n, second, "strides")
    if any(d != 1 for d in dilations):
        _check_dilated(input, filters, n, strides[2:] if second else strides[1:-1], dilations, second)
    with name_scope(name or "convolution") as scope:
        if n == 1:
            return conv1d(input, filters, strides, padding, data_format or "NWC", dilations, name=scope)
        attrs = {"strides": strides, "dilations": dilations, "data_format": data_format or CHANNELS_LAST[n - 1]}
        if n == 3:
            return _conv3d(input, filters, {**attrs, "padding": padding}, scope)
        padding, explicit_paddings = explicit(padding)
        return _conv2d(input, filters, {**attrs, "padding": padding, "explicit_paddings": explicit_paddings}, scope)


def _check_dilated(input, filters, n, strides, dilations, second):
    """What TensorFlow checks of a dilated convolution, which it composes of others."""
    dilations = dilations[2:] if second else dilations[1:-1]
    if any(d < 1 for d in dilations):
        raise ValueError(f"all values of `dilation_rate` must be positive. Received: dilation_rate={dilations}")
    if any(s < 1 for s in strides):
        raise ValueError(f"all values of `strides` must be positive. Received: strides={strides}")
    if any(s > 1 for s in strides):
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={array_text(strides)} and dilation_rate={array_text(dilations)}"
        )
    rank = input.shape.rank
    if rank is None:
        return
    if rank < n + 2:
        raise ValueError(
            f"`input.shape.rank` must be >= than `num_spatial_dims + 2`. Received: input.shape={input.shape} of rank "
            f"{rank} and num_spatial_dims={n}"
        )
    channels, taken = input.shape[1 if second else -1], filters.shape[n] if filters.shape.rank else None
    if channels is not None and taken and channels % taken:
        raise ValueError(
            "The number of input channels is not divisible by the corresponding number of output filters. Received: "
            f"input.shape={input.shape} with {channels} channels and filters.shape={filters.shape} with {taken} "
            "output filters."
        )


@export("nn.atrous_conv2d")
def atrous_conv2d(value, filters, rate, padding, name=None):
    """A convolution of images whose windows have elements `rate` apart.

    Args:
      value: tensor [batch, height, width, channels].
      filters: tensor [height, width, channels, filters].
      rate: int or list of 2 ints.
      padding: "VALID" or "SAME".
      name: name of the nodes.

    Returns:
      Tensor of value's dtype, with the filters as channels.

    Raises:
      ValueError: `rate` is not positive, or `padding` has another value.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
      >>> tf.nn.atrous_conv2d(x, tf.ones([2, 2, 1, 1]), 2, "VALID").numpy().tolist()
      [[[[16.0]]]]
    """
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    return convolution(value, filters, padding=padding, dilations=rate, name=name)


@export("nn.atrous_conv2d_transpose")
def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    """The transpose of `atrous_conv2d`.

    Args:
      value: tensor [batch, height, width, channels].
      filters: tensor [height, width, channels of the output, channels of value].
      output_shape: int32 vector of 4 elements, the shape of the result.
      rate: int, the distance of the window's elements.
      padding: "VALID" or "SAME".
      name: name of the nodes.

    Returns:
      Tensor of value's dtype and of the shape `output_shape`.

    Raises:
      ValueError: channels do not fit, `rate` is not positive, or `padding` or `output_shape` is something else.

    Example:
      >>> import tracefn as tf
      >>> y = tf.nn.atrous_conv2d_transpose(tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1]), [1, 3, 3, 1], 2, "VALID")
      >>> y[0, :, :, 0].numpy().tolist()
      [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]
    """
    with name_scope(name or "atrous_conv2d_transpose") as scope:
        value, filters = convert(value, name="value"), convert(filters, name="filters")
        given, taken = value.shape[3], filters.shape[3]
        if given is not None and taken is not None and given != taken:
            raise ValueError(
                "`value` channel count must be compatible with `filters` input channel count. Received: "
                f"value.shape={value.shape} with channel count {given} and filters.shape={filters.shape} with input "
                f"channel count {taken}."
            )
        if rate < 1:
            raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
        shape = convert(output_shape, name="output_shape")
        if not shape.shape.is_compatible_with([4]):
            raise ValueError(f"`output_shape` must have shape (4,). Received: output_shape={shape.shape}")
        if rate > 1 and padding not in ("VALID", "SAME"):
            raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}")
        if isinstance(output_shape, (list, tuple)) and filters.shape[2] not in (None, output_shape[3]):
            raise ValueError(
                "`output_shape` channel count must be compatible with `filters` output channel count. Received: "
                f"output_shape={list(output_shape)} with channel count {output_shape[3]} and filters.shape="
                f"{filters.shape} with output channel count {filters.shape[3]}."
            )
        return conv2d_transpose(value, filters, shape, 1, padding=padding, dilations=rate, name=scope)
