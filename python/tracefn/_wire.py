"""The wire format of protobuf messages, and the text form of their values."""

from __future__ import annotations

import functools
import operator
import struct
import sys
from array import array


class DecodeError(Exception):
    """Bytes are no serialized message."""


@functools.cache
def _also(other: type) -> type:
    return type("DecodeError", (DecodeError, other), {"__module__": other.__module__, "__doc__": DecodeError.__doc__})


def refused_message(text: str) -> DecodeError:
    """What a method of a message raises: protobuf's error as well, in a program that can name it."""
    module = sys.modules.get("google.protobuf.message")
    return DecodeError(text) if module is None else _also(module.DecodeError)(text)


VARINT, FIXED64, DELIMITED, FIXED32 = 0, 1, 2, 5


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def delimited(number: int, data: bytes) -> bytes:
    return varint(number << 3 | DELIMITED) + varint(len(data)) + data


class Reader:
    """Reads the wire format; every length is checked against what is left."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def more(self) -> bool:
        return self._at < len(self._data)

    def varint(self) -> int:
        value = shift = 0
        while True:
            if not self.more():
                raise DecodeError("a number is cut off")
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & ((1 << 64) - 1)
            shift += 7
            if shift > 63:
                raise DecodeError("a number has more than 10 bytes")

    def take(self, n: int) -> bytes:
        if n > len(self._data) - self._at:
            raise DecodeError(f"a field has {n} bytes where {len(self._data) - self._at} are left")
        self._at += n
        return self._data[self._at - n : self._at]

    def field(self):
        """(number, wire type, value, all bytes of the field); the value is an int for a varint, else bytes."""
        start = self._at
        key = self.varint()
        number, kind = key >> 3, key & 7
        value: int | bytes
        if number == 0:
            raise DecodeError("a field has the number 0")
        if kind == VARINT:
            value = self.varint()
        elif kind in (FIXED32, FIXED64):
            value = self.take(4 if kind == FIXED32 else 8)
        elif kind == DELIMITED:
            value = self.take(self.varint())
        else:
            raise DecodeError(f"a field has the unknown type {kind}")
        return number, kind, value, self._data[start : self._at]


def fields_of(message: bytes):
    """Iterates over (number, wire type, value, all bytes) of the fields of a message.

    Raises:
      DecodeError: the bytes are no message.
    """
    reader = Reader(message)
    while reader.more():
        yield reader.field()


def values_by_number(message: bytes) -> dict[int, list]:
    """The values of a message by the numbers of their fields.

    Raises:
      DecodeError: the bytes are no message.
    """
    found: dict[int, list] = {}
    for number, _, value, _ in fields_of(message):
        found.setdefault(number, []).append(value)
    return found


def first_text(values: dict[int, list], number: int) -> str:
    """The text in the first field of a number; "" if there is none."""
    return bytes(values[number][0]).decode() if number in values else ""


def texts_by_name(entries: list) -> dict[str, str]:
    """A map from text to text, by its entries."""
    read = map(values_by_number, entries)
    return {first_text(entry, 1): first_text(entry, 2) for entry in read}


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def as_int64(value, field: str) -> int:
    if isinstance(value, bool):
        raise TypeError(f"Field {field}: Expected an int, got a boolean.")
    value = operator.index(value)
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError(f"Value out of range: {value}")
    return value


def as_float32(value, field: str) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return array("f", [float(value)])[0]


def as_bytes_value(value, field: str) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(f"expected bytes, {type(value).__name__} found")
    return bytes(value)


def read_ints(kind: int, value) -> list:
    if kind == VARINT:
        return [signed(value)]
    reader, values = Reader(value), []
    while reader.more():
        values.append(signed(reader.varint()))
    return values


def read_floats(kind: int, value) -> list:
    if len(value) % 4:
        raise DecodeError(f"packed floats have {len(value)} bytes")
    return list(struct.unpack(f"<{len(value) // 4}f", value))


def float_text(value: float) -> str:
    if value != value:
        return "nan"
    short = f"{value:.6g}"
    return short if array("f", [float(short)])[0] == value else f"{value:.9g}"


ESCAPES = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}


def quoted_text(text: str) -> str:
    """A field of text, as protobuf prints it."""
    out = []
    for char in text:
        if char < " " or char == "\x7f" or "\udc80" <= char <= "\udcff":  # the last: a byte that is no UTF-8
            out += [ESCAPES.get(byte) or f"\\{byte:03o}" for byte in char.encode(errors="surrogateescape")]
        else:
            out.append(ESCAPES.get(ord(char), char))
    return f'"{"".join(out)}"'


def quoted(value: bytes) -> str:
    """A field of bytes, as protobuf prints it."""
    text = "".join(ESCAPES.get(b) or (chr(b) if 0x20 <= b < 0x7F else f"\\{b:03o}") for b in value)
    return f'"{text}"'
