"""`tf.debugging.set_log_device_placement`: whether to log on which device ops run."""

from __future__ import annotations

from tracefn._export import export

_enabled = False


@export("debugging.set_log_device_placement")
def set_log_device_placement(enabled) -> None:
    """Asks for a log of the devices on which ops run. Accepted without a log: there is one device.

    Args:
      enabled: bool.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.set_log_device_placement(True)
      >>> tf.debugging.get_log_device_placement()
      True
      >>> tf.debugging.set_log_device_placement(False)
    """
    global _enabled
    _enabled = bool(enabled)


@export("debugging.get_log_device_placement")
def get_log_device_placement() -> bool:
    """What `tf.debugging.set_log_device_placement` was told last; False at first."""
    return _enabled
