"""Activation functions that are more than an alias of one op."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.ops._build import name_scope

_convert = _core.convert_to_tensor
_op = _core.raw_op


@export("nn.leaky_relu")
def leaky_relu(features, alpha=0.2, name=None):
    """features where features > 0, else alpha * features.

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
    return _op("LeakyRelu")(features=features, alpha=0.2 if alpha is None else alpha, name=name)


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


@export("nn.silu", "nn.swish")
def silu(features, beta=1.0):
    """features * sigmoid(beta * features).

    Args:
      features: floating tensor.
      beta: number or scalar tensor.

    Returns:
      Tensor of features' shape and dtype.

    Example:
      >>> import tracefn as tf
      >>> round(float(tf.nn.silu(1.0)), 6)
      0.731059
    """
    features = _convert(features, name="features")
    if not features.dtype.is_floating and not features.dtype.is_complex:
        return _op("Sigmoid")(x=features)  # which says what dtypes there are
    beta = _convert(beta, dtype=features.dtype, name="beta")
    return features * _op("Sigmoid")(x=beta * features)


@export("nn.gelu")
def gelu(features, approximate=False, name=None):
    """features * P(X <= features) for a standard normal X: the Gaussian error linear unit.

    Args:
      features: floating tensor.
      approximate: whether to use the tanh approximation.
      name: name of the ops.

    Returns:
      Tensor of features' shape and dtype.

    Raises:
      ValueError: features is not floating.

    Example:
      >>> import tracefn as tf
      >>> round(float(tf.nn.gelu(1.0)), 4)
      0.8413
    """
    with name_scope(name or "Gelu"):
        features = _convert(features, name="features")
        if not features.dtype.is_floating:
            raise ValueError(
                f"`features.dtype` must be a floating point tensor.Received:features.dtype={features.dtype}"
            )
        half = _convert(0.5, dtype=features.dtype)
        if approximate:
            halves = half * features
            square = _op("Mul")(x=features, y=features, name="Square")
            cube = _op("Mul")(x=square, y=features, name="Pow")
            inner = 0.7978845608028654 * (features + 0.044715 * cube)
            return halves * (1.0 + _op("Tanh")(x=inner))
        # The root is a float32 first, as TensorFlow's is: doubles differ in the eighth digit.
        root = _op("Cast")(x=_convert(0.7071067811865476), DstT=features.dtype)
        return half * features * _op("Erfc")(x=-features * root)


@export("nn.crelu")
def crelu(features, axis=-1, name=None):
    """Concatenates relu(features) and relu(-features).

    Args:
      features: tensor of real numbers.
      axis: int, the axis of the concatenation.
      name: name of the ops.

    Returns:
      Tensor of features' dtype, twice as long along the axis.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.crelu([-1.0, 2.0]).numpy().tolist()
      [0.0, 2.0, 1.0, 0.0]
    """
    with name_scope(name or "CRelu") as scope:
        features = _convert(features, name="features")
        both = _op("ConcatV2")(values=[features, _op("Neg")(x=features)], axis=axis, name=scope)
        return _op("Relu")(features=both)
