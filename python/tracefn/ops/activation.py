"""Activation functions that are more than one op under another name."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.framework import name_scope

_convert = _core.convert_to_tensor
_op = _core.raw_op


@export("nn.leaky_relu")
def leaky_relu(features, alpha=0.2, name=None):
    """features where positive, else alpha * features.

    Args:
      features: tensor of real numbers; integers are converted to float32.
      alpha: slope below zero.
      name: name of the node.

    Returns:
      Floating tensor of features' shape.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.leaky_relu([-1.0, 2.0], alpha=0.5)
      <tf.Tensor: shape=(2,), dtype=float32, numpy=array([-0.5,  2. ], dtype=float32)>
    """
    features = _convert(features, name="features")
    if features.dtype.is_integer:
        features = _op("Cast")(x=features, DstT="float32")
    return _op("LeakyRelu")(features=features, alpha=float(alpha), name=name)


@export("math.log_sigmoid")
def log_sigmoid(x, name=None):
    """The logarithm of the logistic function of x, without overflow.

    Args:
      x: floating tensor.
      name: name of the node.

    Returns:
      Tensor of x's dtype and shape.

    Example:
      >>> import tracefn as tf
      >>> round(float(tf.math.log_sigmoid(0.0)), 6)
      -0.693147
    """
    with name_scope(name or "LogSigmoid") as scope:
        x = _convert(x, name="x")
        return _op("Neg")(x=_op("Softplus")(features=_op("Neg")(x=x)), name=scope)
