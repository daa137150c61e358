"""`tf.debugging.enable_traceback_filtering` and its like."""

from __future__ import annotations

from tracefn._export import export

_enabled = [True]


@export("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Accepted, and told by `is_traceback_filtering_enabled`; tracebacks name the program's own frames either way.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.enable_traceback_filtering()
    """
    _enabled[0] = True


@export("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Accepted, and told by `is_traceback_filtering_enabled`.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.disable_traceback_filtering()
      >>> tf.debugging.is_traceback_filtering_enabled()
      False
      >>> tf.debugging.enable_traceback_filtering()
    """
    _enabled[0] = False


@export("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Whether traceback filtering was last enabled, as it is from the start."""
    return _enabled[0]
