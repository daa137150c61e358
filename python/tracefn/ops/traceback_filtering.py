"""`tf.debugging.enable_traceback_filtering` and its like."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export


@export("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Leaves frames of this package out of the tracebacks of this thread, as is so from the start.

    An error that leaves a trace is one exception then, without the one that it was told from.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.enable_traceback_filtering()
    """
    _core.set_traceback_filtering(True)


@export("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Shows all frames in the tracebacks of this thread; the environment variable `TRACEFN_TRACEBACK_FILTERING=off`
    does so in all threads.

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
    """Whether frames of this package are left out of the tracebacks of this thread."""
    return _core.traceback_filtering()
