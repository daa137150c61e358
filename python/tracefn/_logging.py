"""The logger of the package; all warnings and reports go through it.

Like any library's logger it has no level of its own, and its records go to the handlers that the program has configured.
If there are none, the logger's own handler writes a line to stderr.
"""

from __future__ import annotations

import sys
import threading

from tracefn._caller import frames_of_package

_NAME = "tracefn"
_PARENT = "tensorflow"  # programs silence or redirect TensorFlow's messages by this name

_lock = threading.Lock()
_logger = None


def get_logger():
    """The `logging.Logger` of the package, "tracefn".

    Its parent is the logger "tensorflow": levels and handlers set for either name have effect. Records go to the handlers
    that the program has configured for these loggers or the root. If there are none, they go to stderr, as
    "WARNING:tracefn:text".

    Example:
      >>> import tracefn as tf
      >>> tf.get_logger().name
      'tracefn'
      >>> tf.get_logger().setLevel("ERROR")  # no warnings
      >>> tf.get_logger().setLevel("NOTSET")
    """
    global _logger
    if _logger is None:
        with _lock:
            if _logger is None:
                _logger = _make()
    return _logger


def _make():
    import logging  # start-up time: only what is logged needs it

    class _Unconfigured(logging.Handler):
        """A handler that writes the records that no other handler receives."""

        def emit(self, record) -> None:
            if any(handler is not self for handler in _handlers(logger)):
                return
            last = logging.lastResort
            if last is None:
                return
            if _writes_to_stderr(last) and last.formatter is None:
                _to_stderr(self, record)
            elif record.levelno >= last.level:
                last.handle(record)

    logger = logging.getLogger(_NAME)
    logger.parent = logging.getLogger(_PARENT)
    handler = _Unconfigured()
    handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    logger.addHandler(handler)
    return logger


def _handlers(logger):
    """The handlers that a record of this logger reaches."""
    while logger is not None:
        yield from logger.handlers
        logger = logger.parent if logger.propagate else None


def _writes_to_stderr(handler) -> bool:
    return getattr(handler, "stream", None) is sys.stderr


def _to_stderr(handler, record) -> None:
    try:
        sys.stderr.write(handler.format(record) + "\n")
        sys.stderr.flush()
    except Exception:
        handler.handleError(record)


def warn(text: str) -> None:
    """Logs a warning; its record names the line of the program that called into the package."""
    _log("WARNING", text)


def inform(text: str) -> None:
    """Like `warn`, at level INFO."""
    _log("INFO", text)


def complain(text: str) -> None:
    """Like `warn`, at level ERROR."""
    _log("ERROR", text)


def _log(level: str, text: str) -> None:
    import logging  # start-up time: only what is logged needs it

    get_logger().log(getattr(logging, level), "%s", text, stacklevel=frames_of_package()[0] + 1)
