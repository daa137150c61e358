"""`tensorflow.python.profiler.tfprof_logger`: what is known of the nodes of a graph before it runs."""

from tracefn.compat.v1.model_profiles.logs import (
    REGISTERED_FLOP_STATS,
    TRAINABLE_VARIABLES,
    merge_default_with_oplog,
    write_op_log,
)

__all__ = ["REGISTERED_FLOP_STATS", "TRAINABLE_VARIABLES", "merge_default_with_oplog", "write_op_log"]
