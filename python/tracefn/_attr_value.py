"""The values of attributes, and constants, as messages."""

from __future__ import annotations

from tracefn import _core
from tracefn._proto import message_class


def attr_value(**fields):
    """The AttrValue with a field: `attr_value(i=3)`; lists are given as `attr_value(list={"s": [b"a"]})`."""
    return message_class("AttrValue")(**fields)


def tensor_proto(tensor):
    """The TensorProto of an eager tensor."""
    graph = _core.Graph()
    with _core.TargetContext(graph):
        constant = _core.raw_op("Const")(value=tensor, dtype=tensor.dtype)
    node = message_class("NodeDef").FromString(_core.node_def(graph, constant.op._id)[0])
    return node.attr["value"].tensor


def tensor_of(proto):
    """The eager tensor of a TensorProto."""
    return _core.read_tensor(proto.SerializeToString())
