"""`tensorflow.python.ops.cond_v2`: conditionals that become one node."""

from __future__ import annotations

from tracefn._control_flow.conditional import cond

__all__ = ["cond_v2"]


def cond_v2(pred, true_fn, false_fn, name="cond"):
    """`tf.cond` of a predicate that is a tensor.

    Args:
      pred: scalar bool tensor.
      true_fn, false_fn: callables without arguments; both return the same structure and dtypes.
      name: str, the node's name.

    Raises:
      TypeError: the predicate is a Python bool.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.cond_v2.cond_v2(tf.constant(True), lambda: 1, lambda: 2)
      1
    """
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    return cond(pred, true_fn, false_fn, name=name or "cond")
