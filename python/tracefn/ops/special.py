"""Special functions that are composed of others."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.reduction import reduce_sum


@export("math.lbeta", "compat.v1.lbeta")
def lbeta(x, name=None):
    """The logarithm of the absolute value of the beta function of the numbers along the last axis: the product of their
    gamma functions over the gamma function of their sum.

    Args:
      x: bfloat16, half, float32 or float64 tensor [..., n].
      name: name of the node.

    Returns:
      Tensor [...] of x's dtype; -infinity if n is 0.

    Example:
      >>> import tracefn as tf
      >>> float(tf.math.exp(tf.math.lbeta(tf.constant([2.0, 3.0], tf.float64))).numpy().round(6))
      0.083333
    """
    with name_scope(name or "lbeta"):
        x = convert(x, name="x")
        logarithm = op("Lgamma")
        return reduce_sum(logarithm(x=x), axis=[-1]) - logarithm(x=reduce_sum(x, axis=[-1]))
