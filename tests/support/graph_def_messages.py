"""GraphDefs as trees of fields, to be made, changed and written in any form, wrong ones included."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

VARINT, FIXED64, DELIMITED, FIXED32 = 0, 1, 2, 5

# Of each message: number of a field -> its name, and the message that it holds, if it holds one.
SCHEMA: dict[str, dict[int, tuple[str, str | None]]] = {
    "GraphDef": {1: ("node", "NodeDef"), 2: ("library", "Library"), 4: ("versions", "VersionDef")},
    "Library": {1: ("function", "FunctionDef")},
    "VersionDef": {1: ("producer", None), 2: ("min_consumer", None), 3: ("bad_consumers", None)},
    "NodeDef": {1: ("name", None), 2: ("op", None), 3: ("input", None), 4: ("device", None), 5: ("attr", "AttrEntry")},
    "AttrEntry": {1: ("key", None), 2: ("value", "AttrValue")},
    "AttrValue": {
        1: ("list", "ListValue"),
        2: ("s", None),
        3: ("i", None),
        4: ("f", None),
        5: ("b", None),
        6: ("type", None),
        7: ("shape", "TensorShape"),
        8: ("tensor", "TensorProto"),
        9: ("placeholder", None),
        10: ("func", "NameAttrList"),
    },
    "ListValue": {
        2: ("s", None),
        3: ("i", None),
        4: ("f", None),
        5: ("b", None),
        6: ("type", None),
        7: ("shape", "TensorShape"),
        8: ("tensor", "TensorProto"),
        9: ("func", "NameAttrList"),
    },
    "NameAttrList": {1: ("name", None), 2: ("attr", "AttrEntry")},
    "TensorShape": {2: ("dim", "Dim"), 3: ("unknown_rank", None)},
    "Dim": {1: ("size", None)},
    "TensorProto": {
        1: ("dtype", None),
        2: ("tensor_shape", "TensorShape"),
        4: ("tensor_content", None),
        5: ("float_val", None),
        6: ("double_val", None),
        7: ("int_val", None),
        8: ("string_val", None),
        9: ("scomplex_val", None),
        10: ("int64_val", None),
        11: ("bool_val", None),
        12: ("dcomplex_val", None),
        13: ("half_val", None),
        16: ("uint32_val", None),
        17: ("uint64_val", None),
    },
    "FunctionDef": {
        1: ("signature", "OpDef"),
        3: ("node_def", "NodeDef"),
        4: ("ret", "TextEntry"),
        5: ("attr", "AttrEntry"),
        6: ("control_ret", "TextEntry"),
        7: ("arg_attr", None),
    },
    "OpDef": {1: ("name", None), 2: ("input_arg", "ArgDef"), 3: ("output_arg", "ArgDef"), 20: ("control_output", None)},
    "ArgDef": {1: ("name", None), 3: ("type", None), 4: ("type_attr", None)},
    "TextEntry": {1: ("key", None), 2: ("value", None)},
}
NUMBERS = {kind: {name: (number, inner) for number, (name, inner) in fields.items()} for kind, fields in SCHEMA.items()}


@dataclass
class Field:
    """One field: an int for a varint, else bytes, or the Message that they are."""

    number: int
    wire: int
    value: int | bytes | Message


@dataclass
class Message:
    """A message of a kind that SCHEMA has: its fields in their order."""

    kind: str
    fields: list[Field] = field(default_factory=list)

    def add(self, name: str, value=b"", **parts) -> Message:
        """Appends a field: an int, a float, bytes, a str, a Message, or the parts of one. Returns the message appended, or this."""
        number, inner = NUMBERS[self.kind][name]
        if inner is not None and not isinstance(value, Message):
            value = make(inner, **parts)
        if isinstance(value, Message):
            self.fields.append(Field(number, DELIMITED, value))
            return value
        if isinstance(value, float):
            self.fields.append(Field(number, FIXED32, struct.pack("<f", value)))
        elif isinstance(value, int):
            self.fields.append(Field(number, VARINT, int(value)))
        else:
            self.fields.append(Field(number, DELIMITED, value.encode() if isinstance(value, str) else value))
        return self

    def all(self, name: str) -> list:
        """The values of every field of that name."""
        number = NUMBERS[self.kind][name][0]
        return [f.value for f in self.fields if f.number == number]


def make(kind: str, **parts) -> Message:
    """A message: of each name, the value, or a list of values."""
    message = Message(kind)
    for name, values in parts.items():
        for value in values if isinstance(values, list) else [values]:
            message.add(name, value)
    return message


def attr_value(value) -> Message:
    """An AttrValue: a Message as it is (a TensorShape, TensorProto, ListValue or NameAttrList), else of Python's kind."""
    fields = {"TensorShape": "shape", "TensorProto": "tensor", "ListValue": "list", "NameAttrList": "func"}
    if isinstance(value, Message):
        return value if value.kind == "AttrValue" else make("AttrValue", **{fields[value.kind]: value})
    name = "b" if isinstance(value, bool) else "i" if isinstance(value, int) else "f" if isinstance(value, float) else "s"
    return make("AttrValue", **{name: value})


def node(name: str, op: str, inputs: list[str] | None = None, **attrs) -> Message:
    """A NodeDef."""
    message = make("NodeDef", name=name, op=op, input=list(inputs or []))
    for key, value in attrs.items():
        message.add("attr", make("AttrEntry", key=key, value=attr_value(value)))
    return message


def dtype(number: int) -> Message:
    """An AttrValue of a dtype's number."""
    return make("AttrValue", type=number)


def shape(*dims: int) -> Message:
    """A TensorShapeProto."""
    return make("TensorShape", dim=[make("Dim", size=d) for d in dims])


def graph(*nodes: Message, functions: list[Message] | None = None, **versions) -> bytes:
    """A serialised GraphDef."""
    message = make("GraphDef", node=list(nodes))
    if functions:
        message.add("library", make("Library", function=functions))
    if versions:
        message.add("versions", make("VersionDef", **versions))
    return encode(message)


def function(name: str, inputs: dict, outputs: dict, nodes: list[Message], ret: dict) -> Message:
    """A FunctionDef: arguments and results by name and dtype number, nodes, and the value of each result."""

    def args(types: dict) -> list[Message]:
        return [make("ArgDef", name=n, type=t) for n, t in types.items()]

    signature = make("OpDef", name=name, input_arg=args(inputs), output_arg=args(outputs))
    entries = [make("TextEntry", key=k, value=v) for k, v in ret.items()]
    return make("FunctionDef", signature=signature, node_def=nodes, ret=entries)


def _varint(value: int) -> bytes:
    value &= 2**64 - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode(message: Message) -> bytes:
    """A message in the wire format."""
    out = bytearray()
    for part in message.fields:
        out += _varint(part.number << 3 | part.wire)
        if part.wire == VARINT:
            out += _varint(part.value)  # type: ignore[arg-type]
            continue
        data = encode(part.value) if isinstance(part.value, Message) else part.value
        out += (_varint(len(data)) + data) if part.wire == DELIMITED else data  # type: ignore[arg-type, operator]
    return bytes(out)


def decode(data: bytes, kind: str = "GraphDef") -> Message:
    """The tree of well-formed bytes."""
    message = Message(kind)
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            message.fields.append(Field(number, wire, varint()))
            continue
        size = varint() if wire == DELIMITED else 8 if wire == FIXED64 else 4
        value: bytes | Message = data[at : at + size]
        at += size
        inner = SCHEMA[kind].get(number, ("", None))[1]
        if inner is not None and wire == DELIMITED:
            value = decode(value, inner)  # type: ignore[arg-type]
        message.fields.append(Field(number, wire, value))
    return message
