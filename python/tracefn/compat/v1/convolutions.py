"""Convolutions and pooling of `tf.compat.v1.nn`: old names and another order of arguments."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.compat.v1.arguments import either, today
from tracefn.framework import name_scope

_op = _core.raw_op


@export("compat.v1.nn.conv1d")
def conv1d(
    value=None,
    filters=None,
    stride=None,
    padding=None,
    use_cudnn_on_gpu=None,
    data_format=None,
    name=None,
    input=None,
    dilations=None,
):
    """`tf.nn.conv1d`, whose `input` was called `value`. "NHWC" and "NCHW" stand for "NWC" and "NCW".

    Raises:
      ValueError: there is no such data format.
    """
    del use_cudnn_on_gpu
    value = either("input", input, "value", value)
    formats = {None: "NWC", "NHWC": "NWC", "NWC": "NWC", "NCHW": "NCW", "NCW": "NCW"}
    if data_format not in formats:
        raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
    return today("nn.conv1d")(value, filters, stride, padding, formats[data_format], dilations, name)


@export("compat.v1.nn.conv2d")
def conv2d(
    input,
    filter=None,
    strides=None,
    padding=None,
    use_cudnn_on_gpu=True,
    data_format="NHWC",
    dilations=[1, 1, 1, 1],  # noqa: B006 - TensorFlow's default, which nothing changes
    name=None,
    filters=None,
):
    """`tf.nn.conv2d`, whose `filters` were called `filter`.

    Example:
      >>> import tracefn as tf
      >>> x, f = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
      >>> tf.compat.v1.nn.conv2d(x, filter=f, strides=[1, 1, 1, 1], padding="VALID").shape
      TensorShape([1, 2, 2, 1])
    """
    del use_cudnn_on_gpu
    filters = either("filters", filters, "filter", filter)
    return today("nn.conv2d")(input, filters, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.conv2d_backprop_filter")
def conv2d_backprop_filter(
    input,
    filter_sizes,
    out_backprop,
    strides,
    padding,
    use_cudnn_on_gpu=True,
    data_format="NHWC",
    dilations=[1, 1, 1, 1],  # noqa: B006 - TensorFlow's default, which nothing changes
    name=None,
):
    """The gradient of a convolution with respect to its filters.

    Args:
      input: the images that were convolved.
      filter_sizes: int32 vector, the shape of the filters.
      out_backprop: gradient of the result.
      strides, padding, data_format, dilations: as for `conv2d`.
      name: name of the op.
    """
    return _op("Conv2DBackpropFilter")(
        input=input,
        filter_sizes=filter_sizes,
        out_backprop=out_backprop,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        **_attributes(strides, padding, data_format, dilations, name),
    )


@export("compat.v1.nn.conv2d_backprop_input")
def conv2d_backprop_input(
    input_sizes,
    filter=None,
    out_backprop=None,
    strides=None,
    padding=None,
    use_cudnn_on_gpu=True,
    data_format="NHWC",
    dilations=[1, 1, 1, 1],  # noqa: B006 - TensorFlow's default, which nothing changes
    name=None,
    filters=None,
):
    """The gradient of a convolution with respect to its images.

    Args:
      input_sizes: int32 vector, the shape of the images.
      filter, filters: one argument by two names: the filters.
      out_backprop: gradient of the result.
      strides, padding, data_format, dilations: as for `conv2d`.
      name: name of the op.
    """
    return _op("Conv2DBackpropInput")(
        input_sizes=input_sizes,
        filter=either("filters", filters, "filter", filter),
        out_backprop=out_backprop,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        **_attributes(strides, padding, data_format, dilations, name),
    )


def _attributes(strides, padding, data_format, dilations, name) -> dict:
    """The attributes of an op on images, whose `padding` is a str or a list of pairs."""
    pads: list = []
    if isinstance(padding, (list, tuple)):
        padding, pads = "EXPLICIT", [int(amount) for pair in padding for amount in pair]
    return {
        "strides": strides,
        "padding": padding,
        "explicit_paddings": pads,
        "data_format": data_format,
        "dilations": dilations,
        "name": name,
    }


@export("compat.v1.nn.conv2d_transpose")
def conv2d_transpose(
    value=None,
    filter=None,
    output_shape=None,
    strides=None,
    padding="SAME",
    data_format="NHWC",
    name=None,
    input=None,
    filters=None,
    dilations=None,
):
    """`tf.nn.conv2d_transpose`, with old names of arguments."""
    value = either("input", input, "value", value)
    filters = either("filters", filters, "filter", filter)
    return today("nn.conv2d_transpose")(value, filters, output_shape, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.conv3d")
def conv3d(
    input,
    filter=None,
    strides=None,
    padding=None,
    data_format="NDHWC",
    dilations=[1, 1, 1, 1, 1],  # noqa: B006 - TensorFlow's default, which nothing changes
    name=None,
    filters=None,
):
    """`tf.nn.conv3d`, whose `filters` were called `filter`."""
    filters = either("filters", filters, "filter", filter)
    return today("nn.conv3d")(input, filters, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.conv3d_backprop_filter")
def conv3d_backprop_filter(
    input,
    filter_sizes,
    out_backprop,
    strides,
    padding,
    data_format="NDHWC",
    dilations=[1, 1, 1, 1, 1],  # noqa: B006 - TensorFlow's default, which nothing changes
    name=None,
):
    """The gradient of `conv3d` with respect to its filters; arguments as for `conv2d_backprop_filter`."""
    return _op("Conv3DBackpropFilterV2")(
        input=input,
        filter_sizes=filter_sizes,
        out_backprop=out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


@export("compat.v1.nn.conv3d_transpose")
def conv3d_transpose(
    value,
    filter=None,
    output_shape=None,
    strides=None,
    padding="SAME",
    data_format="NDHWC",
    name=None,
    input=None,
    filters=None,
    dilations=None,
):
    """`tf.nn.conv3d_transpose`, with old names of arguments."""
    value = either("input", input, "value", value)
    filters = either("filters", filters, "filter", filter)
    return today("nn.conv3d_transpose")(value, filters, output_shape, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.convolution")
def convolution(
    input,
    filter,
    padding,
    strides=None,
    dilation_rate=None,
    name=None,
    data_format=None,
    filters=None,
    dilations=None,
):
    """`tf.nn.convolution`, with another order of arguments, and old names."""
    filters = either("filters", filters, "filter", filter)
    dilations = either("dilations", dilations, "dilation_rate", dilation_rate)
    return today("nn.convolution")(input, filters, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.depthwise_conv2d")
def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None):
    """`tf.nn.depthwise_conv2d`, whose `dilations` were called `rate`."""
    dilations = either("dilations", dilations, "rate", rate)
    return today("nn.depthwise_conv2d")(input, filter, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.depthwise_conv2d_native")
def depthwise_conv2d_native(
    input,
    filter,
    strides,
    padding,
    data_format="NHWC",
    dilations=[1, 1, 1, 1],  # noqa: B006 - TensorFlow's default, which nothing changes
    name=None,
):
    """The op of `depthwise_conv2d`.

    Args:
      input: floating images.
      filter: floating tensor [height, width, channels, multiplier].
      strides, dilations: four ints.
      padding: "SAME", "VALID", or a list of four pairs of ints.
      data_format: "NHWC" or "NCHW".
      name: name of the op.
    """
    return _op("DepthwiseConv2dNative")(
        input=input, filter=filter, **_attributes(strides, padding, data_format, dilations, name)
    )


@export("compat.v1.nn.separable_conv2d")
def separable_conv2d(
    input,
    depthwise_filter,
    pointwise_filter,
    strides,
    padding,
    rate=None,
    name=None,
    data_format=None,
    dilations=None,
):
    """`tf.nn.separable_conv2d`, whose `dilations` were called `rate`."""
    dilations = either("dilations", dilations, "rate", rate)
    return today("nn.separable_conv2d")(
        input, depthwise_filter, pointwise_filter, strides, padding, data_format, dilations, name
    )


@export("compat.v1.nn.dilation2d")
def dilation2d(
    input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None, dilations=None
):
    """`tf.nn.dilation2d`, with old names of arguments."""
    filters = either("filters", filters, "filter", filter)
    dilations = either("dilations", dilations, "rates", rates)
    return _op("Dilation2D")(
        input=input, filter=filters, strides=strides, rates=dilations, padding=padding, name=name
    )


@export("compat.v1.nn.erosion2d")
def erosion2d(value, kernel, strides, rates, padding, name=None):
    """`tf.nn.erosion2d`, with old names of arguments."""
    return today("nn.erosion2d")(value, kernel, strides, padding, "NHWC", rates, name)


@export("compat.v1.nn.avg_pool")
def avg_pool(value, ksize, strides, padding, data_format="NHWC", name=None, input=None):
    """`tf.nn.avg_pool2d`, whose `input` was called `value`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.nn.avg_pool(tf.ones([1, 2, 2, 1]), 2, 2, "VALID").shape
      TensorShape([1, 1, 1, 1])
    """
    value = either("input", input, "value", value)
    with name_scope(name or "AvgPool") as scope:
        return today("nn.avg_pool2d")(value, ksize, strides, padding, data_format, scope)


@export("compat.v1.nn.max_pool")
def max_pool(value, ksize, strides, padding, data_format="NHWC", name=None, input=None):
    """`tf.nn.max_pool2d`, whose `input` was called `value`."""
    value = either("input", input, "value", value)
    with name_scope(name or "MaxPool") as scope:
        return today("nn.max_pool2d")(value, ksize, strides, padding, data_format, scope)


@export("compat.v1.nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input,
    ksize,
    strides,
    padding,
    data_format="NHWC",
    Targmax=None,
    name=None,
    output_dtype=None,
    include_batch_in_index=False,
):
    """`tf.nn.max_pool_with_argmax`, whose `output_dtype` was called `Targmax`.

    Raises:
      ValueError: the data format is not NHWC.
    """
    if data_format != "NHWC":
        raise ValueError(f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}")
    dtype = either("output_dtype", output_dtype, "Targmax", Targmax)
    return today("nn.max_pool_with_argmax")(
        input, ksize, strides, padding, data_format, "int64" if dtype is None else dtype, include_batch_in_index, name
    )


@export("compat.v1.nn.pool")
def pool(
    input,
    window_shape,
    pooling_type,
    padding,
    dilation_rate=None,
    strides=None,
    name=None,
    data_format=None,
    dilations=None,
):
    """`tf.nn.pool`, with another order of arguments, and old names."""
    dilations = either("dilations", dilations, "dilation_rate", dilation_rate)
    return today("nn.pool")(input, window_shape, pooling_type, strides, padding, data_format, dilations, name)


def _add_fractional(kind: str) -> None:
    def fractional(
        value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, name=None
    ):
        return _op(f"Fractional{kind}Pool")(
            value=value,
            pooling_ratio=pooling_ratio,
            pseudo_random=pseudo_random,
            overlapping=overlapping,
            deterministic=deterministic,
            seed=seed,
            seed2=seed2,
            name=name,
        )

    public = f"fractional_{kind.lower()}_pool"
    fractional.__name__ = fractional.__qualname__ = public
    fractional.__doc__ = f"The op of `tf.nn.{public}`, with its own seeds."
    export(f"compat.v1.nn.{public}")(fractional)


_add_fractional("Avg")
_add_fractional("Max")
