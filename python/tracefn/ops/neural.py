"""Functions of `tf.nn` about classes and biases: softmax, cross entropies, bias_add."""

from __future__ import annotations

from tracefn._export import export
from tracefn.errors import InvalidArgumentError
from tracefn.framework import executing_eagerly
from tracefn.ops._build import convert, ints, name_scope, no_such_axis, op
from tracefn.ops.windows import is_channels_second


@export("nn.softmax", "math.softmax")
def softmax(logits, axis=None, name=None):
    """The softmax along an axis: exp(logits) / sum(exp(logits)).

    Args:
      logits: floating tensor of rank at least 1.
      axis: int; -1 if None.
      name: name of the node.

    Returns:
      Tensor of logits' shape and dtype.

    Raises:
      InvalidArgumentError: the axis is out of range, or logits is a scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.softmax([0.0, 0.0]).numpy().tolist()
      [0.5, 0.5]
    """
    return _along(logits, axis, name, "Softmax")


@export("nn.log_softmax", "math.log_softmax")
def log_softmax(logits, axis=None, name=None):
    """The logarithm of the softmax, computed without overflow.

    Args:
      logits: floating tensor of rank at least 1.
      axis: int; -1 if None.
      name: name of the node.

    Returns:
      Tensor of logits' shape and dtype.

    Raises:
      InvalidArgumentError: the axis is out of range, or logits is a scalar.

    Example:
      >>> import tracefn as tf
      >>> round(float(tf.nn.log_softmax([0.0, 0.0])[0]), 6)
      -0.693147
    """
    return _along(logits, axis, name, "LogSoftmax")


def _along(logits, axis, name, kind):
    """Applies an op that works on the last axis along another one, by swapping the two."""
    logits = convert(logits)
    rank = logits.shape.rank
    if axis is None or axis == -1 or (rank is not None and axis == rank - 1):
        return op(kind)(logits=logits, name=name)
    if rank is None:
        raise ValueError("softmax along another axis than the last needs logits of known rank.")
    if not -rank <= axis < rank:
        raise no_such_axis(axis, rank)
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    perm = ints(order)
    swapped = op("Transpose")(x=logits, perm=perm, name="transpose")
    return op("Transpose")(x=op(kind)(logits=swapped), perm=perm, name=name or "transpose")


def require_both(function: str, labels, logits) -> None:
    """Checks that a loss, named by `function`, has labels and logits.

    Raises:
      ValueError: one of them is None.
    """
    if labels is None or logits is None:
        raise ValueError(f"Both `labels` and `logits` must be provided for {function}. Received: labels={labels} and "
                         f"logits={logits}")


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None):
    """The cross entropy of labels with the softmax of logits.

    Args:
      labels: floating tensor of logits' shape: the probability of each class.
      logits: floating tensor; float16 and bfloat16 are computed as float32.
      axis: int, the axis of the classes.
      name: name of the scope.

    Returns:
      Tensor of logits' shape without `axis`.

    Raises:
      ValueError: labels or logits is None.
      InvalidArgumentError, in a trace ValueError: there is no such axis.

    Example:
      >>> import tracefn as tf
      >>> loss = tf.nn.softmax_cross_entropy_with_logits(labels=[[1.0, 0.0]], logits=[[0.0, 0.0]])
      >>> round(float(loss[0]), 6)
      0.693147
    """
    with name_scope(name or "softmax_cross_entropy_with_logits") as scope:
        logits = convert(logits, name="logits")
        labels = convert(labels, name="labels")
        narrow = logits.dtype in ("float16", "bfloat16")
        dtype = logits.dtype
        if narrow:
            logits = op("Cast")(x=logits, DstT="float32")
        if labels.dtype != logits.dtype:
            labels = op("Cast")(x=labels, DstT=logits.dtype)
        rank = logits.shape.rank
        if rank == 0 or labels.shape.rank == 0:
            invalid = "Shape must be at least rank 1 but is rank 0: labels and logits need an axis of classes"
            raise InvalidArgumentError(None, None, invalid)
        if rank is not None and not -rank <= axis < rank:
            limits = f"{axis + 1}/{rank}" if axis >= 0 else f"0/{axis}"
            invalid = f"Requires start <= limit when delta > 0: {limits}: axis {axis} of logits of rank {rank}"
            raise InvalidArgumentError(None, None, invalid) if executing_eagerly() else ValueError(invalid)
        last = axis == -1 or (rank is not None and axis == rank - 1)
        if not last:
            order = list(range(rank))
            order.append(order.pop(axis))
            perm = ints(order)
            logits, labels = op("Transpose")(x=logits, perm=perm), op("Transpose")(x=labels, perm=perm)
        outer = op("StridedSlice")(
            input=op("Shape")(input=logits), begin=ints([0]), end=ints([-1]), strides=ints([1]), begin_mask=1
        )
        loss, _ = op("SoftmaxCrossEntropyWithLogits")(features=_flat(logits), labels=_flat(labels), name=scope)
        loss = op("Reshape")(tensor=loss, shape=outer, name="Reshape_2")  # the name in TensorFlow
        return op("Cast")(x=loss, DstT=dtype) if narrow else loss


def _flat(x):
    """The tensor as a matrix with the classes in rows."""
    if x.shape.rank == 2:
        return x
    dims = x.shape.as_list() if x.shape.rank is not None else [None]
    if dims[-1] is not None:
        return op("Reshape")(tensor=x, shape=ints([-1, dims[-1]]))
    classes = op("Shape")(input=x)[-1]
    return op("Reshape")(tensor=x, shape=op("Pack")(values=[-1, classes]))


@export("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(labels, logits, name=None):
    """The cross entropy of class indices with the softmax of logits.

    Args:
      labels: int32 or int64 tensor of logits' shape without the last axis, elements in [0, classes).
      logits: floating tensor [..., classes]; float16 and bfloat16 are computed as float32.
      name: name of the scope.

    Returns:
      Tensor of labels' shape.

    Raises:
      ValueError: labels or logits is None, or their ranks do not match.
      InvalidArgumentError: a label is out of range.

    Example:
      >>> import tracefn as tf
      >>> loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0], logits=[[0.0, 0.0]])
      >>> round(float(loss[0]), 6)
      0.693147
    """
    require_both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    with name_scope(name or "SparseSoftmaxCrossEntropyWithLogits"):
        labels = convert(labels, name="labels")
        logits = convert(logits, name="logits")
        dtype = logits.dtype
        narrow = dtype in ("float16", "bfloat16")
        if narrow:
            logits = op("Cast")(x=logits, DstT="float32")
        rank = logits.shape.rank
        if rank == 0:
            raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
        if rank is not None and labels.shape.rank is not None and labels.shape.rank != rank - 1:
            raise ValueError(
                "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
                f"labels.shape={labels.shape} of rank {labels.shape.rank} and "
                f"logits.shape={logits.shape} of rank {rank}"
            )
        static = labels.shape
        if not static.is_compatible_with(logits.shape[:-1]):
            raise ValueError(
                "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
                f"labels.shape={static} and logits.shape={logits.shape}"
            )
        if rank != 2:
            outer = op("Shape")(input=labels)
            flat = op("Reshape")(tensor=labels, shape=ints([-1]))
            loss, _ = op("SparseSoftmaxCrossEntropyWithLogits")(features=_flat(logits), labels=flat)
            loss = op("Reshape")(tensor=loss, shape=outer)
            loss.set_shape(static)
        else:
            loss, _ = op("SparseSoftmaxCrossEntropyWithLogits")(features=logits, labels=labels)
        return op("Cast")(x=loss, DstT=dtype) if narrow else loss


@export("nn.bias_add")
def bias_add(value, bias, data_format=None, name=None):
    """Adds a vector along the channel dimension of a tensor.

    Args:
      value: tensor of rank at least 2.
      bias: vector of value's dtype, one element for each channel.
      data_format: None or a str like "N...C" (channels last) or "NC..." (channels first).
      name: name of the node.

    Returns:
      Tensor of value's shape.

    Raises:
      ValueError: `data_format` has another value.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.bias_add([[1, 2]], [10, 20]).numpy().tolist()
      [[11, 22]]
    """
    if data_format is not None and is_channels_second(data_format):
        layout = "NCHW"
    elif data_format is None or (data_format.startswith("N") and data_format.endswith("C")):
        layout = "NHWC"
    else:
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}")
    with name_scope(name or "BiasAdd") as scope:
        if not executing_eagerly():
            value = convert(value, name="input")
            bias = convert(bias, dtype=value.dtype, name="bias")
        return op("BiasAdd")(value=value, bias=bias, data_format=layout, name=scope)
