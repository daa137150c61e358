"""Serialized protocol buffer messages, and the descriptors of their types, without protobuf."""

import struct

TYPES = {
    "double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "fixed64": 6, "fixed32": 7, "bool": 8, "string": 9,
    "message": 11, "bytes": 12, "uint32": 13, "enum": 14, "sfixed32": 15, "sfixed64": 16, "sint32": 17, "sint64": 18,
}  # fmt: skip
_FIXED = {"double": "<d", "float": "<f", "fixed64": "<Q", "fixed32": "<I", "sfixed32": "<i", "sfixed64": "<q"}


def varint(value: int) -> bytes:
    """A number; a negative one has 64 bits."""
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def delimited(number: int, data: bytes) -> bytes:
    """A field that holds bytes."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def number_bytes(kind: str, value) -> bytes:
    """A number without its key."""
    if kind in _FIXED:
        return struct.pack(_FIXED[kind], value)
    if kind in ("sint32", "sint64"):
        value = value << 1 ^ value >> 63
    return varint(int(value))


def field(number: int, kind: str, value) -> bytes:
    """A field with one value."""
    if kind in ("string", "bytes", "message"):
        return delimited(number, value)
    wire = 0 if kind not in _FIXED else 1 if _FIXED[kind][1] in "dQq" else 5
    return varint(number << 3 | wire) + number_bytes(kind, value)


def packed(number: int, kind: str, values) -> bytes:
    """A packed field."""
    return delimited(number, b"".join(number_bytes(kind, value) for value in values))


def field_type(name: str, number: int, kind: str, *, repeated=False, of="", default="", pack=False, oneof=None) -> bytes:
    """A FieldDescriptorProto; `of` is the name of a message or enum."""
    out = delimited(1, name.encode()) + field(3, "int32", number) + field(4, "int32", 3 if repeated else 1)
    out += field(5, "int32", TYPES[kind])
    if of:
        out += delimited(6, of.encode())
    if default:
        out += delimited(7, default.encode())
    if pack:
        out += delimited(8, field(2, "bool", True))
    if oneof is not None:
        out += field(9, "int32", oneof)
    return out


def message_type(name: str, fields, nested=()) -> bytes:
    """A DescriptorProto."""
    parts = [delimited(1, name.encode()), *(delimited(2, one) for one in fields), *(delimited(3, one) for one in nested)]
    return b"".join(parts)


def enum_type(name: str, values: dict) -> bytes:
    """An EnumDescriptorProto."""
    parts = [delimited(1, label.encode()) + field(2, "int32", number) for label, number in values.items()]
    return delimited(1, name.encode()) + b"".join(delimited(2, part) for part in parts)


def source(messages, enums=(), syntax="proto2", package="p") -> bytes:
    """A descriptor_source with one file."""
    parts = [delimited(1, b"x.proto"), delimited(2, package.encode())]
    parts += [*(delimited(4, one) for one in messages), *(delimited(5, one) for one in enums)]
    return b"bytes://" + delimited(1, b"".join(parts) + delimited(12, syntax.encode()))
