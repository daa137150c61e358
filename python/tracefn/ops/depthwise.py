"""Convolutions that treat each channel by itself: depthwise and separable ones, and morphological ones."""

from __future__ import annotations

import warnings

from tracefn._caller import frames_of_package
from tracefn._export import export
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.gaps import with_space_to_batch
from tracefn.ops.windows import explicit, is_channels_second, require_nhwc


def _attrs(strides, padding, data_format, dilations):
    padding, explicit_paddings = explicit(padding)
    return {
        "strides": strides,
        "padding": padding,
        "explicit_paddings": explicit_paddings,
        "data_format": data_format,
        "dilations": dilations,
    }


def _depthwise(input, filter, strides, padding, data_format, rate, name):
    """A depthwise convolution; the op itself has the dilations if the strides are 1."""
    data_format = data_format or "NHWC"
    rate = [1, 1] if rate is None else [rate, rate] if isinstance(rate, int) else list(rate)
    dilated = any(r > 1 for r in rate)
    if dilated and any(s != 1 for s in strides):
        warnings.warn(
            "When dilation rate is greater than 1, then all values of strides must be 1. Received: `dilation rate` "
            f"{rate} and `strides` {strides}",
            stacklevel=frames_of_package()[0] + 1,
        )
    if any(r < 1 for r in rate):
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={rate}")

    def apply(x, padding, dilations, name):
        attrs = _attrs(strides, padding, data_format, dilations)
        return op("DepthwiseConv2dNative")(input=x, filter=filter, **attrs, name=name)

    if dilated and any(s != 1 for s in strides):
        return with_space_to_batch(
            input,
            rate,
            padding,
            lambda x, _, padding: apply(x, padding, [1, 1, 1, 1], None),
            filter_shape=op("Shape")(input=filter),
            data_format=data_format,
        )
    dilations = [1, 1, *rate] if is_channels_second(data_format) else [1, *rate, 1]
    return apply(input, padding, dilations, name)


@export("nn.depthwise_conv2d")
def depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None, name=None):
    """The cross-correlation of each channel of images with filters of its own.

    Args:
      input: tensor [batch, height, width, channels]; with "NCHW": [batch, channels, height, width].
      filter: tensor [height, width, channels, multiplier].
      strides: list of 4 ints, equal for height and width.
      padding: "SAME", "VALID", or a list of 4 pairs.
      data_format: "NHWC" or "NCHW"; None is "NHWC".
      dilations: list of 2 ints, or None for ones.
      name: name of the nodes.

    Returns:
      Tensor of the input's dtype with channels * multiplier channels: those of the first channel first.

    Raises:
      ValueError: `padding` or `dilations` is something else, or shapes do not fit in a graph.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([1.0, 10.0, 2.0, 20.0], [1, 1, 2, 2])
      >>> tf.nn.depthwise_conv2d(x, tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], "VALID").numpy().tolist()
      [[[[3.0, 30.0]]]]
    """
    with name_scope(name or "depthwise") as scope:
        input, filter = convert(input, name="tensor_in"), convert(filter, name="filter_in")
        if input.shape.rank is not None and input.shape.rank < 3:
            raise ValueError(
                f"`input.shape.rank` must be at least 3. Received: input.shape={input.shape} with rank {input.shape.rank}"
            )
        return _depthwise(input, filter, strides, padding, data_format, dilations, scope)


@export("nn.separable_conv2d")
def separable_conv2d(
    input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None, name=None
):
    """A depthwise convolution, and one that mixes the channels of a pixel.

    Args:
      input: tensor [batch, height, width, channels]; with "NCHW": [batch, channels, height, width].
      depthwise_filter: tensor [height, width, channels, multiplier].
      pointwise_filter: tensor [1, 1, channels * multiplier, filters].
      strides, padding, data_format, dilations: as in `depthwise_conv2d`, of the first convolution.
      name: name of the nodes.

    Returns:
      Tensor of the input's dtype, with the filters as channels.

    Raises:
      ValueError: the second filter is no 1 by 1 filter, or as in `depthwise_conv2d`.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([1.0, 10.0, 2.0, 20.0], [1, 1, 2, 2])
      >>> one, two = tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 2, 1])
      >>> tf.nn.separable_conv2d(x, one, two, [1, 1, 1, 1], "VALID").numpy().tolist()
      [[[[33.0]]]]
    """
    with name_scope(name or "separable_conv2d") as scope:
        input = convert(input, name="tensor_in")
        depthwise_filter = convert(depthwise_filter, name="depthwise_filter")
        pointwise_filter = convert(pointwise_filter, name="pointwise_filter")
        shape = pointwise_filter.shape.with_rank(4)
        shape[:2].assert_is_compatible_with([1, 1])
        depthwise = _depthwise(input, depthwise_filter, strides, padding, data_format, dilations, "depthwise")
        return op("Conv2D")(
            input=depthwise,
            filter=pointwise_filter,
            strides=[1, 1, 1, 1],
            padding="VALID",
            data_format=data_format or "NHWC",
            name=scope,
        )


@export("nn.depthwise_conv2d_backprop_input")
def depthwise_conv2d_backprop_input(
    input_sizes, filter, out_backprop, strides, padding, data_format="NHWC", dilations=(1, 1, 1, 1), name=None
):
    """The gradient of `depthwise_conv2d` with respect to its input.

    Args:
      input_sizes: int32 vector of 4 elements, the input's shape.
      filter: tensor [height, width, channels, multiplier].
      out_backprop: the gradient of the result.
      strides, padding, data_format: as in `depthwise_conv2d`.
      dilations: list of 4 ints.
      name: name of the node.

    Returns:
      Tensor of the shape `input_sizes`.

    Raises:
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> dy, f = tf.ones([1, 1, 1, 1]), tf.reshape([1.0, 2.0], [1, 2, 1, 1])
      >>> dx = tf.nn.depthwise_conv2d_backprop_input([1, 1, 2, 1], f, dy, [1, 1, 1, 1], "VALID")
      >>> dx[0, 0, :, 0].numpy().tolist()
      [1.0, 2.0]
    """
    attrs = _attrs(strides, padding, data_format, list(dilations))
    return op("DepthwiseConv2dNativeBackpropInput")(
        input_sizes=input_sizes, filter=filter, out_backprop=out_backprop, **attrs, name=name
    )


@export("nn.depthwise_conv2d_backprop_filter")
def depthwise_conv2d_backprop_filter(
    input, filter_sizes, out_backprop, strides, padding, data_format="NHWC", dilations=(1, 1, 1, 1), name=None
):
    """The gradient of `depthwise_conv2d` with respect to its filter.

    Args:
      input: tensor [batch, height, width, channels]; with "NCHW": [batch, channels, height, width].
      filter_sizes: int32 vector of 4 elements, the filter's shape.
      out_backprop: the gradient of the result.
      strides, padding, data_format: as in `depthwise_conv2d`.
      dilations: list of 4 ints.
      name: name of the node.

    Returns:
      Tensor of the shape `filter_sizes`.

    Raises:
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> x, dy = tf.reshape([1.0, 2.0], [1, 1, 2, 1]), tf.ones([1, 1, 1, 1])
      >>> df = tf.nn.depthwise_conv2d_backprop_filter(x, [1, 2, 1, 1], dy, [1, 1, 1, 1], "VALID")
      >>> df[0, :, 0, 0].numpy().tolist()
      [1.0, 2.0]
    """
    attrs = _attrs(strides, padding, data_format, list(dilations))
    return op("DepthwiseConv2dNativeBackpropFilter")(
        input=input, filter_sizes=filter_sizes, out_backprop=out_backprop, **attrs, name=name
    )


@export("nn.dilation2d")
def dilation2d(input, filters, strides, padding, data_format, dilations, name=None):
    """Morphological dilation: the largest sum of an element of a window and the filter's element there.

    Args:
      input: tensor of real numbers [batch, height, width, channels].
      filters: tensor [height, width, channels].
      strides: list of 4 ints, 1 for batch and channels.
      padding: "SAME" or "VALID"; what windows have beyond the images does not count.
      data_format: "NHWC".
      dilations: list of 4 ints, 1 for batch and channels.
      name: name of the node.

    Returns:
      Tensor of the input's dtype.

    Raises:
      ValueError: another format, or shapes do not fit in a graph.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([1.0, 5.0, 2.0], [1, 1, 3, 1])
      >>> y = tf.nn.dilation2d(x, tf.zeros([1, 2, 1]), [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1])
      >>> y[0, 0, :, 0].numpy().tolist()
      [5.0, 5.0]
    """
    require_nhwc(data_format)
    return op("Dilation2D")(input=input, filter=filters, strides=strides, rates=dilations, padding=padding, name=name)


@export("nn.erosion2d")
def erosion2d(value, filters, strides, padding, data_format, dilations, name=None):
    """Morphological erosion: the smallest difference of an element of a window and the filter's element there.

    Args:
      value: tensor of real numbers [batch, height, width, channels].
      filters: tensor [height, width, channels].
      strides, padding, data_format, dilations: as in `dilation2d`.
      name: name of the nodes.

    Returns:
      Tensor of value's dtype.

    Raises:
      ValueError: another format, or shapes do not fit in a graph.
      InvalidArgumentError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape([1.0, 5.0, 2.0], [1, 1, 3, 1])
      >>> y = tf.nn.erosion2d(x, tf.zeros([1, 2, 1]), [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1])
      >>> y[0, 0, :, 0].numpy().tolist()
      [1.0, 2.0]
    """
    require_nhwc(data_format)
    with name_scope(name or "erosion2d") as scope:
        value = op("Neg")(x=convert(value, name="value"))
        filters = op("ReverseV2")(tensor=convert(filters, name="filters"), axis=[0, 1])
        return op("Neg")(
            x=op("Dilation2D")(
                input=value, filter=filters, strides=strides, rates=dilations, padding=padding, name=scope
            )
        )
