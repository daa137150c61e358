"""Functions that implement the same thing for several devices: the attributes `api_implements` and `api_preferred_device` of
`tf.function(experimental_attributes=...)`. A graph that has the function for the CPU calls that one."""

from __future__ import annotations

import weakref

from tracefn import _core

_API, _DEVICE = "api_implements", "api_preferred_device"
_HERE = "CPU"
# Concrete functions by what they implement.
_known: dict[str, weakref.WeakSet] = {}


def remember(concrete) -> None:
    """Notes what a concrete function with attributes implements."""
    api = concrete._attributes.get(_API)
    if api is None:
        return
    for other in [name for name, concretes in _known.items() if not concretes]:
        del _known[other]
    _known.setdefault(api, weakref.WeakSet()).add(concrete)
    graph = _core.current_graph()
    if graph is not None:  # its node may outlive the Function
        graph.__dict__.setdefault("_implementations", []).append(concrete)


def add_to_graph(self, g=None, overwrite=False) -> None:
    """Makes a function known in a graph, by default the current one.

    A node that calls a function holds it, so that this changes one thing only: if the function is another one's
    implementation for the CPU, the graph's calls of the other call it instead.

    Args:
      g: graph.
      overwrite: accepted, without effect.
    """
    del overwrite
    attributes = getattr(self, "_attributes", {})
    graph = _core.current_graph() if g is None else g
    if graph is None or attributes.get(_DEVICE) != _HERE:
        return
    for other in list(_known.get(attributes.get(_API, ""), ())):
        if other._attributes.get(_DEVICE) != _HERE:
            self._take_calls(graph, other.name.decode())
