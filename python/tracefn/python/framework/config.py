"""`tensorflow.python.framework.config`: settings of the process."""

from tracefn.config.experimental import disable_op_determinism, enable_op_determinism, is_op_determinism_enabled

__all__ = ["disable_op_determinism", "enable_op_determinism", "is_op_determinism_enabled"]
