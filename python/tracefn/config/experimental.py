"""`tf.config.experimental`: older names of functions in `tf.config`, and settings of unsupported hardware."""

from __future__ import annotations

import re as _re

from tracefn._deprecated import leave_out as _leave_out
from tracefn._missing import getter as _getter
from tracefn.config._devices import LogicalDeviceConfiguration as VirtualDeviceConfiguration
from tracefn.config._devices import (
    get_logical_device_configuration as get_virtual_device_configuration,
)
from tracefn.config._devices import (
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_visible_devices,
)
from tracefn.config._devices import (
    set_logical_device_configuration as set_virtual_device_configuration,
)

__all__ = [
    "VirtualDeviceConfiguration",
    "disable_mlir_bridge",
    "enable_mlir_bridge",
    "enable_op_determinism",
    "enable_tensor_float_32_execution",
    "get_device_details",
    "get_device_policy",
    "get_memory_growth",
    "get_memory_info",
    "get_memory_usage",
    "get_synchronous_execution",
    "get_virtual_device_configuration",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "reset_memory_stats",
    "set_device_policy",
    "set_memory_growth",
    "set_synchronous_execution",
    "set_virtual_device_configuration",
    "set_visible_devices",
    "tensor_float_32_execution_enabled",
]

_DEVICE_NAME = _re.compile(r"(?:(?:/job:\w+)?(?:/replica:\d+)?(?:/task:\d+)?/?(?:device:)?(?P<kind>[A-Za-z_]\w*:\d+))?")
_determinism = False


def enable_op_determinism() -> None:
    """From now on every random op needs a seed, its own or the global one. Results never depend on the number of threads.

    A random op without a seed raises a RuntimeError, and so does a `tf.random.Generator` of random state.

    Example:
      >>> import tracefn as tf
      >>> tf.random.set_seed(1)
      >>> tf.config.experimental.enable_op_determinism()  # doctest: +SKIP
      >>> tf.random.uniform([2]).shape
      TensorShape([2])
    """
    global _determinism
    _determinism = True


def disable_op_determinism() -> None:
    """Undoes `enable_op_determinism`. TensorFlow has this function in its own code only."""
    global _determinism
    _determinism = False


def is_op_determinism_enabled() -> bool:
    """Whether `enable_op_determinism` was called. TensorFlow has this function in its own code only."""
    return _determinism


_tensor_float_32 = True
_POLICIES = ("silent", "silent_for_int32", "warn", "explicit")
_policy = "silent"
_synchronous = True


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Stored, without effect: a CPU computes with all bits of a float32."""
    global _tensor_float_32
    _tensor_float_32 = bool(enabled)


def tensor_float_32_execution_enabled() -> bool:
    """What `enable_tensor_float_32_execution` stored; True by default."""
    return _tensor_float_32


def enable_mlir_bridge() -> None:
    """Accepted, without effect: graphs do not pass through MLIR."""


def disable_mlir_bridge() -> None:
    """Accepted, without effect: graphs do not pass through MLIR."""


def set_device_policy(device_policy: str | None) -> None:
    """Stored, without effect: all tensors are on the one device.

    Args:
      device_policy: "silent", "silent_for_int32", "warn", "explicit", or None for the default.

    Raises:
      ValueError: it is none of these.
    """
    global _policy
    if device_policy is not None and device_policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. Please refer to https://www.tensorflow.org/api_docs/python/tf/"
            f"config/experimental/set_device_policy for valid `device_policy` arguments: {list(_POLICIES)}."
        )
    _policy = device_policy or "silent"


def get_device_policy() -> str:
    """What `set_device_policy` stored; "silent" by default."""
    return _policy


def _check_device(device: str | None) -> None:
    """Fails unless there is a device of this name; an empty one is of any device."""
    name = device or ""
    if not isinstance(name, str):
        raise TypeError(f"The name of a device must be a string; got {device!r}.")
    found = _DEVICE_NAME.fullmatch(name)
    if found is None:
        raise ValueError(
            f"Failed parsing device name: {device!r}. Note a valid device string should at least contain a device type and a "
            'device index, like "GPU:0".'
        )
    if name and f"/device:{found['kind']}" not in [each.name for each in list_logical_devices()]:
        raise ValueError(f"No matching devices found for {device!r}")


def get_memory_info(device: str) -> dict:
    """Zeros: the CPU's memory is not counted.

    Args:
      device: str, such as "CPU:0".

    Returns:
      Dict of `current` and `peak`.

    Raises:
      ValueError: there is no such device.
    """
    _check_device(device)
    return {"current": 0, "peak": 0}


def get_memory_usage(device: str) -> int:
    """0: the CPU's memory is not counted.

    Raises:
      ValueError: there is no such device.
    """
    return get_memory_info(device)["current"]


def reset_memory_stats(device: str) -> None:
    """Does nothing: the CPU's memory is not counted.

    Raises:
      ValueError: there is no such device.
    """
    _check_device(device)


def get_synchronous_execution() -> bool:
    """What `set_synchronous_execution` stored; True by default."""
    return _synchronous


def set_synchronous_execution(enable: bool | None) -> None:
    """Stored, without effect: an eager op always returns when its result is computed. None is the default, True."""
    global _synchronous
    _synchronous = enable is None or bool(enable)


def get_device_details(device) -> dict:
    """The details of a device: an empty dict.

    Raises:
      ValueError: the device does not exist.
    """
    if device not in list_physical_devices():
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")
    return {}


def get_memory_growth(device) -> bool:
    """Only GPUs have the setting.

    Raises:
      ValueError: the device does not exist.
      KeyError: otherwise: it is the CPU.
    """
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")
    raise KeyError(device)


def set_memory_growth(device, enable: bool) -> None:
    """Only GPUs have the setting.

    Raises:
      ValueError: always.
    """
    del enable
    if get_virtual_device_configuration(device):
        raise ValueError("Cannot set memory growth on device when virtual devices configured")
    raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")


__getattr__ = _getter("config.experimental")
_leave_out(globals(), "config.experimental")
