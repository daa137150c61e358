"""GraphDefs and their nodes with other nodes, inputs and attributes."""

from __future__ import annotations

from tracefn import _core
from tracefn._attr_value import attr_value, tensor_proto
from tracefn._proto import message_class
from tracefn.dtypes import as_dtype


def _copy(message):
    made = type(message)()
    made.CopyFrom(message)
    return made


def with_nodes(graph_def, nodes):
    """The same GraphDef with other nodes."""
    nodes, made = list(nodes), type(graph_def)()
    for field, value in graph_def.ListFields():
        if field.name == "version":
            made.version = value
        elif field.name != "node":
            getattr(made, field.name).CopyFrom(value)
    made.node.extend(nodes)
    return made


def with_inputs(node, inputs):
    """The same NodeDef with other inputs."""
    made, inputs = _copy(node), list(inputs)
    made.input[:] = inputs
    return made


def with_name(node, name: str):
    """The same NodeDef with another name."""
    made = _copy(node)
    made.name = name
    return made


def remove_devices(graph_def) -> None:
    """Takes the nodes of a GraphDef from their devices."""
    for node in graph_def.node:
        node.device = ""


def with_attributes(node, **attributes):
    """The same NodeDef with other AttrValues of some attributes."""
    made = _copy(node)
    for name, value in attributes.items():
        made.attr[name].CopyFrom(value)
    return made


def source(name: str) -> str:
    """The node that an input names."""
    return name.removeprefix("^").partition(":")[0]


def called_functions(node) -> list[str]:
    """The names of the functions that the attributes of a NodeDef hold."""
    functions = [one for value in node.attr.values() for one in (*value.list.func, value.func)]
    return [function.name for function in functions if function.name]


def without_unused_functions(graph_def):
    """The same GraphDef with those functions alone that its nodes call, and that these call."""
    functions = {function.signature.name: function for function in graph_def.library.function}
    used: set[str] = set()
    pending = list(graph_def.node)
    while pending:
        node = pending.pop()
        fresh = ({node.op, *called_functions(node)} & functions.keys()) - used
        used |= fresh
        pending += [inner for name in fresh for inner in functions[name].node_def]
    made = _copy(graph_def)
    del made.library.function[:]
    made.library.function.extend(function for name, function in functions.items() if name in used)
    return made


def output_counts(node, declared) -> list[tuple[str, int]]:
    """The outputs of a node by their names in its op, and how many tensors each has.

    Args:
      node: NodeDef.
      declared: OpDef of its op.
    """
    counts = []
    for argument in declared.output_arg:
        if argument.type_list_attr:
            count = len(node.attr[argument.type_list_attr].list.type)
        else:
            count = node.attr[argument.number_attr].i if argument.number_attr else 1
        counts.append((argument.name, count))
    return counts


def _made(name: str, op: str, inputs=(), **attributes):
    return message_class("NodeDef")(name=name, op=op, input=inputs, attr=attributes)


def constant_node(name: str, value, dtype):
    """A NodeDef of type Const; `dtype` is an AttrValue."""
    with _core.TargetContext(None):
        tensor = _core.convert_to_tensor(value, dtype=as_dtype(dtype.type))
    return _made(name, "Const", dtype=dtype, value=attr_value(tensor=tensor_proto(tensor)))


def reading_constant(node, output: str = "") -> list:
    """What a node that takes a Variable is once its value stands there: itself, unless it reads the value.

    Args:
      node: NodeDef; the result ends with what stands for it.
      output: what follows a node's name in the name of its first output: ":output:0" in functions.
    """
    if node.op == "ReadVariableOp":
        return [_made(node.name, "Identity", node.input, T=node.attr["dtype"])]
    if node.op == "ResourceGather":
        axis = _made(f"{node.name}/axis", "Const", dtype=attr_value(type=3), value=attr_value(tensor=tensor_proto(_zero())))
        orders = [name for name in node.input if name.startswith("^")]
        inputs = [*node.input[: len(node.input) - len(orders)], axis.name + output, *orders]
        kinds = {"Tparams": node.attr["dtype"], "Tindices": node.attr["Tindices"], "Taxis": attr_value(type=3)}
        return [axis, _made(node.name, "GatherV2", inputs, batch_dims=node.attr["batch_dims"], **kinds)]
    return [node]


def _zero():
    with _core.TargetContext(None):
        return _core.convert_to_tensor(0, dtype="int32")
