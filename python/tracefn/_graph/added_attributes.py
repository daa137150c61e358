"""Attributes that a program adds to nodes, in messages."""

from __future__ import annotations

from tracefn import _node_attributes
from tracefn._attr_value import attr_value


def _shapes_of_outputs(graph) -> dict[str, dict]:
    """By the names of the nodes with outputs, an attribute that lists their static shapes."""
    return {
        op.name: {"_output_shapes": attr_value(list={"shape": [t.shape.as_proto() for t in op.outputs]})}
        for op in map(graph.operation, range(len(graph)))
        if op.outputs
    }


def add_to(node, attributes: dict) -> None:
    """Adds attributes to a NodeDef: a dict from names to AttrValues."""
    for name, value in attributes.items():
        node.attr[name].CopyFrom(value)


def add_to_nodes(graph, graph_def, add_shapes: bool = False) -> None:
    """Adds to the nodes of a GraphDef what was added to those of its graph, and on demand the shapes of their outputs."""
    added = _shapes_of_outputs(graph) if add_shapes else {}
    for id in _node_attributes.nodes_with_added(graph):
        added.setdefault(graph.operation(id).name, {}).update(_node_attributes.added_to(graph, id))
    if added:
        for node in graph_def.node:
            add_to(node, added.get(node.name, {}))
