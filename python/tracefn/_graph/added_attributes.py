"""Attributes that a program adds to nodes, as parts of serialized graphs and of their texts."""

from __future__ import annotations

import re
import struct

from tracefn import _node_attributes
from tracefn._attr_value import IN_LIST, AttrValue, bytes_of, lines_of
from tracefn._wire import (
    DELIMITED,
    FIXED32,
    VARINT,
    delimited,
    fields_of,
    first_text,
    quoted,
    values_by_number,
    varint,
)

# The numbers of the fields of an AttrValue.
_NUMBERS = {"list": 1, "s": 2, "i": 3, "f": 4, "b": 5, "type": 6, "shape": 7, "tensor": 8, "placeholder": 9, "func": 10}


def _scalar(number: int, field: str, value) -> bytes:
    if field in ("i", "b", "type"):
        return varint(number << 3 | VARINT) + varint(int(value))
    if field == "f":
        return varint(number << 3 | FIXED32) + struct.pack("<f", value)
    if field == "func":
        return delimited(number, delimited(1, value.name.encode()))
    return delimited(number, bytes_of(value))


def _list(values) -> bytes:
    parts = []
    for field, number in IN_LIST.items():
        found = list(getattr(values, field))
        if not found:
            continue
        if field in ("s", "shape", "func"):
            parts += [_scalar(number, field, value) for value in found]
        elif field == "f":
            parts.append(delimited(number, struct.pack(f"<{len(found)}f", *found)))
        else:
            parts.append(delimited(number, b"".join(varint(int(value)) for value in found)))
    return b"".join(parts)


def _serialized(attribute) -> bytes:
    if hasattr(attribute, "SerializeToString"):  # protobuf's
        return attribute.SerializeToString()
    field = attribute.WhichOneof("value")
    if field is None:
        return b""
    if field == "list":
        return delimited(1, _list(attribute.list))
    return _scalar(_NUMBERS[field], field, getattr(attribute, field))


def encoded(attributes: dict) -> bytes:
    """Attributes as fields of a serialized NodeDef."""
    return b"".join(
        delimited(5, delimited(1, name.encode()) + delimited(2, _serialized(value))) for name, value in sorted(attributes.items())
    )


def text_of(attributes: dict, indent: str = "") -> str:
    """Attributes as lines in the text of a NodeDef."""
    lines: list[str] = []
    for name, value in sorted(attributes.items()):
        lines += ["attr {", f"  key: {quoted(name.encode())}", "  value {", *(f"    {line}" for line in lines_of(value)), "  }", "}"]
    return "".join(f"{indent}{line}\n" for line in lines)


def _shapes_of_outputs(graph) -> dict[str, dict]:
    """By the names of the nodes with outputs, an attribute that lists their static shapes."""
    return {
        op.name: {"_output_shapes": AttrValue(list=AttrValue.ListValue(shape=[t.shape.as_proto() for t in op.outputs]))}
        for op in map(graph.operation, range(len(graph)))
        if op.outputs
    }


def with_added(graph, binary: bytes, text: str, add_shapes: bool = False) -> tuple[bytes, str]:
    """A serialized GraphDef and its text, with the attributes added to nodes, and on demand the shapes of their outputs."""
    added = _shapes_of_outputs(graph) if add_shapes else {}
    for id in _node_attributes.nodes_with_added(graph):
        added.setdefault(graph.operation(id).name, {}).update(_node_attributes.added_to(graph, id))
    if not added:
        return binary, text
    parts = []
    for number, kind, value, whole in fields_of(binary):
        if number == 1 and kind == DELIMITED:
            name = first_text(values_by_number(value), 1)
            whole = delimited(1, bytes(value) + encoded(added.get(name, {})))
        parts.append(whole)

    def node(match) -> str:
        name = re.search(r'^  name: "(.*)"$', match[1], flags=re.MULTILINE)
        return f"node {{\n{match[1]}{text_of(added.get(name[1], {}) if name else {}, '  ')}}}\n"

    return b"".join(parts), re.sub(r"^node \{\n(.*?)^\}\n", node, text, flags=re.MULTILINE | re.DOTALL)
