"""GraphDefs and their nodes with other nodes, inputs and attributes."""

from __future__ import annotations

from tracefn import _core
from tracefn._attr_value import AttrValue, TensorProto
from tracefn._graph.added_attributes import encoded
from tracefn._graph_def import GraphDef, NodeDef
from tracefn._wire import delimited, fields_of, first_text, values_by_number
from tracefn.dtypes import as_dtype

# The numbers of fields: nodes in a GraphDef; names, inputs, devices and attributes in a NodeDef.
_NODE, _NAME, _INPUT, _DEVICE, _ATTR = 1, 1, 3, 4, 5


def with_nodes(graph_def: GraphDef, nodes) -> GraphDef:
    """The same GraphDef with other nodes."""
    rest = [whole for number, _, _, whole in fields_of(graph_def.SerializeToString()) if number != _NODE]
    return GraphDef.FromString(b"".join([*(delimited(_NODE, node.SerializeToString()) for node in nodes), *rest]))


def _without(node: NodeDef, wanted: int) -> list[bytes]:
    """All bytes of the fields of a node, but for those of a number."""
    return [whole for number, _, _, whole in fields_of(node.SerializeToString()) if number != wanted]


def with_inputs(node: NodeDef, inputs) -> NodeDef:
    """The same node with other inputs."""
    rest = _without(node, _INPUT)
    return NodeDef(b"".join([*rest, *(delimited(_INPUT, name.encode()) for name in inputs)]))


def with_name(node: NodeDef, name: str) -> NodeDef:
    """The same node with another name."""
    return NodeDef(b"".join([delimited(_NAME, name.encode()), *_without(node, _NAME)]))


def without_devices(graph_def: GraphDef) -> GraphDef:
    """The same GraphDef with nodes on no device."""
    return with_nodes(graph_def, [NodeDef(b"".join(_without(node, _DEVICE))) for node in graph_def.node])


def _made(name: str, op: str, inputs=(), **attributes) -> NodeDef:
    head = [delimited(1, name.encode()), delimited(2, op.encode()), *(delimited(_INPUT, i.encode()) for i in inputs)]
    return NodeDef(b"".join(head) + encoded(attributes))


def source(name: str) -> str:
    """The node that an input names."""
    return name.removeprefix("^").partition(":")[0]


def with_attributes(node: NodeDef, **attributes) -> NodeDef:
    """The same node with other values of some attributes."""
    kept = [
        whole
        for number, _, value, whole in fields_of(node.SerializeToString())
        if number != _ATTR or first_text(values_by_number(value), 1) not in attributes
    ]
    return NodeDef(b"".join(kept) + encoded(attributes))


def constant_node(name: str, value, dtype: AttrValue) -> NodeDef:
    """A node of type Const."""
    with _core.TargetContext(None):
        tensor = _core.convert_to_tensor(value, dtype=as_dtype(dtype.type))
    return _made(name, "Const", dtype=dtype, value=AttrValue("tensor", tensor))


def reading_constant(node: NodeDef, output: str = "") -> list[NodeDef]:
    """What a node that takes a Variable is once its value stands there: itself, unless it reads the value.

    Args:
      node: NodeDef; the result ends with what stands for it.
      output: what follows a node's name in the name of its first output: ":output:0" in functions.
    """
    if node.op == "ReadVariableOp":
        return [_made(node.name, "Identity", node.input, T=node.attr["dtype"])]
    if node.op == "ResourceGather":
        axis = _made(f"{node.name}/axis", "Const", dtype=AttrValue(type=3), value=AttrValue(tensor=TensorProto(_zero())))
        orders = [name for name in node.input if name.startswith("^")]
        inputs = [*node.input[: len(node.input) - len(orders)], axis.name + output, *orders]
        kinds = {"Tparams": node.attr["dtype"], "Tindices": node.attr["Tindices"], "Taxis": AttrValue(type=3)}
        return [axis, _made(node.name, "GatherV2", inputs, batch_dims=node.attr["batch_dims"], **kinds)]
    return [node]


def _zero():
    with _core.TargetContext(None):
        return _core.convert_to_tensor(0, dtype="int32")
