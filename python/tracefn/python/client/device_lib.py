"""`tensorflow.python.client.device_lib`: the devices of this process, which programs list to look for GPUs."""

from __future__ import annotations

from tracefn.config import list_logical_devices

_MEMORY = 1 << 28  # TensorFlow's limit for CPUs, which it does not keep to


class DeviceLocality:
    """Where a device is: `bus_id` and `numa_node`, which are 0 for CPUs."""

    bus_id = 0
    numa_node = 0

    def __repr__(self) -> str:
        return ""


class DeviceAttributes:
    """A device.

    Attributes:
      name, device_type, physical_device_desc: str.
      memory_limit, incarnation, xla_global_id: int.
      locality: DeviceLocality.
    """

    def __init__(self, name: str, device_type: str) -> None:
        self.name, self.device_type = name, device_type
        self.physical_device_desc = ""
        self.memory_limit = _MEMORY
        self.incarnation = hash((name, device_type)) & (2**63 - 1)
        self.locality = DeviceLocality()
        self.xla_global_id = -1

    def __repr__(self) -> str:
        lines = [
            f'name: "{self.name}"', f'device_type: "{self.device_type}"', f"memory_limit: {self.memory_limit}", "locality {", "}",
            f"incarnation: {self.incarnation}", f"xla_global_id: {self.xla_global_id}",
        ]  # fmt: skip
        return "\n".join(lines) + "\n"


def list_local_devices(session_config=None) -> list[DeviceAttributes]:
    """The devices of this process: CPUs.

    Args:
      session_config: accepted, without effect.
    """
    del session_config
    return [
        DeviceAttributes(f"/device:{device.name.removeprefix('/device:')}", device.device_type)
        for device in list_logical_devices()
    ]
