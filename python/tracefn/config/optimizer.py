"""`tf.config.optimizer`: settings of TensorFlow's graph optimizer. They are kept and have no effect: passes always run."""

from __future__ import annotations

__all__ = ["get_experimental_options", "get_jit", "set_experimental_options", "set_jit"]

_options: dict = {}
_jit = [""]


def get_jit() -> str:
    """What `set_jit` was given: "" or "autoclustering"."""
    return _jit[0]


def set_jit(enabled) -> None:
    """Accepted and kept.

    Args:
      enabled: bool or "autoclustering".
    """
    _jit[0] = "autoclustering" if enabled in (True, "autoclustering") else ""


def get_experimental_options() -> dict:
    """What was set."""
    return {"disable_model_pruning": False, "disable_meta_optimizer": False, **_options}


def set_experimental_options(options: dict) -> None:
    """Accepted and kept."""
    _options.update(options)
