"""GraphDefs in which constants take the place of Variables, also in the functions that their nodes hold."""

from __future__ import annotations

from typing import NamedTuple

from tracefn._attr_value import attr_value
from tracefn._graph.edits import constant_node, reading_constant, with_attributes, with_inputs, with_nodes
from tracefn._proto import message_class

# Of ops that hold functions: the attributes that hold them, the attribute of the arguments' dtypes, the first argument.
_HOLDERS = {
    **dict.fromkeys(("PartitionedCall", "StatefulPartitionedCall"), (("f",), "Tin", 0)),
    **dict.fromkeys(("If", "StatelessIf"), (("then_branch", "else_branch"), "Tin", 1)),
    **dict.fromkeys(("Case", "StatelessCase"), (("branches",), "Tin", 1)),
    **dict.fromkeys(("While", "StatelessWhile"), (("cond", "body"), "T", 0)),
}

class Value(NamedTuple):
    """What stands for a Variable: the number of a dtype, and a TensorShapeProto."""

    dtype: int
    shape: object


def frozen_graph_def(graph_def, arrays: dict):
    """A GraphDef with constants.

    Args:
      graph_def: GraphDef.
      arrays: by the names of the placeholders that constants replace, (their tensors, whether they are Variables).

    Raises:
      ValueError: a node does other things with a Variable than to read it.
    """
    freezer = _Freezer(graph_def)
    held = {
        name: Value(tensor.dtype.as_datatype_enum, tensor.shape.as_proto())
        for name, (tensor, is_variable) in arrays.items()
        if is_variable
    }
    nodes: list = []
    for node in graph_def.node:
        if node.name in arrays:
            tensor = arrays[node.name][0]
            nodes.append(constant_node(node.name, tensor, attr_value(type=tensor.dtype.as_datatype_enum)))
        else:
            nodes += freezer.node(node, held)
    made = with_nodes(graph_def, nodes)
    del made.library.function[:]
    made.library.function.extend(freezer.functions.values())
    return made


class _Freezer:
    """Makes nodes and functions that take values where others take Variables."""

    def __init__(self, graph_def) -> None:
        self.functions = {f.signature.name: f for f in graph_def.library.function}
        self._made: dict[tuple, str] = {}

    def node(self, node, held: dict[str, Value], output: str = "") -> list:
        """What stands for a node.

        Args:
          node: NodeDef.
          held: by the names of inputs, the values among them; the node's output is added if that is a value, too.
          output: what follows a node's name in the name of its first output: ":output:0" in functions.
        """
        taken = {i: held[name.removesuffix(":0")] for i, name in enumerate(node.input) if name.removesuffix(":0") in held}
        if not taken:
            return [node]
        if node.op == "Identity":
            held[(node.name + output).removesuffix(":0")] = taken[0]
            return [with_attributes(node, T=attr_value(type=taken[0].dtype))]
        if node.op in _HOLDERS:
            return [self._holder(node, taken)]
        made = reading_constant(node, output)
        if made[-1] is node:
            i = min(taken)
            raise ValueError(f"Input {i} of node {node.name} was passed a value of {node.input[i]} incompatible with expected "
                             "resource: a Variable that changes does not become a constant.")
        return made

    def _holder(self, node, taken: dict[int, Value]):
        holding, dtypes, first = _HOLDERS[node.op]
        places = {i - first: value for i, value in taken.items()}
        made = with_attributes(node)
        for name in holding:
            value = made.attr[name]
            for function in value.list.func if value.WhichOneof("value") == "list" else [value.func]:
                function.name = self._function(function.name, places)
        for i, value in places.items():
            made.attr[dtypes].list.type[i] = value.dtype
        if dtypes == "T" and made.attr["output_shapes"].list.shape:
            for i, value in places.items():
                made.attr["output_shapes"].list.shape[i].CopyFrom(value.shape)
        return made

    def _function(self, name: str, places: dict[int, Value]) -> str:
        """The name of a function that takes values at some places of its arguments."""
        key = (name, *sorted((i, value.dtype, str(value.shape)) for i, value in places.items()))
        if key not in self._made:
            self._made[key] = f"{name}_frozen_{len(self._made)}"
            self.functions[self._made[key]] = self._frozen_function(self.functions[name], self._made[key], places)
        return self._made[key]

    def _frozen_function(self, function, name: str, places: dict[int, Value]):
        made = message_class("FunctionDef")()
        made.CopyFrom(function)
        # What these say of the arguments is no longer so.
        made.ClearField("arg_attr")
        made.ClearField("resource_arg_unique_id")
        made.ClearField("node_def")
        held = {function.signature.input_arg[i].name: value for i, value in places.items()}
        renamed = {}
        for node in function.node_def:
            nodes = self.node(node, held, ":output:0")
            if nodes[-1].op != node.op:  # its output has another name
                renamed[f"{node.name}:value:0"] = f"{node.name}:output:0"
            made.node_def.extend(with_inputs(n, [renamed.get(name, name) for name in n.input]) for n in nodes)
        outputs = {result: held[of.removesuffix(":0")] for result, of in function.ret.items() if of.removesuffix(":0") in held}
        for result, of in function.ret.items():
            made.ret[result] = renamed.get(of, of)
        made.signature.name = name
        for argument in [*made.signature.input_arg, *made.signature.output_arg]:
            value = {**held, **outputs}.get(argument.name)
            if value is not None:
                kept = argument.name
                argument.Clear()
                argument.name, argument.type = kept, value.dtype
        return made
