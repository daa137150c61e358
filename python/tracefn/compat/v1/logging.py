"""`tf.compat.v1.logging`: functions of the package's logger."""

from __future__ import annotations

import sys
from logging import DEBUG, ERROR, FATAL, INFO, WARN

from tracefn._logging import get_logger
from tracefn._missing import getter as _getter

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "TaskLevelStatusMessage",
    "debug",
    "error",
    "fatal",
    "flush",
    "get_verbosity",
    "info",
    "log",
    "log_every_n",
    "log_first_n",
    "log_if",
    "set_verbosity",
    "vlog",
    "warn",
    "warning",
]

_counts: dict[tuple, int] = {}  # calls of log_every_n and log_first_n by the line that they stand on


def set_verbosity(v) -> None:
    """Sets the level of `tf.get_logger()`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
      >>> tf.compat.v1.logging.get_verbosity() == tf.compat.v1.logging.ERROR
      True
      >>> tf.get_logger().setLevel("NOTSET")
    """
    get_logger().setLevel(v)


def flush() -> None:
    """Not implemented, as in TensorFlow: handlers write at once.

    Raises:
      NotImplementedError: always.
    """
    raise NotImplementedError


def get_verbosity() -> int:
    """The level below which `tf.get_logger()` discards records."""
    return get_logger().getEffectiveLevel()


def log(level, msg, *args, **kwargs) -> None:
    """Logs `msg % args` at that level."""
    get_logger().log(level, msg, *args, stacklevel=2, **kwargs)


vlog = log


def debug(msg, *args, **kwargs) -> None:
    """Logs `msg % args` at level DEBUG."""
    get_logger().debug(msg, *args, stacklevel=2, **kwargs)


def info(msg, *args, **kwargs) -> None:
    """Logs `msg % args` at level INFO. It can be the `output_stream` of `tf.print`."""
    get_logger().info(msg, *args, stacklevel=2, **kwargs)


def warning(msg, *args, **kwargs) -> None:
    """Logs `msg % args` at level WARNING. It can be the `output_stream` of `tf.print`."""
    get_logger().warning(msg, *args, stacklevel=2, **kwargs)


def warn(msg, *args, **kwargs) -> None:
    """`warning`."""
    get_logger().warning(msg, *args, stacklevel=2, **kwargs)


def error(msg, *args, **kwargs) -> None:
    """Logs `msg % args` at level ERROR. It can be the `output_stream` of `tf.print`."""
    get_logger().error(msg, *args, stacklevel=2, **kwargs)


def fatal(msg, *args, **kwargs) -> None:
    """Logs `msg % args` at level FATAL; does not end the program."""
    get_logger().fatal(msg, *args, stacklevel=2, **kwargs)


def TaskLevelStatusMessage(msg) -> None:
    """Logs a text at level ERROR."""
    get_logger().error(msg, stacklevel=2)


def log_if(level, msg, condition, *args) -> None:
    """Logs `msg % args` if the condition is true."""
    if condition:
        get_logger().log(level, msg, *args, stacklevel=2)


def _earlier_calls() -> int:
    """The number of earlier calls of the calling function from the same line of the program."""
    frame = sys._getframe(2)
    line = (frame.f_code.co_filename, frame.f_lineno)
    count = _counts.get(line, 0)
    _counts[line] = count + 1
    return count


def log_every_n(level, msg, n, *args) -> None:
    """Logs the first call from a line of the program, and every n-th after it."""
    if _earlier_calls() % n == 0:
        get_logger().log(level, msg, *args, stacklevel=2)


def log_first_n(level, msg, n, *args) -> None:
    """Logs the first n calls from a line of the program."""
    if _earlier_calls() < n:
        get_logger().log(level, msg, *args, stacklevel=2)


__getattr__ = _getter("compat.v1.logging")
