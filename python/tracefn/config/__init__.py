"""`tf.config`: eager execution of functions, devices and threads."""

from __future__ import annotations

from tracefn._deprecated import leave_out as _leave_out
from tracefn._missing import getter as _getter
from tracefn._surroundings import want_fast_path
from tracefn.config import experimental, optimizer, threading
from tracefn.config._devices import (
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
    get_logical_device_configuration,
    get_soft_device_placement,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_logical_device_configuration,
    set_soft_device_placement,
    set_visible_devices,
)

__all__ = [
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "experimental",
    "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "get_logical_device_configuration",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "optimizer",
    "run_functions_eagerly",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
    "threading",
]

_run_eagerly = False


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Whether calls of Functions run their Python function eagerly, without tracing (True), or traced (False).

    Example:
      >>> import tracefn as tf
      >>> tf.config.run_functions_eagerly(True)
      >>> tf.config.functions_run_eagerly()
      True
      >>> tf.config.run_functions_eagerly(False)
    """
    global _run_eagerly
    _run_eagerly = bool(run_eagerly)
    want_fast_path(not _run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether calls of Functions run eagerly; see `run_functions_eagerly`."""
    return _run_eagerly


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


__getattr__ = _getter("config")
_leave_out(globals(), "config")
