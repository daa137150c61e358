"""The package's logger, made on first use."""

from __future__ import annotations

_logger = None


def get_logger():
    """The `logging.Logger` of the package; warnings go to stderr as "WARNING:tracefn:text".

    Example:
      >>> import tracefn as tf
      >>> tf.get_logger().name
      'tracefn'
    """
    global _logger
    if _logger is None:
        import logging
        import sys

        class _StderrHandler(logging.StreamHandler):
            """Writes to what sys.stderr is at the time."""

            def __init__(self) -> None:
                logging.Handler.__init__(self)

            @property
            def stream(self):
                return sys.stderr

        logger = logging.getLogger("tracefn")
        if not logger.handlers:
            handler = _StderrHandler()
            handler.setFormatter(logging.Formatter("%(levelname)s:%(name)s:%(message)s"))
            logger.addHandler(handler)
            logger.propagate = False
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.WARNING)
        _logger = logger
    return _logger
