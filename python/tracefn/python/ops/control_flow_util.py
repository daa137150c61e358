"""`tensorflow.python.ops.control_flow_util`: questions about graphs."""

__all__ = ["ENABLE_CONTROL_FLOW_V2", "EnableControlFlowV2", "GraphOrParentsInXlaContext"]
ENABLE_CONTROL_FLOW_V2 = True


def EnableControlFlowV2(graph) -> bool:  # TensorFlow's name
    """Whether conditionals and loops of a graph are single nodes: always."""
    del graph
    return True


def GraphOrParentsInXlaContext(graph) -> bool:  # TensorFlow's name
    """Whether a graph is compiled by XLA, which nothing here is."""
    del graph
    return False
