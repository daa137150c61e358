"""`tensorflow.python.ops.nn_ops`: convolution as an object, and functions that have no public name."""

from __future__ import annotations

from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.convolution import convolution as convolution_v2
from tracefn.tensor_shape import as_shape

__all__ = ["Convolution", "bias_add_v1", "nth_element", "xw_plus_b_v1"]


def bias_add_v1(value, bias, name=None):
    """`tf.nn.bias_add` along the last dimension."""
    with name_scope(name or "BiasAddV1") as scope:
        value = convert(value, name="input")
        return op("BiasAddV1")(value=value, bias=convert(bias, dtype=value.dtype, name="bias"), name=scope)


def xw_plus_b_v1(x, weights, biases, name=None):
    """The product of two matrices and a bias of each column."""
    with name_scope(name or "xw_plus_b_v1") as scope:
        x, weights, biases = convert(x, name="x"), convert(weights, name="weights"), convert(biases, name="biases")
        return bias_add_v1(op("MatMul")(a=x, b=weights), biases, name=scope)


def nth_element(input, n, reverse=False, name=None):
    """The n-th smallest element of each row.

    Args:
      input: tensor of real numbers of rank at least 1.
      n: int scalar, from 0.
      reverse: bool, whether to count from the largest.
      name: name of the op, or None.

    Returns:
      Tensor of input's dtype, without its last dimension.

    Example:
      >>> import tracefn as tf
      >>> int(tf.python.ops.nn_ops.nth_element([5, 1, 3], 1))
      3
    """
    return op("NthElement")(input=convert(input), n=convert(n, dtype="int32"), reverse=reverse, name=name)


class Convolution:
    """A convolution of inputs and filters of known shapes.

    Args:
      input_shape: TensorShape of inputs: batch, spatial dimensions and channels.
      filter_shape: TensorShape of filters: spatial dimensions, channels of inputs and of results.
      padding, strides, dilation_rate, name, data_format: as in `tf.nn.convolution`.
      num_spatial_dims: int, their number; None: that of the filters.

    Raises:
      ValueError: the channels of inputs do not divide by those of filters.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.nn_ops import Convolution
      >>> x, filters = tf.ones([1, 4, 2]), tf.ones([3, 2, 5])
      >>> Convolution(x.shape, filters.shape, "VALID")(x, filters).shape
      TensorShape([1, 2, 5])
    """

    def __init__(self, input_shape, filter_shape, padding, strides=None, dilation_rate=None, name=None, data_format=None,
                 num_spatial_dims=None) -> None:  # fmt: skip
        input_shape, filter_shape = as_shape(input_shape), as_shape(filter_shape)
        if num_spatial_dims is None and filter_shape.rank is not None:
            num_spatial_dims = filter_shape.rank - 2
        at = 1 if data_format is not None and data_format.startswith("NC") else -1
        channels = None if input_shape.rank is None else input_shape[at]
        of_filters = None if filter_shape.rank is None else filter_shape[-2]
        if channels is not None and of_filters is not None and channels % of_filters:
            raise ValueError(
                "The number of input channels is not divisible by the corresponding number of output filters. Received: "
                f"input.shape={input_shape} with {channels} channels and filters.shape={filter_shape} with {of_filters} "
                "input filters."
            )
        self.num_spatial_dims, self.padding, self.name = num_spatial_dims, padding, name
        self.strides, self.dilation_rate, self.data_format = strides, dilation_rate, data_format

    def __call__(self, inp, filter):
        """The convolution of `inp` and `filter`."""
        return convolution_v2(inp, filter, self.strides or 1, self.padding, self.data_format, self.dilation_rate, self.name)
