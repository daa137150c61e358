"""The messages that graphs, functions and nodes are described by."""

from __future__ import annotations

from typing import Any

from tracefn import _core
from tracefn._attr_value import attr_value
from tracefn._proto import message_class

# The attributes that programs gave functions, by the functions' names. Names are unique, and few functions have any.
attributes_of_functions: dict[str, dict[str, Any]] = {}


def graph_def_of(graph):
    """A Graph as a GraphDef, with the attributes that its ops declare."""
    message = message_class("GraphDef").FromString(_core.graph_def(graph)[0])
    if attributes_of_functions:
        for function in message.library.function:
            _add_attributes(function)
    return message


def node_def_of(operation):
    """An Operation as a NodeDef, with the attributes that its op declares."""
    return message_class("NodeDef").FromString(_core.node_def(operation.graph, operation._id)[0])


def function_def_of(concrete):
    """A ConcreteFunction as a FunctionDef, an entry of a library."""
    message = message_class("FunctionDef").FromString(_core.function_def(concrete.graph, concrete.name.decode())[0])
    _add_attributes(message)
    return message


def _add_attributes(function) -> None:
    """Writes the attributes that a program gave a function into its FunctionDef."""
    for name, value in attributes_of_functions.get(function.signature.name, {}).items():
        function.attr[name].CopyFrom(_named_function(value) if name == "_implements" else _as_attr_value(name, value))


def _as_attr_value(name: str, value):
    if isinstance(value, list):
        listed: dict[str, list] = {"b": [], "i": [], "f": [], "s": []}
        for item in value:
            kind = _kind_of(item)
            if kind is None:
                raise ValueError(f"Attributes for {name} must be bool, int, float, or string. Got {type(item)}.")
            listed[kind].append(_plain(item))
        return attr_value(list=listed)
    kind = _kind_of(value)
    if kind is not None:
        return attr_value(**{kind: _plain(value)})
    if hasattr(value, "SerializeToString"):
        return as_message("AttrValue", value)
    raise ValueError(f"Attribute {name} must be bool, int, float, string, list, or AttrValue. Got {type(value)}.")


def _kind_of(value) -> str | None:
    """The field of AttrValue for a Python value."""
    kinds = ((bool, "b"), (int, "i"), (float, "f"), ((str, bytes), "s"))  # a bool is an int, too
    return next((kind for types, kind in kinds if isinstance(value, types)), None)


def _plain(value):
    return value.encode() if isinstance(value, str) else value


def _named_function(text: str):
    """What a function implements: the text of a NameAttrList, or just a name."""
    try:
        # optional: protobuf
        from google.protobuf import text_format  # type: ignore[import-untyped, unused-ignore]
    except ModuleNotFoundError:
        return attr_value(s=text.encode())
    try:
        return attr_value(func=text_format.Parse(text, message_class("NameAttrList")()))
    except text_format.ParseError:
        return attr_value(s=text.encode())


def op_def_of(name: str):
    """The OpDef of an op, by its registered name."""
    return message_class("OpDef").FromString(_core.op_def(name)[0])


def as_message(name: str, value):
    """A message of the class that this package hands out, from one of any class: of protobuf, or with `SerializeToString`."""
    wanted = message_class(name)
    return value if isinstance(value, wanted) else wanted.FromString(value.SerializeToString())
