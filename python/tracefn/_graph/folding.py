"""GraphDefs in which constants stand for what is known before the graph runs, without nodes that nothing needs."""

from __future__ import annotations

from tracefn import _core
from tracefn._attr_value import attr_value, tensor_of
from tracefn._graph.creation import arguments_of
from tracefn._graph.edits import constant_node, source, with_inputs, with_nodes
from tracefn._graph_def import op_def_of
from tracefn.errors import OpError

# A constant with more bytes does not stand for smaller ones, as in TensorFlow.
_LARGE = 100 * 1024
_MADE = "ConstantFolding/"


def needed_graph_def(graph_def, fetches: list[str]):
    """The nodes of a GraphDef that some of them need, each after those that it takes, in a loop as far as possible.

    Args:
      graph_def: GraphDef.
      fetches: names of tensors or nodes.
    """
    nodes = {node.name: node for node in graph_def.node}
    done: dict = {}  # in order; False: begun
    pending = [source(name) for name in reversed(fetches)]
    while pending:
        name = pending[-1]
        if name not in done:
            done[name] = False
            pending += [before for before in map(source, nodes[name].input) if before not in done]
            continue
        pending.pop()
        if not done[name]:
            del done[name]
            done[name] = True
    return with_nodes(graph_def, [nodes[name] for name in done])


def folded_graph_def(graph_def, graph, fetches: list[str]):
    """A GraphDef whose nodes of constants, and of known shapes, are constants.

    Args:
      graph_def: GraphDef; each node stands after those that it takes.
      graph: Graph with its nodes, whose tensors have the shapes that are known.
      fetches: names of tensors or nodes, which keep their names.
    """
    folding = _Folding(graph, {source(name) for name in fetches})
    return with_nodes(graph_def, [made for node in graph_def.node for made in folding.nodes(node)])


class _Folding:
    """The nodes so far, and the tensors that are known among their results."""

    def __init__(self, graph, kept: set[str]) -> None:
        self._graph, self._kept = graph, kept
        self._known: dict[str, object] = {}
        self._orders: dict[str, list[str]] = {}  # the control inputs of nodes that are known
        self._renamed: dict[str, str] = {}

    def nodes(self, node) -> list:
        """What stands for a node; all nodes that it takes have been asked for before, except in loops."""
        orders = [name for name in node.input if name.startswith("^")]
        if node.op == "Const":
            self._learn(node.name, tensor_of(node.attr["value"].tensor), orders)
            return [node]
        data = [_tensor(name) for name in node.input if not name.startswith("^")]
        results = self._shape(node)
        if results is None:
            results = self._results(node, data)
            orders = list(dict.fromkeys([*orders, *(order for name in data for order in self._orders.get(source(name), ()))]))
        if results is None or (len(results) > 1 and node.name in self._kept):
            return [with_inputs(node, [*(self._renamed.get(_tensor(name), name) for name in node.input)])]
        if len(results) == 1:
            self._learn(node.name, results[0], orders)
            return [_constant(node.name, results[0], orders)]
        for i, result in enumerate(results):
            name = f"{_MADE}{node.name}-folded-{i}"
            self._known[f"{node.name}:{i}" if i else node.name] = result
            self._renamed[f"{node.name}:{i}" if i else node.name] = name
        self._orders[node.name] = orders
        constants = [_constant(f"{_MADE}{node.name}-folded-{i}", result, orders) for i, result in enumerate(results)]
        return [*constants, node]  # nodes may wait for it

    def _learn(self, name: str, value, orders: list[str]) -> None:
        self._known[name] = value
        self._orders[name] = orders

    def _results(self, node, data: list[str]) -> list | None:
        """The results of a node of known tensors; None if it is not one whose results are known, or they are large."""
        declared = op_def_of(node.op)
        if not data or declared.is_stateful or not all(name in self._known for name in data):
            return None
        if any(value.WhichOneof("value") == "func" or value.list.func for value in node.attr.values()):
            return None
        inputs = [self._known[name] for name in data]
        try:
            with _core.TargetContext(None):
                made = _core.raw_op(node.op)(**arguments_of(declared, inputs, dict(node.attr)))
        except OpError:
            return None  # it fails when the graph runs
        results = list(made) if isinstance(made, (list, tuple)) else [made]
        if any(result.dtype.name in ("resource", "variant") for result in results):
            return None
        taken = sum(_bytes(x) for x in inputs)
        return results if all(_bytes(x) <= max(taken, _LARGE) for x in results) else None

    def _shape(self, node) -> list | None:
        """The result of a node that asks for a shape, if that is known."""
        if node.op not in ("Shape", "Size", "Rank"):
            return None
        operation = self._graph.get_operation_by_name(node.name)
        shape = operation.inputs[0].shape
        if shape.rank is None or not (node.op == "Rank" or shape.is_fully_defined()):
            return None
        value = {"Shape": shape.as_list, "Size": shape.num_elements, "Rank": lambda: shape.rank}[node.op]()
        with _core.TargetContext(None):
            return [_core.convert_to_tensor(value, dtype=operation.outputs[0].dtype)]


def _tensor(name: str) -> str:
    return name.removesuffix(":0")


def _bytes(tensor) -> int:
    return tensor.shape.num_elements() * max(tensor.dtype.size, 1)


def _constant(name: str, value, orders: list[str]):
    return with_inputs(constant_node(name, value, attr_value(type=value.dtype.as_datatype_enum)), orders)
