"""`tf.train.CheckpointOptions`."""

from __future__ import annotations

import copy
import inspect


class CheckpointOptions:
    """How a checkpoint is written and read.

    Args:
      experimental_io_device: str, the device that reads and writes; there is one, the CPU.
      experimental_enable_async_checkpoint, enable_async: accepted; files are complete when `write` and `save` return.
      experimental_write_callbacks: list of functions called after a write, without arguments or with the path.
      experimental_skip_slot_variables: bool, whether what optimizers keep for Variables stays as it is.
      experimental_sharding_callback: must be None.

    Raises:
      NotImplementedError: there is an `experimental_sharding_callback`.

    Example:
      >>> import tracefn as tf
      >>> tf.train.CheckpointOptions(experimental_io_device="/job:localhost").experimental_io_device
      '/job:localhost'
    """

    __slots__ = (
        "enable_async",
        "experimental_enable_async_checkpoint",
        "experimental_io_device",
        "experimental_sharding_callback",
        "experimental_skip_slot_variables",
        "experimental_write_callbacks",
    )

    def __init__(
        self,
        experimental_io_device=None,
        experimental_enable_async_checkpoint=False,
        experimental_write_callbacks=None,
        enable_async=False,
        experimental_skip_slot_variables=False,
        experimental_sharding_callback=None,
    ) -> None:
        for callback in experimental_write_callbacks or ():
            assert len(inspect.signature(callback).parameters) <= 1
        if experimental_sharding_callback is not None:
            raise NotImplementedError(
                "tf.train.CheckpointOptions: `experimental_sharding_callback` is not supported; all tensors are in one file."
            )
        self.experimental_io_device = experimental_io_device
        self.enable_async = self.experimental_enable_async_checkpoint = bool(
            experimental_enable_async_checkpoint or enable_async
        )
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_sharding_callback = None
        self.experimental_skip_slot_variables = experimental_skip_slot_variables

    def __copy__(self):
        copied = CheckpointOptions.__new__(CheckpointOptions)
        for name in self.__slots__:
            setattr(copied, name, getattr(self, name))
        copied.experimental_write_callbacks = copy.copy(self.experimental_write_callbacks)
        return copied


def with_callback(options: CheckpointOptions | None, callback) -> CheckpointOptions:
    """A copy of options, in which a callback follows the others."""
    options = CheckpointOptions() if options is None else copy.copy(options)
    options.experimental_write_callbacks = [*(options.experimental_write_callbacks or ()), callback]
    return options


def run_callbacks(options: CheckpointOptions, path) -> None:
    """Calls the callbacks of a write, with the path if they take one."""
    for callback in options.experimental_write_callbacks or ():
        count = len(inspect.signature(callback).parameters)
        if count > 1:
            raise AssertionError(
                f"Callback functions for checkpoint are required to have 0 or 1parameters, but this has {count} parameters: {callback}"
            )
        callback(*([path] if count else []))
