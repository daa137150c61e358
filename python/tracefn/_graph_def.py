"""What `Graph.as_graph_def()` gives: a GraphDef without protobuf, to be read, printed and written."""

from __future__ import annotations

from tracefn import _core


class NodeDef:
    """One node of a GraphDef.

    Attributes:
      name, op, device: str.
      input: list of str, "node", "node:1" for an output other than the first, "^node" for what only runs before.
    """

    __slots__ = ("device", "input", "name", "op")

    def __init__(self, operation) -> None:
        self.name = operation.name
        self.op = operation.type
        self.device = operation.device
        self.input = [t.name.removesuffix(":0") for t in operation.inputs]
        self.input += ["^" + before.name for before in operation.control_inputs]

    def __repr__(self) -> str:
        return f"NodeDef(name={self.name!r}, op={self.op!r}, input={self.input!r})"


class GraphDef:
    """A graph as it was when `as_graph_def` was called.

    Attributes:
      node: list of NodeDef, in the order in which they were made.

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def double(x):
      ...     return 2 * x
      >>> graph_def = double.get_concrete_function(tf.TensorSpec([])).graph.as_graph_def()
      >>> [node.name for node in graph_def.node]
      ['x', 'mul/x', 'mul', 'Identity']
      >>> str(graph_def).splitlines()[:3]
      ['node {', '  name: "x"', '  op: "Placeholder"']
    """

    __slots__ = ("_binary", "_text", "node")

    def __init__(self, graph) -> None:
        self._binary = _core.graph_def(graph)
        self._text = _core.graph_def_text(graph)
        self.node = [NodeDef(operation) for operation in graph.get_operations()]

    def SerializeToString(self) -> bytes:
        """The serialised message, which TensorFlow reads."""
        return self._binary

    def ByteSize(self) -> int:
        """The length of the serialised message."""
        return len(self._binary)

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def __eq__(self, other) -> bool:
        return isinstance(other, GraphDef) and self._binary == other._binary

    __hash__ = None  # type: ignore[assignment]
