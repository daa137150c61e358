"""`tensorflow.python.platform.tf_logging`: the log, which is `tf.compat.v1.logging`."""

from tracefn._logging import get_logger
from tracefn.compat.v1.logging import *  # noqa: F403

__all__ = ["get_logger"]
