"""`tensorflow.python.ops.weights_broadcast_ops`: weights that broadcast to values."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.compat.v1 import metric_parts

__all__ = ["assert_broadcastable", "broadcast_weights"]

tf = root()


def assert_broadcastable(weights, values):
    """An operation that checks that weights broadcast to values: scalars, or of one rank with dimensions that are equal or 1.

    Raises:
      ValueError: what is known of the shapes says that they do not.
      InvalidArgumentError: when the operation runs, they do not.
    """
    with tf.name_scope("assert_broadcastable"):
        weights, values = tf.convert_to_tensor(weights), tf.convert_to_tensor(values)
        return tf.group(*metric_parts.check_weights(weights, values), name="static_checks")


def broadcast_weights(weights, values):
    """Weights in the shape of values.

    Raises:
      ValueError: they do not broadcast to it.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.weights_broadcast_ops.broadcast_weights([[2.0], [3.0]], [[1.0, 1.0], [1.0, 1.0]]).numpy().tolist()
      [[2.0, 2.0], [3.0, 3.0]]
    """
    values = tf.convert_to_tensor(values)
    return metric_parts.broadcast_weights(tf.convert_to_tensor(weights, dtype_hint=values.dtype), values)
