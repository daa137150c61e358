"""`tf.__internal__.train` and `mixed_precision`: settings that libraries tell TensorFlow, and moving averages."""

from __future__ import annotations

from tracefn._core import convert_to_tensor
from tracefn.framework import name_scope

__all__ = [
    "assign_moving_average",
    "is_mixed_precision_graph_rewrite_enabled",
    "register_loss_scale_wrapper",
    "set_using_mixed_precision_policy",
]


class _Precision:
    uses_policy = False


def set_using_mixed_precision_policy(is_using) -> None:
    """Keeps whether a library computes in mixed precision by a policy of its own."""
    _Precision.uses_policy = bool(is_using)


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Whether graphs are rewritten for mixed precision, which nothing here does."""
    return False


_wrappers: list[tuple] = []


def register_loss_scale_wrapper(optimizer_cls, wrapper_fn, wrapper_cls=None) -> None:
    """Keeps how an optimizer is wrapped for graphs that are rewritten."""
    _wrappers.append((optimizer_cls, wrapper_fn, wrapper_cls or wrapper_fn))


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """Moves a variable towards a value: to `variable * decay + value * (1 - decay)`.

    Args:
      variable: floating tf.Variable.
      value: tensor of its shape.
      decay: scalar tensor or float.
      zero_debias: must be False: only graphs of TensorFlow 1 with variable scopes correct for a start at zero.
      name: scope of the ops.

    Raises:
      NotImplementedError: `zero_debias` is true.

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable(1.0)
      >>> _ = tf.__internal__.train.assign_moving_average(v, 3.0, 0.5, zero_debias=False)
      >>> float(v)
      2.0
    """
    if zero_debias:
        raise NotImplementedError("assign_moving_average: zero_debias=True needs variable scopes of TensorFlow 1, which are not supported.")
    with name_scope(name or "AssignMovingAvg"):
        rest = 1.0 - convert_to_tensor(decay, dtype=variable.dtype)
        return variable.assign_sub((variable - convert_to_tensor(value, dtype=variable.dtype)) * rest)
