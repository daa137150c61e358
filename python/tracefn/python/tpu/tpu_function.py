"""`tensorflow.python.tpu.tpu_function`: over how many shards a program runs, which models ask in order to sum over them."""

from __future__ import annotations

import contextlib
import threading

__all__ = ["TpuContext", "get_tpu_context", "on_device_training_loop", "tpu_shard_context"]


class TpuContext(threading.local):
    """What holds on one thread: the number of shards, None outside of `tpu_shard_context`."""

    def __init__(self) -> None:
        self._number_of_shards: int | None = None

    @property
    def number_of_shards(self) -> int | None:
        """The number of shards, or None."""
        return self._number_of_shards

    def set_number_of_shards(self, number_of_shards: int | None) -> None:
        """Sets the number of shards."""
        self._number_of_shards = number_of_shards


_context = TpuContext()


def get_tpu_context() -> TpuContext:
    """The context of this thread.

    Example:
      >>> import tracefn as tf
      >>> tf.python.tpu.tpu_function.get_tpu_context().number_of_shards is None
      True
    """
    return _context


@contextlib.contextmanager
def tpu_shard_context(number_of_shards: int):
    """A context in which a program runs over several shards.

    Args:
      number_of_shards: how many.

    Raises:
      NotImplementedError: it is inside of another one.
    """
    if _context.number_of_shards is not None:
        raise NotImplementedError("tpu_shard_context cannot be nested")
    try:
        _context.set_number_of_shards(number_of_shards)
        yield
    finally:
        _context.set_number_of_shards(None)


def on_device_training_loop(func):
    """Marks a function as a training loop that runs on the device, by an attribute."""
    func.step_marker_location = "STEP_MARK_AT_TOP_LEVEL_WHILE_LOOP"
    return func
