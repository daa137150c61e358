"""Parts of `test_util`: what tests say about GraphDefs."""

from __future__ import annotations

from tracefn.test import assert_equal_graph_def

__all__ = ["assert_equal_graph_def", "assert_ops_in_graph", "get_node_def_from_graph"]


def get_node_def_from_graph(node_name, graph_def):
    """The first node of a GraphDef with a name; None if there is none."""
    return next((node for node in graph_def.node if node.name == node_name), None)


def assert_ops_in_graph(expected_ops, graph) -> dict:
    """Says which nodes of a graph have given names and kinds.

    Args:
      expected_ops: dict from names to kinds of ops.
      graph: tf.Graph.

    Returns:
      dict from the names to NodeDefs.

    Raises:
      ValueError: a node is not there, or of another kind.
    """
    found = {}
    for node in graph.as_graph_def().node:
        if node.name not in expected_ops:
            continue
        if node.op != expected_ops[node.name]:
            raise ValueError(f"Expected op for node {node.name} is different. {expected_ops[node.name]} vs {node.op}")
        found[node.name] = node
    if found.keys() != expected_ops.keys():
        raise ValueError(f"Not all expected ops are present. Expected {expected_ops.keys()}, found {found.keys()}")
    return found
