"""`tensorflow.python.ops.nn_ops`: convolution as an object."""

from __future__ import annotations

from tracefn.ops.convolution import convolution as convolution_v2
from tracefn.tensor_shape import as_shape

__all__ = ["Convolution"]


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
