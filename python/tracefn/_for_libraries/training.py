"""`tf.__internal__.train` and `mixed_precision`: settings that libraries tell TensorFlow, and moving averages."""

from __future__ import annotations

__all__ = [
    "assign_moving_average",
    "is_mixed_precision_graph_rewrite_enabled",
    "register_loss_scale_wrapper",
    "set_using_mixed_precision_policy",
]


class Precision:
    """How the program computes in mixed precision: by a library's policy, or by graphs that are to be rewritten."""

    uses_policy = False
    rewrites_graphs = False


def set_using_mixed_precision_policy(is_using) -> None:
    """Keeps whether a library computes in mixed precision by a policy of its own."""
    Precision.uses_policy = bool(is_using)


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Whether `tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite` was called. Graphs stay as they are."""
    return Precision.rewrites_graphs


_wrappers: list[tuple] = []


def register_loss_scale_wrapper(optimizer_cls, wrapper_fn, wrapper_cls=None) -> None:
    """Keeps how an optimizer is wrapped for graphs that are rewritten."""
    _wrappers.append((optimizer_cls, wrapper_fn, wrapper_cls or wrapper_fn))


def loss_scale_wrappers() -> list[tuple]:
    """The classes of optimizers, the functions that wrap these, and the classes that they wrap them with."""
    return list(_wrappers)


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """Moves a Variable towards a value: to `variable * decay + value * (1 - decay)`.

    Args:
      variable: floating Variable. In a strategy with several replicas, each gets the mean of their values.
      value: tensor of its shape.
      decay: float32 scalar or float.
      zero_debias: whether to correct for a start at zero. The numbers for that are kept in two more Variables, which each
        call makes: in a graph or a tf.function, one call serves all steps.
      name: scope of the ops; "AssignMovingAvg" if None.

    Returns:
      The new value.

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable(1.0)
      >>> _ = tf.__internal__.train.assign_moving_average(v, 3.0, 0.5, zero_debias=False)
      >>> float(v)
      2.0
    """
    from tracefn._training import moving_averages  # start-up time: few programs average Variables

    return moving_averages.assign_moving_average(variable, value, decay, zero_debias, name)
