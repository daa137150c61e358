"""`tensorflow.python.distribute.summary_op_util`: which replica writes summaries."""

from tracefn._static_value import get_static_value
from tracefn.distribute import get_replica_context

__all__ = ["skip_summary"]


def skip_summary():
    """Whether summaries are left out here: false in the first replica and outside of replicas."""
    context = get_replica_context()
    if context is None:
        return False
    index = get_static_value(context.replica_id_in_sync_group)
    return index and index > 0
