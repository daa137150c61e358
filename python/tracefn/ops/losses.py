"""Elementwise losses of logits against targets."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.neural import require_both


def _two(first, second, names):
    """Converts both to tensors and checks that their shapes are equal.

    Raises:
      ValueError: the shapes differ.
    """
    second = convert(second, name=names[1])
    first = convert(first, name=names[0])
    if not first.shape.is_compatible_with(second.shape):
        raise ValueError(
            f"`{names[1]}` and `{names[0]}` must have the same shape, received ({second.shape} vs {first.shape})."
        )
    return first, second


@export("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """The cross entropy of independent binary classes.

    Args:
      labels: tensor of logits' shape and dtype, probabilities.
      logits: floating tensor.
      name: name of the ops.

    Returns:
      Tensor of logits' shape and dtype.

    Raises:
      ValueError: the shapes differ, or labels or logits is None.

    Example:
      >>> import tracefn as tf
      >>> round(float(tf.nn.sigmoid_cross_entropy_with_logits(labels=1.0, logits=0.0)), 4)
      0.6931
    """
    require_both("sigmoid_cross_entropy_with_logits", labels, logits)
    with name_scope(name or "logistic_loss") as scope:
        labels, logits = _two(labels, logits, ("labels", "logits"))
        zeros = op("ZerosLike")(x=logits)
        positive = op("GreaterEqual")(x=logits, y=zeros)
        relu = op("SelectV2")(condition=positive, t=logits, e=zeros)
        minus = op("SelectV2")(condition=positive, t=op("Neg")(x=logits), e=logits)
        return op("AddV2")(x=relu - logits * labels, y=op("Log1p")(x=op("Exp")(x=minus)), name=scope)


@export("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(labels, logits, pos_weight, name=None):
    """`sigmoid_cross_entropy_with_logits` with positive labels weighted by `pos_weight`.

    Args:
      labels: tensor of logits' shape and dtype, probabilities.
      logits: floating tensor.
      pos_weight: number or tensor that broadcasts with them.
      name: name of the ops.

    Returns:
      Tensor of logits' shape and dtype.

    Raises:
      ValueError: the shapes differ.

    Example:
      >>> import tracefn as tf
      >>> round(float(tf.nn.weighted_cross_entropy_with_logits(1.0, 0.0, 2.0)), 4)
      1.3863
    """
    with name_scope(name or "logistic_loss") as scope:
        labels, logits = _two(labels, logits, ("labels", "logits"))
        if not isinstance(pos_weight, (int, float)):
            pos_weight = convert(pos_weight, dtype_hint=logits.dtype)
        weight = 1 + (pos_weight - 1) * labels
        negative = (1 - labels) * logits
        tail = op("Log1p")(x=op("Exp")(x=op("Neg")(x=op("Abs")(x=logits))))
        positive = weight * (tail + op("Relu")(features=op("Neg")(x=logits)))
        return op("AddV2")(x=negative, y=positive, name=scope)


@export("nn.log_poisson_loss")
def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """exp(log_input) - log_input * targets: the negative log-likelihood of a Poisson distribution without its constant.

    Args:
      targets: tensor of log_input's shape and dtype.
      log_input: floating tensor.
      compute_full_loss: whether to add Stirling's approximation of the constant where targets > 1.
      name: name of the ops.

    Returns:
      Tensor of log_input's shape and dtype.

    Raises:
      ValueError: the shapes differ.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.log_poisson_loss([1.0], [0.0]).numpy().tolist()
      [1.0]
    """
    with name_scope(name or "log_poisson_loss"):
        targets, log_input = _two(targets, log_input, ("targets", "log_input"))
        result = op("Exp")(x=log_input) - log_input * targets
        if not compute_full_loss:
            return result
        two_pi = _core.convert_to_tensor(6.283185307179586, dtype=targets.dtype)
        stirling = targets * op("Log")(x=targets) - targets + 0.5 * op("Log")(x=two_pi * targets)
        small = op("LogicalAnd")(x=targets >= 0, y=targets <= 1)
        return result + op("SelectV2")(condition=small, t=op("ZerosLike")(x=targets), e=stirling)
