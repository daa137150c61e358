"""`tensorflow.python.ops.cond_v2`: conditionals as one node."""

from __future__ import annotations

from tracefn._control_flow.conditional import cond

__all__ = ["cond_v2"]


def cond_v2(pred, true_fn, false_fn, name="cond"):
    """`tf.cond` of a tensor.

    Raises:
      TypeError: `pred` is a bool of Python.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.cond_v2 import cond_v2
      >>> int(cond_v2(tf.constant(True), lambda: 1, lambda: 2))
      1
    """
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    return cond(pred, true_fn, false_fn, name or "cond")
