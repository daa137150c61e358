"""`tf.DeviceSpec`: the parts of a device's name."""

from __future__ import annotations

from typing import NamedTuple

from tracefn._export import export

_TYPES = ("CPU", "GPU", "TPU", "CUSTOM")  # that a name may start a part with, without "device:"


class _Parts(NamedTuple):
    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None

    def text(self) -> str:
        index = "*" if self.device_index is None else self.device_index
        device = None if self.device_type is None else f"{self.device_type}:{index}"
        shown = {"job": self.job, "replica": self.replica, "task": self.task, "device": device}
        return "".join(f"/{key}:{value}" for key, value in shown.items() if value is not None)


def _parse(spec: str | None) -> dict:
    """The parts of a name, as text except the index of the device."""
    found: dict = {}
    for part in (spec or "").split("/"):
        key, *values = part.split(":")
        if key in ("job", "replica", "task") and len(values) == 1:
            found[key] = values[0]
            continue
        if key.upper() in _TYPES and len(values) < 2:
            kind, index = key.upper(), values[0] if values else "*"
        elif key == "device" and len(values) == 2:
            kind, index = values
        elif key == "":
            continue
        else:
            raise ValueError(f"Unknown attribute '{key}' is encountered while parsing the device spec: '{spec}'.")
        if "device_type" in found:
            raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
        found["device_type"] = kind
        if index != "*":
            found["device_index"] = int(index)
    return found


@export("DeviceSpec")
class DeviceSpec:
    """The parts of a device's name, each of which may be left open. Immutable.

    Args:
      job: str, or None.
      replica: int, or None.
      task: int, or None.
      device_type: str such as "CPU", or None.
      device_index: int, or None for any.

    >>> spec = tf.DeviceSpec(job="worker", device_type="CPU")
    >>> spec.to_string()
    '/job:worker/device:CPU:*'
    >>> spec.make_merged_spec(tf.DeviceSpec.from_string("/task:3/CPU:0")).to_string()
    '/job:worker/task:3/device:CPU:0'
    """

    __slots__ = ("_parts",)

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        if device_type in ("cpu", "gpu"):
            device_type = device_type.upper()

        def text(value):
            return None if value is None else str(value)

        def number(value):
            return None if value is None else int(value)

        self._parts = _Parts(text(job), number(replica), number(task), text(device_type), number(device_index))

    @classmethod
    def from_string(cls, spec):
        """The DeviceSpec of a name such as "/job:worker/task:1/device:CPU:0"; "/cpu:0" is short for the last part.

        Raises:
          ValueError: `spec` is not such a name, or has two devices.
        """
        return cls(**_parse(spec))

    def parse_from_string(self, spec):
        """The same as `from_string`: the DeviceSpec itself does not change."""
        return self.from_string(spec)

    def to_string(self) -> str:
        """The name; the index of any device is "*"."""
        return self._parts.text()

    def make_merged_spec(self, dev):
        """A DeviceSpec with the parts of `dev`, and those of this one where `dev` has none."""
        return self.replace(**{name: value for name in _Parts._fields if (value := getattr(dev, name)) is not None})

    def replace(self, **kwargs):
        """A DeviceSpec with some parts replaced.

        Args:
          **kwargs: arguments of the constructor.
        """
        return type(self)(**{**self._parts._asdict(), **kwargs})

    @property
    def job(self) -> str | None:
        """Name of the job."""
        return self._parts.job

    @property
    def replica(self) -> int | None:
        """Index of the replica."""
        return self._parts.replica

    @property
    def task(self) -> int | None:
        """Index of the task."""
        return self._parts.task

    @property
    def device_type(self) -> str | None:
        """Type of the device, such as "CPU"."""
        return self._parts.device_type

    @property
    def device_index(self) -> int | None:
        """Index of the device among those of its type."""
        return self._parts.device_index

    def __eq__(self, other):
        return isinstance(other, type(self)) and self.to_string() == other.to_string()

    def __hash__(self):
        return hash(self.to_string())

    def __repr__(self):
        return f"<DeviceSpec({', '.join(f'{name}={value}' for name, value in self._parts._asdict().items())})>"


@export("compat.v1.DeviceSpec")
class DeviceSpecV1(DeviceSpec):
    """`tf.DeviceSpec` whose parts can be changed.

    Example:
      >>> import tracefn as tf
      >>> spec = tf.compat.v1.DeviceSpec(job="worker")
      >>> spec.merge_from(tf.compat.v1.DeviceSpec(task=1, device_type="cpu"))
      >>> spec.to_string()
      '/job:worker/task:1/device:CPU:*'
    """

    def _set(self, **parts) -> None:
        DeviceSpec.__init__(self, **{name: parts.get(name, getattr(self, name)) for name in _Parts._fields})

    def parse_from_string(self, spec):
        """Takes the parts of a device name, and returns this object."""
        self._set(**(dict.fromkeys(_Parts._fields) | _parse(spec)))
        return self

    def merge_from(self, dev) -> None:
        """Takes the parts that another spec has."""
        self._set(**{name: getattr(dev, name) for name in _Parts._fields if getattr(dev, name) is not None})

    def __hash__(self):
        return DeviceSpec.__hash__(self)


def _changeable(name: str) -> property:
    return property(getattr(DeviceSpec, name).fget, lambda self, value: self._set(**{name: value}))


for _name in _Parts._fields:
    setattr(DeviceSpecV1, _name, _changeable(_name))
