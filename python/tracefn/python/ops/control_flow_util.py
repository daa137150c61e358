"""`tensorflow.python.ops.control_flow_util`: questions about graphs and nodes.

A conditional or loop is a single node here, so no node is in a context of one.
"""

__all__ = [
    "ENABLE_CONTROL_FLOW_V2",
    "EnableControlFlowV2",
    "GetContainingCondContext",
    "GetContainingWhileContext",
    "GetContainingXLAContext",
    "GraphOrParentsInXlaContext",
    "InXlaContext",
    "IsInCond",
    "IsInWhileLoop",
    "IsInXLAContext",
    "IsLoopEnter",
    "IsLoopExit",
    "IsMerge",
    "IsSwitch",
]
ENABLE_CONTROL_FLOW_V2 = True


def EnableControlFlowV2(graph) -> bool:  # TensorFlow's name
    """Whether conditionals and loops of a graph are single nodes: always."""
    del graph
    return True


def GraphOrParentsInXlaContext(graph) -> bool:  # TensorFlow's name
    """Whether a graph is compiled by XLA, which nothing here is."""
    del graph
    return False


def InXlaContext(graph) -> bool:  # TensorFlow's name
    """Whether ops of a graph are made in a context of XLA: never."""
    del graph
    return False


def GetContainingCondContext(ctxt) -> None:  # TensorFlow's name
    """The context of the innermost conditional around a context: there is none."""
    del ctxt


def GetContainingWhileContext(ctxt, stop_ctxt=None) -> None:  # TensorFlow's name
    """The context of the innermost loop around a context: there is none."""
    del ctxt, stop_ctxt


def GetContainingXLAContext(ctxt) -> None:  # TensorFlow's name
    """The context of XLA around a context: there is none."""
    del ctxt


def IsInCond(op) -> bool:  # TensorFlow's name
    """Whether a node is in the context of a conditional: never."""
    del op
    return False


def IsInWhileLoop(op) -> bool:  # TensorFlow's name
    """Whether a node is in the context of a loop: never."""
    del op
    return False


def IsInXLAContext(op) -> bool:  # TensorFlow's name
    """Whether XLA is to compile a node: only where its attribute asks for it."""
    try:
        return bool(op.get_attr("_XlaCompile"))
    except ValueError:
        return False


def IsSwitch(op) -> bool:  # TensorFlow's name
    """Whether a node hands its input to one of two branches."""
    return op.type in ("Switch", "RefSwitch")


def IsMerge(op) -> bool:  # TensorFlow's name
    """Whether a node hands on the first of its inputs that there is."""
    return op.type in ("Merge", "RefMerge")


def IsLoopEnter(op) -> bool:  # TensorFlow's name
    """Whether a node hands its input to a loop."""
    return op.type in ("Enter", "RefEnter")


def IsLoopExit(op) -> bool:  # TensorFlow's name
    """Whether a node hands its input out of a loop."""
    return op.type in ("Exit", "RefExit")
