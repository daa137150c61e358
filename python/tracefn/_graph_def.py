"""The messages that graphs, functions and nodes are described by."""

from __future__ import annotations

from tracefn import _core
from tracefn._proto import message_class


def graph_def_of(graph):
    """A Graph as a GraphDef, with the attributes that its ops declare."""
    return message_class("GraphDef").FromString(_core.graph_def(graph)[0])


def node_def_of(operation):
    """An Operation as a NodeDef, with the attributes that its op declares."""
    return message_class("NodeDef").FromString(_core.node_def(operation.graph, operation._id)[0])


def function_def_of(concrete):
    """A ConcreteFunction as a FunctionDef, an entry of a library."""
    return message_class("FunctionDef").FromString(_core.function_def(concrete.graph, concrete.name.decode())[0])


def op_def_of(name: str):
    """The OpDef of an op, by its registered name."""
    return message_class("OpDef").FromString(_core.op_def(name)[0])


def as_message(name: str, value):
    """A message of the class that this package hands out, from one of any class: of protobuf, or with `SerializeToString`."""
    wanted = message_class(name)
    return value if isinstance(value, wanted) else wanted.FromString(value.SerializeToString())
