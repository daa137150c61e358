"""`tf.config`: how functions run, devices and threads."""

from __future__ import annotations

from tracefn import _core

_run_eagerly = False
_soft_placement = True


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes calls of Functions run their Python function eagerly (True), without tracing, or traced again (False).

    Example:
      >>> import tracefn as tf
      >>> tf.config.run_functions_eagerly(True)
      >>> tf.config.functions_run_eagerly()
      True
      >>> tf.config.run_functions_eagerly(False)
    """
    global _run_eagerly
    _run_eagerly = bool(run_eagerly)
    _core.set_fast_path(not _run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether calls of Functions run eagerly; see `run_functions_eagerly`."""
    return _run_eagerly


def set_soft_device_placement(enabled: bool) -> None:
    """Whether an op for a device that does not exist runs on the CPU (True) or is an error."""
    global _soft_placement
    _soft_placement = bool(enabled)


def get_soft_device_placement() -> bool:
    """Whether soft device placement is on."""
    return _soft_placement
