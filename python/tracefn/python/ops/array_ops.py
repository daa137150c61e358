"""`tensorflow.python.ops.array_ops`: functions that have no public name."""

from __future__ import annotations

from tracefn.ops._build import convert, op

__all__ = ["prevent_gradient"]


def prevent_gradient(input, message="", name=None):
    """The same tensor, of which no gradient can be taken: that raises a LookupError with the message.

    Example:
      >>> import tracefn as tf
      >>> float(tf.python.ops.array_ops.prevent_gradient(tf.constant(1.0)))
      1.0
    """
    return op("PreventGradient")(input=convert(input), message=message, name=name)
