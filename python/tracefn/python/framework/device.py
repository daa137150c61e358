"""`tensorflow.python.framework.device`: names of devices, and device functions that merge them."""

from __future__ import annotations

from tracefn.ops.device_spec import DeviceSpec

__all__ = ["MergeDevice", "canonical_name", "check_valid", "is_device_spec", "merge_device"]


def check_valid(spec: str) -> None:
    """Raises ValueError unless a str names a device."""
    DeviceSpec.from_string(spec)


def is_device_spec(obj) -> bool:
    """Whether an object is a `tf.DeviceSpec`, also one of TensorFlow 1."""
    return isinstance(obj, DeviceSpec)


def canonical_name(device) -> str:
    """The full name of a device.

    Args:
      device: DeviceSpec, str or None.

    Example:
      >>> from tracefn.python.framework.device import canonical_name
      >>> canonical_name("/gpu:1")
      '/device:GPU:1'
    """
    if device is None:
        return ""
    return (device if is_device_spec(device) else DeviceSpec.from_string(device)).to_string()


class MergeDevice:
    """A device function that adds parts of a name to those that an operation has; the operation's own win.

    Args:
      spec: DeviceSpec or str.
    """

    __slots__ = ("_spec",)

    def __init__(self, spec) -> None:
        self._spec = DeviceSpec.from_string(canonical_name(spec))

    def __call__(self, node_def) -> DeviceSpec:
        return self._spec.make_merged_spec(DeviceSpec.from_string(node_def.device or ""))

    def shortcut_string_merge(self, node_def) -> str:
        """The name of the merged device."""
        return self(node_def).to_string()

    @property
    def is_null_merge(self) -> bool:
        """Whether it adds nothing."""
        return not self._spec.to_string()

    def __repr__(self) -> str:
        return f"{super().__repr__()} (spec: {self._spec.to_string()})"


def merge_device(spec) -> MergeDevice:
    """A device function for `tf.compat.v1.device` that adds parts to the devices within.

    Args:
      spec: DeviceSpec, str, or such a device function, which is returned as it is.

    Raises:
      ValueError: the str names no device.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.device import merge_device
      >>> with tf.Graph().as_default(), tf.compat.v1.device(merge_device("/job:a")):
      ...     with tf.device("/cpu:0"):
      ...         print(tf.constant(1).device)
      /job:a/device:CPU:0
    """
    return spec if isinstance(spec, MergeDevice) else MergeDevice(spec)
