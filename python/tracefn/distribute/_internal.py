"""`tf.__internal__.distribute`: what optimizers of libraries ask of strategies."""

from __future__ import annotations

from tracefn._missing.refused import refused
from tracefn.distribute import _modes as modes
from tracefn.distribute._modes import variable_sync_on_read_context
from tracefn.distribute._refused import SEVERAL_MACHINES

__all__ = ["ShardedVariable", "maybe_merge_call", "strategy_supports_no_merge_call", "variable_sync_on_read_context"]

ShardedVariable = refused("__internal__.distribute.ShardedVariable", SEVERAL_MACHINES)


def strategy_supports_no_merge_call() -> bool:
    """Whether functions of all replicas can be called in one of them: only without a strategy.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.distribute.strategy_supports_no_merge_call()
      True
    """
    return not modes.has_strategy() or not modes.get_strategy().extended._use_merge_call()


def maybe_merge_call(fn, strategy, *args, **kwargs):
    """Calls `fn(strategy, *args, **kwargs)` across replicas; without a strategy, just so.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.get_strategy()
      >>> tf.__internal__.distribute.interim.maybe_merge_call(lambda strategy, x: x + 1, strategy, 2)
      3
    """
    if strategy_supports_no_merge_call():
        return fn(strategy, *args, **kwargs)
    return modes.get_replica_context().merge_call(fn, args=args, kwargs=kwargs)
