"""GraphDefs in which the nodes of functions stand in place of their calls."""

from __future__ import annotations

from collections.abc import Callable

from tracefn._graph.edits import output_counts, source, with_inputs, with_name, with_nodes
from tracefn._graph_def import op_def_of

_CALLS = ("PartitionedCall", "StatefulPartitionedCall")


def inlined_graph_def(graph_def):
    """A GraphDef without calls outside of branches and loops; the nodes of a function have the name of the call before theirs.

    Args:
      graph_def: GraphDef.
    """
    inliner = _Inliner(graph_def)
    for node in graph_def.node:
        inliner.add(node, lambda name: name)
    return with_nodes(graph_def, inliner.nodes())


class _Inliner:
    """Collects nodes; their inputs are found once all calls are known, since nodes may stand in any order."""

    def __init__(self, graph_def) -> None:
        self._functions = {function.signature.name: function for function in graph_def.library.function}
        self._names = {node.name for node in graph_def.node}
        self._nodes: list = []
        self._results: dict[str, str] = {}  # the tensors that results of calls are
        self._ends: dict[str, list[str]] = {}  # the nodes that have run when a call has
        self._begins: dict[str, list[str]] = {}  # the nodes that a call waits for, by the nodes of the function

    def add(self, node, named: Callable[[str], str]) -> None:
        """Adds a node; `named` is the name of an input outside of the function that holds the node."""
        made = with_inputs(node, [named(name) for name in node.input])
        function = self._functions.get(node.attr["f"].func.name) if node.op in _CALLS else None
        if function is None or ("_noinline" in function.attr and function.attr["_noinline"].b):
            self._nodes.append(made)
        else:
            self._add_call(made, function)

    def _add_call(self, call, function) -> None:
        given = [name for name in call.input if not name.startswith("^")]
        before = [name for name in call.input if name.startswith("^")]
        arguments = {argument.name: given[i] for i, argument in enumerate(function.signature.input_arg)}
        types = {node.name: node for node in function.node_def}
        scope = call.name
        while any(f"{scope}/{name}" in self._names for name in types):
            scope += "/body"

        def named(name: str) -> str:
            node = source(name)
            if node in arguments:
                return f"^{source(arguments[node])}" if name.startswith("^") else arguments[node]
            if name.startswith("^"):
                return f"^{scope}/{node}"
            _, output, index = name.split(":")
            number = _first_output(types[node], output) + int(index)
            return f"{scope}/{node}" + (f":{number}" if number else "")

        for node in function.node_def:
            inner = with_name(node, f"{scope}/{node.name}")
            for i, place in enumerate(node.attr["_class"].list.s if "_class" in node.attr else ()):
                inner.attr["_class"].list.s[i] = place.replace(b"loc:@", f"loc:@{scope}/".encode())
            self._begins[inner.name] = [*self._begins.get(call.name, ()), *before]
            self.add(inner, named)
        results = [named(function.ret[result.name]) for result in function.signature.output_arg]
        for i, result in enumerate(results):
            self._results[f"{call.name}:{i}" if i else call.name] = result
        self._ends[call.name] = [*results, *(f"{scope}/{name}" for name in function.control_ret.values())]

    def nodes(self) -> list:
        """All nodes, with their inputs."""
        made = []
        for node in self._nodes:
            data = [self._tensor(name) for name in node.input if not name.startswith("^")]
            orders = [name for name in node.input if name.startswith("^")] + self._begins.get(node.name, [])
            ends = [end for name in orders for end in self._ends_of(source(name))]
            made.append(with_inputs(node, [*data, *dict.fromkeys(f"^{end}" for end in ends)]))
        return made

    def _tensor(self, name: str) -> str:
        while name in self._results:
            name = self._results[name]
        return name

    def _ends_of(self, node: str) -> list[str]:
        """The nodes that have run when a node has, or a call."""
        if node not in self._ends:
            return [node]
        return [end for name in self._ends[node] for end in self._ends_of(source(self._tensor(name)))]


def _first_output(node, output: str) -> int:
    """The number of the first tensor in an output of a node by its name."""
    number = 0
    for name, count in output_counts(node, op_def_of(node.op)):
        if name == output:
            return number
        number += count
    raise ValueError(f"The node {node.name} has no output {output!r}.")
