"""What `Graph.as_graph_def()` and its relatives give: messages to be read, printed and written."""

from __future__ import annotations

from tracefn import _core
from tracefn._messages import Message


class NodeDef(Message):
    """One node of a GraphDef.

    Attributes:
      name, op, device: str.
      input: list of str, "node", "node:1" for an output other than the first, "^node" for what only runs before.
    """

    __slots__ = ("_operation", "device", "input", "name", "op")

    def __init__(self, operation) -> None:
        self._operation = operation
        self.name = operation.name
        self.op = operation.type
        self.device = operation.device
        self.input = [t.name.removesuffix(":0") for t in operation.inputs]
        self.input += ["^" + before.name for before in operation.control_inputs]

    @property
    def _both(self):
        return _core.node_def(self._operation.graph, self._operation._id)


class OpDef(Message):
    """The declaration of an op, by its registered name.

    Attributes:
      name: str.
      is_stateful, is_commutative: bool.
    """

    __slots__ = ("is_commutative", "is_stateful", "name")

    def __init__(self, name: str) -> None:
        super().__init__(*_core.op_def(name))
        record = _core.op_record(name)
        self.name = name
        self.is_stateful = record["is_stateful"]
        self.is_commutative = record["is_commutative"]


class _Signature:
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class FunctionDef(Message):
    """One traced function, as an entry of a GraphDef's library.

    Attributes:
      signature: has `name`, str.
    """

    __slots__ = ("signature",)

    def __init__(self, concrete) -> None:
        name = concrete.name.decode()
        super().__init__(*_core.function_def(concrete.graph, name))
        self.signature = _Signature(name)


class VersionDef(Message):
    """The version of a GraphDef: `producer` and `min_consumer`, ints; the second is 0 where any reader will do."""

    __slots__ = ("min_consumer", "producer")

    def __init__(self, graph) -> None:
        both, self.producer, self.min_consumer = _core.version_def(graph)
        super().__init__(*both)


class GraphDef(Message):
    """A graph as it was when `as_graph_def` was called.

    Attributes:
      node: list of NodeDef, in the order in which they were made.
      versions: VersionDef.

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

    __slots__ = ("node", "versions")

    def __init__(self, graph) -> None:
        super().__init__(*_core.graph_def(graph))
        self.node = [NodeDef(operation) for operation in graph.get_operations()]
        self.versions = VersionDef(graph)
