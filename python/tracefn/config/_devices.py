"""The devices: one CPU, and the logical CPUs that programs may make of it."""

from __future__ import annotations

from collections import namedtuple

from tracefn import _core

PhysicalDevice = namedtuple("PhysicalDevice", ["name", "device_type"])
PhysicalDevice.__doc__ = 'A piece of hardware: `name`, "/physical_device:CPU:0", and `device_type`, "CPU".'
LogicalDevice = namedtuple("LogicalDevice", ["name", "device_type"])
LogicalDevice.__doc__ = 'What `tf.device` takes: `name`, "/device:CPU:0", and `device_type`, "CPU".'

_PHYSICAL = [PhysicalDevice("/physical_device:CPU:0", "CPU")]
_LOGICAL = [LogicalDevice("/device:CPU:0", "CPU")]


def _of_type(devices: list, device_type: str | None) -> list:
    return [d for d in devices if device_type is None or d.device_type == device_type]


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The physical devices of the given type; None: of all types.

    Example:
      >>> import tracefn as tf
      >>> tf.config.list_physical_devices()
      [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
      >>> tf.config.list_physical_devices("GPU")
      []
    """
    return _of_type(_PHYSICAL, device_type)


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The logical devices of the given type, on which ops can be placed."""
    return _of_type(_LOGICAL, device_type)


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The physical devices of the given type that are in use."""
    return _of_type(_PHYSICAL, device_type)


def set_visible_devices(devices, device_type: str | None = None) -> None:
    """Accepted if it changes nothing: the CPU is always in use.

    Args:
      devices: list of PhysicalDevices, or one.
      device_type: the device type; None for all.

    Raises:
      ValueError: a device does not exist, or is of another type.
      RuntimeError: the CPU would no longer be visible.
    """
    devices = list(devices) if isinstance(devices, list) else [devices]
    for device in devices:
        if device not in _PHYSICAL:
            raise ValueError(f"Unrecognized device: {device!r}")
        if device_type is not None and device.device_type != device_type:
            raise ValueError(f"Unrecognized device: {device!r}")
    if _of_type(_PHYSICAL, device_type) != devices:
        raise RuntimeError("Visible devices cannot be modified after being initialized")


def set_soft_device_placement(enabled: bool) -> None:
    """Whether an op that is placed on a device that does not exist runs on the CPU (True) or raises an error (False)."""
    _core.set_soft_placement(bool(enabled))


def get_soft_device_placement() -> bool:
    """Whether soft device placement is on, which is the default."""
    return _core.soft_placement()


LogicalDeviceConfiguration = namedtuple(
    "LogicalDeviceConfiguration",
    ["memory_limit", "experimental_priority", "experimental_device_ordinal"],
    defaults=[None, None, None],
)
LogicalDeviceConfiguration.__doc__ = "How a physical device appears as a logical one. A CPU has no memory limit."
_configured: list = []


def forget_configuration() -> None:
    """Makes the devices those that a program starts with."""
    _configured.clear()
    _LOGICAL[:] = _LOGICAL[:1]


def _known(device) -> None:
    if device not in _PHYSICAL:
        raise ValueError(f"Unrecognized device: {device!r}")


def get_logical_device_configuration(device):
    """The configurations of a device that were set, or None.

    Example:
      >>> import tracefn as tf
      >>> cpu = tf.config.list_physical_devices("CPU")[0]
      >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])
      >>> len(tf.config.get_logical_device_configuration(cpu))
      1
    """
    _known(device)
    return list(_configured) or None


def set_logical_device_configuration(device, logical_devices) -> None:
    """Sets how many logical CPUs there are: names of one and the same processor, for `tf.distribute.MirroredStrategy`.

    Args:
      device: a PhysicalDevice.
      logical_devices: list of LogicalDeviceConfigurations, one for each logical CPU.

    Raises:
      ValueError: the device does not exist, or a limit, priority or ordinal is set, which a CPU does not have.

    Example:
      >>> import tracefn as tf
      >>> cpu = tf.config.list_physical_devices("CPU")[0]
      >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
      >>> [device.name for device in tf.config.list_logical_devices()]
      ['/device:CPU:0', '/device:CPU:1']
      >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])
    """
    _known(device)
    for logical in logical_devices:
        if logical.memory_limit is not None:
            raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
        for field in ("experimental_priority", "experimental_device_ordinal"):
            if getattr(logical, field) is not None:
                raise ValueError(f"Setting {field} on CPU virtual  devices is currently not supported")
    _configured[:] = logical_devices
    _LOGICAL[:] = [LogicalDevice(f"/device:CPU:{i}", "CPU") for i in range(max(1, len(logical_devices)))]
