"""Tensors of a graph that a program has seen live as long as the graph: it notes by id() what it has visited, and sets
attributes. Graphs of functions do not keep them, so that a function's trace goes with its last reference.
"""

from __future__ import annotations

_KEY = "_tensors_seen"


def keeping(tensors: property) -> property:
    """A property of Operations that gives tensors, which the graph keeps from then on."""

    def kept(self):
        found = tensors.fget(self)
        graph = self._own_graph
        if graph is not None:
            vars(graph).setdefault(_KEY, {}).update((id(tensor), tensor) for tensor in found)
        return found

    return property(kept)
