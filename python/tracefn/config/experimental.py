"""`tf.config.experimental`: older names of functions in `tf.config`, and settings of unsupported hardware."""

from __future__ import annotations

from tracefn._missing import getter as _getter
from tracefn.config._devices import (
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_visible_devices,
)

__all__ = [
    "enable_op_determinism",
    "get_device_details",
    "get_memory_growth",
    "get_synchronous_execution",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "set_memory_growth",
    "set_synchronous_execution",
    "set_visible_devices",
]


def enable_op_determinism() -> None:
    """Accepted, without effect: results never depend on the number of threads."""


def get_synchronous_execution() -> bool:
    """True: an eager op returns when its result is computed."""
    return True


def set_synchronous_execution(enable: bool) -> None:
    """Accepted, without effect: ops always run synchronously."""
    del enable


def get_device_details(device) -> dict:
    """The details of a device: an empty dict.

    Raises:
      ValueError: the device does not exist.
    """
    if device not in list_physical_devices():
        raise ValueError(f"Expected a tf.config.PhysicalDevice, but got: {device}")
    return {}


def get_memory_growth(device) -> bool:
    """Only GPUs have the setting.

    Raises:
      ValueError: always.
    """
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")
    raise ValueError("Memory growth is only available for GPU and Pluggable devices")


def set_memory_growth(device, enable: bool) -> None:
    """Only GPUs have the setting.

    Raises:
      ValueError: always.
    """
    del enable
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")
    raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")


__getattr__ = _getter("config.experimental")
