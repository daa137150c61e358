"""`tensorflow.python.eager.context`: what libraries ask eager execution for."""

from __future__ import annotations

from tracefn._device import placement_of_thread
from tracefn._internal import eager_mode
from tracefn.compat.v1.switches import graph_mode
from tracefn.config._devices import forget_configuration
from tracefn.framework import executing_eagerly
from tracefn.ops.device_spec import DeviceSpec

__all__ = ["async_wait", "context", "eager_mode", "ensure_initialized", "executing_eagerly", "get_device_name", "graph_mode"]


class _Context:
    """The state of eager execution; ops have run when they return, and kernels are not kept."""

    def clear_kernel_cache(self) -> None:
        """Does nothing."""

    def executing_eagerly(self) -> bool:
        """Whether ops run eagerly."""
        return executing_eagerly()

    @property
    def device_name(self) -> str:
        """The name of the device on which eager ops are placed; "" for any device."""
        return placement_of_thread()

    @property
    def device_spec(self):
        """The same as a `tf.DeviceSpec`."""
        return DeviceSpec.from_string(placement_of_thread())


_context = _Context()


def context() -> _Context:
    """The state of eager execution."""
    return _context


def _reset_context() -> None:
    """Makes the devices those that a program starts with."""
    forget_configuration()


def async_wait() -> None:
    """Waits for ops that run asynchronously, of which there are none."""


def ensure_initialized() -> None:
    """Does nothing: there is nothing to initialize."""


def get_device_name() -> str:
    """The name of the device on which eager ops are placed; "" for any device.

    Example:
      >>> import tracefn as tf
      >>> tf.python.eager.context.get_device_name()
      ''
    """
    return placement_of_thread()
