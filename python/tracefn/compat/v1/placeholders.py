"""`tf.compat.v1.placeholder`: tensors of a graph whose values are fed."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.dtypes import as_dtype
from tracefn.framework import executing_eagerly
from tracefn.tensor_shape import TensorShape


def _kept(tensor):
    """The same tensor. Its graph keeps the object, because libraries, such as Keras, hold placeholders by weak references."""
    graph = _core.current_graph()
    if graph is not None and not graph.is_function:
        vars(graph).setdefault("_placeholders", []).append(tensor)
    return tensor


@export("compat.v1.placeholder")
def placeholder(dtype, shape=None, name=None):
    """A tensor of the graph being built, to be fed in a session.

    Args:
      dtype: its dtype.
      shape: its static shape, or None.
      name: name of the node.

    Raises:
      RuntimeError: ops run eagerly.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     print(tf.compat.v1.placeholder(tf.float32, [2], "x").name)
      x:0
    """
    if executing_eagerly():
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    made = _core.raw_op("Placeholder")(dtype=as_dtype(dtype), shape=TensorShape(shape), name=name or "Placeholder")
    return _kept(made)


@export("compat.v1.placeholder_with_default")
def placeholder_with_default(input, shape, name=None):
    """A tensor that has the value of `input` unless another is fed.

    Args:
      input: tensor.
      shape: static shape with which that of `input` must be compatible.
      name: name of the node.

    Example:
      >>> import tracefn as tf
      >>> int(tf.compat.v1.placeholder_with_default(3, []))
      3
    """
    return _kept(_core.raw_op("PlaceholderWithDefault")(input=input, shape=TensorShape(shape), name=name))
