"""Where a thread is: in which strategy, and in a replica or across replicas; and `tf.distribute.get_strategy` and the like."""

from __future__ import annotations

import contextlib
import threading
from typing import Any

from tracefn import _core
from tracefn._surroundings import Special, set_key_of_thread


class Mode:
    """One place: a strategy, and the context of a replica, or None across replicas."""

    __slots__ = ("replica_context", "strategy")

    def __init__(self, strategy, replica_context=None) -> None:
        self.strategy = strategy
        self.replica_context = replica_context

    @property
    def is_special(self) -> bool:
        """Whether traces made here differ from those made outside of strategies."""
        return self.replica_context is None or self.strategy.num_replicas_in_sync > 1


class _Thread(threading.local):
    modes: tuple = ()  # outermost first
    update: Any = None  # which replica's variable is being updated, in `extended.update`
    sums_reads = False


thread = _Thread()


class _Default:
    """The mode outside of strategies: a replica of the default strategy."""

    mode: Any = None


def set_default(strategy, replica_context) -> None:
    """Sets the strategy that there is outside of all others, and its one replica."""
    _Default.mode = Mode(strategy, replica_context)


def default_mode() -> Mode:
    """The mode outside of strategies."""
    return _Default.mode


def current_mode() -> Mode:
    """The mode of this thread."""
    return thread.modes[-1] if thread.modes else _Default.mode


class Entered:
    """A context in which a mode is the current one. It can be entered several times."""

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._open: list = []

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(_core.Setting(thread, "modes", (*thread.modes, self._mode)))
            if self._mode.is_special:
                stack.enter_context(Special())
            self._open.append(stack.pop_all())
        return self._mode.strategy

    def __exit__(self, kind, value, traceback) -> None:
        self._open.pop().__exit__(kind, value, traceback)


def updating(place):
    """A context in which variables are updated, on a replica or device."""
    return _core.Setting(thread, "update", place)


def update_place():
    """The replica or device whose variables are being updated; None outside of updates."""
    return thread.update


def _trace_key():
    if not thread.modes:
        return None
    mode = thread.modes[-1]
    if not mode.is_special:
        return None
    replica = mode.replica_context
    return (None if replica is None else replica._replica_id, thread.update)


set_key_of_thread(_trace_key)


def get_replica_context():
    """The `tf.distribute.ReplicaContext` of the replica that runs here; None across replicas.

    Example:
      >>> import tracefn as tf
      >>> tf.distribute.get_replica_context().num_replicas_in_sync
      1
      >>> with tf.distribute.MirroredStrategy().scope():
      ...     tf.distribute.get_replica_context()
    """
    return current_mode().replica_context


def in_cross_replica_context() -> bool:
    """Whether what runs here speaks for all replicas: in the scope of a strategy, not in a function that it runs.

    Example:
      >>> import tracefn as tf
      >>> tf.distribute.in_cross_replica_context()
      False
      >>> with tf.distribute.MirroredStrategy().scope():
      ...     tf.distribute.in_cross_replica_context()
      True
    """
    return current_mode().replica_context is None


def get_strategy():
    """The strategy whose scope this is; outside of all scopes, the default one, which has one replica.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
      >>> with strategy.scope():
      ...     tf.distribute.get_strategy() is strategy
      True
    """
    return current_mode().strategy


def has_strategy() -> bool:
    """Whether there is a strategy other than the default one.

    Example:
      >>> import tracefn as tf
      >>> tf.distribute.has_strategy()
      False
    """
    return get_strategy() is not _Default.mode.strategy


class _Set(threading.local):
    scope: Any = None


_set = _Set()


def experimental_set_strategy(strategy) -> None:
    """Enters the scope of a strategy from here on, after leaving the one that it entered before.

    Args:
      strategy: `tf.distribute.Strategy`; None for none.

    Raises:
      RuntimeError: inside the scope of a strategy.

    Example:
      >>> import tracefn as tf
      >>> tf.distribute.experimental_set_strategy(tf.distribute.OneDeviceStrategy("/cpu:0"))
      >>> tf.distribute.has_strategy()
      True
      >>> tf.distribute.experimental_set_strategy(None)
    """
    scope, _set.scope = _set.scope, None
    if scope is not None:
        scope.__exit__(None, None, None)
    if has_strategy():
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    if strategy is not None:
        scope = strategy.scope()
        scope.__enter__()
        _set.scope = scope


def _refuse_other(strategy) -> None:
    if not has_strategy():
        raise RuntimeError(f'Need to be inside "with strategy.scope()" for {strategy}')
    raise RuntimeError(f"Mixing different tf.distribute.Strategy objects: {get_strategy()} is not {strategy}")


def require_scope(strategy) -> None:
    """Checks that this is inside the scope of a strategy, in a replica or across them.

    Raises:
      RuntimeError: it is not.
    """
    if get_strategy() is not strategy:
        _refuse_other(strategy)


def require_cross_replica(strategy, text: str | None = None) -> None:
    """Checks that this is across the replicas of a strategy, or outside of all strategies.

    Args:
      strategy: tf.distribute.Strategy.
      text: the message in a replica; None for a general one.

    Raises:
      RuntimeError: it is not.
    """
    mode = current_mode()
    if mode is _Default.mode or mode.replica_context is None and mode.strategy is strategy:
        return
    if mode.strategy is not strategy:
        _refuse_other(strategy)
    raise RuntimeError(
        text or "Method requires being in cross-replica context, use get_replica_context().merge_call()"
    )


def require_replica(context) -> None:
    """Checks that what runs here is the replica of a context.

    Raises:
      RuntimeError: it is not.
    """
    mode = current_mode()
    if mode.replica_context is context:
        return
    if mode.replica_context is None:
        raise RuntimeError("Need to be inside `call_for_each_replica()`")
    if mode.strategy is context.strategy:
        raise RuntimeError("Mismatching ReplicaContext.")
    raise RuntimeError(f"Mismatching tf.distribute.Strategy objects: {mode.strategy} is not {context.strategy}.")


@contextlib.contextmanager
def inside(strategy):
    """A context inside the scope of a strategy, which is entered unless this is there already.

    Raises:
      RuntimeError: this is inside the scope of another one.
    """
    if not has_strategy():
        with strategy.scope():
            yield
        return
    if get_strategy() is not strategy:
        _refuse_other(strategy)
    yield


def replica_id():
    """The number of the replica that runs here, or whose variables are being updated; None across replicas."""
    context = get_replica_context()
    return thread.update if context is None else context._replica_id


@contextlib.contextmanager
def variable_sync_on_read_context():
    """A context in which a replica reads variables with synchronization ON_READ aggregated over all replicas.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.MirroredStrategy()
      >>> with strategy.scope():
      ...     v = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ,
      ...                     aggregation=tf.VariableAggregation.SUM)
      >>> def read():
      ...     with tf.__internal__.distribute.variable_sync_on_read_context():
      ...         return v + 0.0
      >>> float(strategy.run(read))
      1.0
    """
    with _core.Setting(thread, "sums_reads", True):
        yield
