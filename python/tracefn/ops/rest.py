"""Public functions of the root that few programs call: promises, rows stacked in parallel, libraries of other ops."""

from __future__ import annotations

import errno
import os

from tracefn import _core
from tracefn._export import export
from tracefn.errors import NotFoundError, UnimplementedError
from tracefn.ops._build import convert, name_scope, op


@export("guarantee_const")
def guarantee_const(input, name=None):
    """The input, of which the program promises that it is always the same.

    Args:
      input: tensor.
      name: name of the node.

    Example:
      >>> import tracefn as tf
      >>> tf.guarantee_const([1, 2]).numpy().tolist()
      [1, 2]
    """
    return op("GuaranteeConst")(input=convert(input), name=name)


@export("parallel_stack")
def parallel_stack(values, name="parallel_stack"):
    """`tf.stack(values)` while tracing, for tensors of one fully known shape.

    Args:
      values: list of tensors.
      name: name of the scope.

    Raises:
      RuntimeError: called eagerly.

    Example:
      >>> import tracefn as tf
      >>> f = tf.function(lambda: tf.parallel_stack([[1, 2], [3, 4]]))
      >>> f().numpy().tolist()
      [[1, 2], [3, 4]]
    """
    if _core.current_graph() is None:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    with name_scope(name):
        tensors = [convert(value) for value in values]
        shape = [len(tensors), *tensors[0].shape.as_list()]
        rows = [op("ExpandDims")(input=tensor, dim=0) for tensor in tensors]
        return op("ParallelConcat")(values=rows, shape=shape)


@export("load_op_library")
def load_op_library(library_filename):
    """The same as `tf.load_library`.

    Raises:
      NotFoundError: there is no such file, or a folder.
      UnimplementedError: there is one.
    """
    if not os.path.exists(library_filename):
        message = f"{library_filename}: cannot open shared object file: No such file or directory"
        raise NotFoundError(None, None, message)
    if os.path.isdir(library_filename):
        raise NotFoundError(None, None, f"{library_filename}: cannot read file data: Is a directory")
    load_library(library_filename)


@export("load_library")
def load_library(library_location):
    """Refused: libraries of TensorFlow's ops are built against its own headers. Nothing is done about a folder without any.

    Args:
      library_location: the path of a library, or of a folder of libraries.

    Raises:
      FileNotFoundError: there is no such file or folder.
      UnimplementedError: there is a library.
    """
    if not os.path.exists(library_location):
        message = "The file or folder to load kernel libraries from does not exist."
        raise FileNotFoundError(errno.ENOENT, message, library_location)
    if os.path.isdir(library_location) and not any("so" in name.split(".")[1:] for name in os.listdir(library_location)):
        return
    raise UnimplementedError(
        None, None, f"tf.load_library: {library_location!r} holds ops for TensorFlow's runtime, which tracefn cannot run."
    )


@export("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name=None
):
    """Batch normalization over all but the channels; `gamma` counts if `scale_after_normalization`.

    Args:
      input: tensor [batch, height, width, channels].
      mean, variance, beta, gamma: tensors [channels].
      variance_epsilon: float, added to the variance.
      scale_after_normalization: bool.
      name: name of the scope.

    Example:
      >>> import tracefn as tf
      >>> x, one, zero = tf.ones([1, 1, 1, 1]), tf.ones([1]), tf.zeros([1])
      >>> float(tf.nn.batch_norm_with_global_normalization(x, zero, one, one, one, 0.0, False)[0, 0, 0, 0])
      2.0
    """
    from tracefn.ops import normalization  # start-up time: importing a file registers its public names

    scale = gamma if scale_after_normalization else None
    return normalization.batch_normalization(input, mean, variance, beta, scale, variance_epsilon, name)


@export("nn.compute_average_loss")
def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """The sum of losses, divided by the size of the batch.

    Args:
      per_example_loss: tensor [batch, ...].
      sample_weight: weights of the losses, or None.
      global_batch_size: int scalar; None: the first dimension.

    Raises:
      ValueError: the losses are a scalar, or the size is not a positive integer.

    Example:
      >>> import tracefn as tf
      >>> float(tf.nn.compute_average_loss([1.0, 2.0, 3.0], global_batch_size=6))
      1.0
    """
    losses = convert(per_example_loss)
    if losses.shape.rank == 0:
        raise ValueError(f"Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. Received per_example_loss={per_example_loss} with rank 0")  # fmt: skip
    if sample_weight is not None:
        weights = convert(sample_weight, dtype=losses.dtype)
        while weights.shape.rank is not None and weights.shape.rank < losses.shape.rank:
            weights = op("ExpandDims")(input=weights, dim=-1)
        losses = losses * weights
    size = op("Shape")(input=losses)[0] if global_batch_size is None else convert(global_batch_size)
    if size.shape.rank != 0:
        raise ValueError("global_batch_size must be scalar.")
    if not size.dtype.is_integer:
        raise TypeError("global_batch_size must be an integer.")
    known = _core.constant_value(size)
    if known is not None and int(known) < 1 and global_batch_size is not None:
        raise ValueError("global_batch_size must be positive.")
    total = op("Sum")(input=op("Reshape")(tensor=losses, shape=[-1]), reduction_indices=[0])
    size = op("Cast")(x=size, DstT=losses.dtype)
    if losses.dtype.is_integer:  # a mean of integers is a floating number
        total, size = total / 1, size / 1
    return op("DivNoNan")(x=total, y=size, name="div_no_nan")


@export("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss):
    """The sum of regularization losses, divided by the number of replicas, which is one.

    Example:
      >>> import tracefn as tf
      >>> float(tf.nn.scale_regularization_loss([1.0, 2.0]))
      3.0
    """
    losses = convert(regularization_loss)
    total = op("Sum")(input=op("Reshape")(tensor=losses, shape=[-1]), reduction_indices=[0])
    return total / 1 if losses.dtype.is_integer else total  # a mean of integers is a floating number
