"""`tf.test.assert_equal_graph_def`."""

from __future__ import annotations

from tracefn._proto import message_class


def _inputs(node) -> tuple[list, list]:
    """The inputs of a node in order, and its control inputs, whose order says nothing."""
    data = [name for name in node.input if not name.startswith("^")]
    return data, sorted(name for name in node.input if name.startswith("^"))


def _difference(expected, actual) -> str | None:
    """How two nodes of one name differ; None if they do not."""
    told = f"Node named '{expected.name}' has"
    if actual.op != expected.op:
        return f"{told} op '{actual.op}' that does not match expected op '{expected.op}'"
    if actual.device != expected.device:
        return f"{told} device '{actual.device}' that does not match expected device '{expected.device}'"
    if _inputs(actual) != _inputs(expected):
        return f"{told} inputs '{list(actual.input)}' that don't match expected '{list(expected.input)}'"
    mine, theirs = ({name: repr(value) for name, value in node.attr.items()} for node in (actual, expected))
    for name in sorted({*mine, *theirs}):
        if name not in mine:
            return f"{told} no attr '{name}', which is expected with value: {theirs[name]}"
        if name not in theirs:
            return f"{told} unexpected attr '{name}' with value: {mine[name]}"
        if mine[name] != theirs[name]:
            return f"{told} attr '{name}' with value: {mine[name]} that does not match expected: {theirs[name]}"
    return None


def assert_equal_graph_def(expected, actual) -> None:
    """Asserts that two GraphDefs have the same nodes, in any order.

    Args:
      expected, actual: GraphDefs, as from `tf.Graph.as_graph_def`.

    Raises:
      AssertionError: they differ; the text says where.
      TypeError: one is not a GraphDef.

    >>> with tf.Graph().as_default() as graph:
    ...     _ = tf.constant(1)
    >>> tf.test.assert_equal_graph_def(graph.as_graph_def(), graph.as_graph_def())
    """
    for value, which in ((actual, "actual"), (expected, "expected")):
        if not isinstance(value, message_class("GraphDef")):
            raise TypeError(f"Expected tf.GraphDef for {which}, got {type(value).__name__}")
    found = {node.name: node for node in actual.node}
    for node in expected.node:
        if node.name not in found:
            raise AssertionError(f"Did not find expected node '{node.name}', a {node.op}")
        difference = _difference(node, found.pop(node.name))
        if difference:
            raise AssertionError(difference)
    if found:
        node = next(iter(found.values()))
        raise AssertionError(f"Found unexpected node '{node.name}', a {node.op}")
