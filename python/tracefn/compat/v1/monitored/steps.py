"""The global step as hooks read it."""

from __future__ import annotations

from tracefn import _core
from tracefn.compat.v1.decays import get_global_step
from tracefn.framework import default_graph

_READS = "global_step_read_op_cache"


def global_step_read(graph=None):
    """A tensor with the value of a graph's global step, the same one in every call; None if there is no global step."""
    graph = default_graph() if graph is None else graph
    made = graph.get_collection_ref(_READS)
    if not made:
        step = get_global_step(graph)
        if step is None:
            return None
        name = step.op.name
        with graph.as_default(), graph.name_scope(None), graph.name_scope(f"{name}/"):
            value = step if isinstance(step, _core.Tensor) else step.read_value()
            graph.add_to_collection(_READS, value + 0)
    return graph.get_collection(_READS)[0]


def required_step(hook: str):
    """`global_step_read()` for a hook that needs it.

    Raises:
      RuntimeError: the default graph has no global step.
    """
    step = global_step_read()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {hook}.")
    return step
