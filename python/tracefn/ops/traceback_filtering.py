"""`tf.debugging.enable_traceback_filtering` and related functions."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export


@export("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Hides the frames of this package in the tracebacks of this thread. This is the default.

    An error that leaves a trace is then a single exception, without the original one as its context.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.enable_traceback_filtering()
    """
    _core.set_traceback_filtering(True)


@export("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Shows all frames in the tracebacks of this thread. The environment variable `TRACEFN_TRACEBACK_FILTERING=off` does so in
    all threads.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.disable_traceback_filtering()
      >>> tf.debugging.is_traceback_filtering_enabled()
      False
      >>> tf.debugging.enable_traceback_filtering()
    """
    _core.set_traceback_filtering(False)


@export("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Whether the frames of this package are hidden in the tracebacks of this thread."""
    return _core.traceback_filtering()
