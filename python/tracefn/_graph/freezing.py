"""GraphDefs in which constants take the place of Variables, also in the functions that their nodes hold."""

from __future__ import annotations

from typing import NamedTuple

from tracefn._attr_value import AttrValue, NameAttrList
from tracefn._graph.edits import constant_node, reading_constant, with_attributes, with_inputs
from tracefn._graph_def import GraphDef, NodeDef
from tracefn._wire import delimited, fields_of, first_text, texts_by_name, values_by_number, varint

# Of ops that hold functions: the attributes that hold them, the attribute of the arguments' dtypes, the first argument.
_HOLDERS = {
    **dict.fromkeys(("PartitionedCall", "StatefulPartitionedCall"), (("f",), "Tin", 0)),
    **dict.fromkeys(("If", "StatelessIf"), (("then_branch", "else_branch"), "Tin", 1)),
    **dict.fromkeys(("Case", "StatelessCase"), (("branches",), "Tin", 1)),
    **dict.fromkeys(("While", "StatelessWhile"), (("cond", "body"), "T", 0)),
}
# The numbers of fields.
_LIBRARY, _FUNCTION = 2, 1
_SIGNATURE, _NODE, _RESULTS, _ARGUMENT_ATTRIBUTES, _ARGUMENT_IDS = 1, 3, 4, 7, 8
_NAME, _INPUT, _OUTPUT, _TYPE = 1, 2, 3, 3


class Value(NamedTuple):
    """What stands for a Variable: the number of a dtype, and a TensorShapeProto."""

    dtype: int
    shape: object


def frozen_graph_def(graph_def: GraphDef, arrays: dict) -> GraphDef:
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
    nodes: list[NodeDef] = []
    for node in graph_def.node:
        if node.name in arrays:
            tensor = arrays[node.name][0]
            nodes.append(constant_node(node.name, tensor, AttrValue(type=tensor.dtype.as_datatype_enum)))
        else:
            nodes += freezer.node(node, held)
    rest = [whole for number, _, _, whole in fields_of(graph_def.SerializeToString()) if number not in (1, _LIBRARY)]
    library = b"".join(delimited(_FUNCTION, function) for function in freezer.functions.values())
    parts = [*(delimited(1, node.SerializeToString()) for node in nodes), delimited(_LIBRARY, library), *rest]
    return GraphDef.FromString(b"".join(parts))


class _Freezer:
    """Makes nodes and functions that take values where others take Variables."""

    def __init__(self, graph_def: GraphDef) -> None:
        self.functions = {f.signature.name: f.SerializeToString() for f in graph_def.library.function}
        self._made: dict[tuple, str] = {}

    def node(self, node: NodeDef, held: dict[str, Value], output: str = "") -> list[NodeDef]:
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
            return [with_attributes(node, T=AttrValue(type=taken[0].dtype))]
        if node.op in _HOLDERS:
            return [self._holder(node, taken)]
        made = reading_constant(node, output)
        if made[-1] is node:
            i = min(taken)
            raise ValueError(f"Input {i} of node {node.name} was passed a value of {node.input[i]} incompatible with expected "
                             "resource: a Variable that changes does not become a constant.")
        return made

    def _holder(self, node: NodeDef, taken: dict[int, Value]) -> NodeDef:
        holding, dtypes, first = _HOLDERS[node.op]
        places = {i - first: value for i, value in taken.items()}

        def function(held):
            return NameAttrList(self._function(held.name, places))

        attributes = {}
        for name in holding:
            value = node.attr[name]
            if value.WhichOneof("value") == "list":
                attributes[name] = AttrValue(list=AttrValue.ListValue(func=[function(f) for f in value.list.func]))
            else:
                attributes[name] = AttrValue(func=function(value.func))
        types = [places[i].dtype if i in places else number for i, number in enumerate(node.attr[dtypes].list.type)]
        attributes[dtypes] = AttrValue(list=AttrValue.ListValue(type=types))
        shapes = list(node.attr["output_shapes"].list.shape) if dtypes == "T" else []
        if shapes:
            shapes = [places[i].shape if i in places else shape for i, shape in enumerate(shapes)]
            attributes["output_shapes"] = AttrValue(list=AttrValue.ListValue(shape=shapes))
        return with_attributes(node, **attributes)

    def _function(self, name: str, places: dict[int, Value]) -> str:
        """The name of a function that takes values at some places of its arguments."""
        key = (name, *sorted((i, value.dtype, str(value.shape)) for i, value in places.items()))
        if key not in self._made:
            self._made[key] = f"{name}_frozen_{len(self._made)}"
            self.functions[self._made[key]] = self._frozen_function(self.functions[name], self._made[key], places)
        return self._made[key]

    def _frozen_function(self, function: bytes, name: str, places: dict[int, Value]) -> bytes:
        of_function = values_by_number(function)
        signature = of_function[_SIGNATURE][0]
        arguments = [_name_of(argument) for argument in values_by_number(signature).get(_INPUT, [])]
        held = {arguments[i]: value for i, value in places.items()}
        parts, renamed = [], {}
        for number, _, value, part in fields_of(function):
            if number == _NODE:
                node = NodeDef(value)
                made = self.node(node, held, ":output:0")
                if made[-1].op != node.op:  # its output has another name
                    renamed[f"{node.name}:value:0"] = f"{node.name}:output:0"
                made = [with_inputs(n, [renamed.get(name, name) for name in n.input]) for n in made]
                parts += [delimited(_NODE, n.SerializeToString()) for n in made]
            elif number not in (_SIGNATURE, _RESULTS, _ARGUMENT_ATTRIBUTES, _ARGUMENT_IDS):
                parts.append(part)
        results = texts_by_name(of_function.get(_RESULTS, []))
        outputs = {result: held[of.removesuffix(":0")] for result, of in results.items() if of.removesuffix(":0") in held}
        for result, of in results.items():
            entry = delimited(1, result.encode()) + delimited(2, renamed.get(of, of).encode())
            parts.append(delimited(_RESULTS, entry))
        return delimited(_SIGNATURE, _signature(signature, name, {**held, **outputs})) + b"".join(parts)


def _signature(signature: bytes, name: str, values: dict[str, Value]) -> bytes:
    """The OpDef of a function with another name, and other dtypes of some arguments and results."""
    parts = [delimited(_NAME, name.encode())]
    for number, _, value, part in fields_of(signature):
        argument = _name_of(value) if number in (_INPUT, _OUTPUT) else None
        if argument in values:
            kept = delimited(_NAME, argument.encode())
            parts.append(delimited(number, kept + varint(_TYPE << 3) + varint(values[argument].dtype)))
        elif number != _NAME:
            parts.append(part)
    return b"".join(parts)


def _name_of(declared: bytes) -> str:
    """The name of an argument or result."""
    return first_text(values_by_number(declared), _NAME)
