"""Attributes that a program, or the placement of ops, adds to nodes: the core's nodes have those of their ops' declarations only."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

_OF_GRAPH = "_attributes_of_nodes"
_CLASS = "_class"
# Nodes with no group but their Variable's; and those whose groups outer contexts do not change.
_OF_VARIABLES = "_nodes_colocated_with_variables"
_SETTLED = "_nodes_with_settled_colocation"


def added_to(graph, id: int) -> dict[str, Any]:
    """The AttrValues added to a node, by name."""
    return {name: _message(value) for name, value in graph.__dict__.get(_OF_GRAPH, {}).get(id, {}).items()}


def _message(value):
    if not isinstance(value, list):
        return value
    from tracefn._attr_value import attr_value  # start-up time: few programs ask for attributes

    return attr_value(list={"s": value})


def groups_of(graph, id: int) -> list[bytes]:
    """The colocation groups of a node that are attributes of it."""
    found = graph.__dict__.get(_OF_GRAPH, {}).get(id, {}).get(_CLASS, [])
    return [group for group in (found if isinstance(found, list) else found.list.s) if group.startswith(b"loc:@")]


def nodes_with_added(graph) -> list[int]:
    """The nodes that have such attributes."""
    return [id for id, attributes in graph.__dict__.get(_OF_GRAPH, {}).items() if attributes]


def add(graph, id: int, name: str, value) -> None:
    """Adds an attribute to a node, or replaces it; the value is an AttrValue, or a list of bytes."""
    graph.__dict__.setdefault(_OF_GRAPH, {}).setdefault(id, {})[name] = value


def remove(graph, id: int, name: str) -> None:
    """Removes an added attribute, if there is one."""
    graph.__dict__.get(_OF_GRAPH, {}).get(id, {}).pop(name, None)


@contextmanager
def of_variable(graph, name: bytes):
    """A context whose new nodes are in a Variable's colocation group, unless a `colocated` around it has others."""
    first = len(graph)
    try:
        yield
    finally:
        for id in range(first, len(graph)):
            add(graph, id, _CLASS, [b"loc:@" + name])
        graph.__dict__.setdefault(_OF_VARIABLES, set()).update(range(first, len(graph)))


@contextmanager
def colocated(graph, names: list[bytes], alone: bool = False):
    """A context whose new nodes are in these colocation groups, besides those of such contexts around it unless `alone`."""
    first = len(graph)
    try:
        yield
    finally:
        settled = graph.__dict__.setdefault(_SETTLED, set())
        of_variables = graph.__dict__.setdefault(_OF_VARIABLES, set())
        new = [id for id in range(first, len(graph)) if id not in settled]
        for id in new if names else ():
            inner = [] if id in of_variables else groups_of(graph, id)
            of_variables.discard(id)
            add(graph, id, _CLASS, sorted({*inner, *names}))
        if alone:
            settled.update(new)
