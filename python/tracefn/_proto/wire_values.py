"""The values of fields as bytes."""

from __future__ import annotations

import struct
from typing import Any

from tracefn._proto.definitions import DEFINITIONS, Field
from tracefn._proto.kinds import KINDS
from tracefn._wire import DELIMITED, FIXED32, FIXED64, VARINT, DecodeError, Reader, delimited, fields_of, varint

_LAYOUTS = {FIXED32: "<f", FIXED64: "<d"}
_BY_NUMBER = {name: {f.number: f for f in found.fields.values()} for name, found in DEFINITIONS.items()}


def _one(number: int, kind: str, value) -> bytes:
    """A field with one value."""
    if kind not in KINDS:
        return delimited(number, value.SerializeToString())
    of = KINDS[kind]
    data = of.encoded(value)
    return delimited(number, data) if of.wire == DELIMITED else varint(number << 3 | of.wire) + data


def encoded_field(field: Field, value) -> bytes:
    """The bytes of a field that is set, with its number."""
    if field.key is not None:
        entries = sorted(value.items())
        return b"".join(delimited(field.number, _one(1, field.key, k) + _one(2, field.kind, v)) for k, v in entries)
    if not field.is_repeated:
        return _one(field.number, field.kind, value)
    if field.kind in KINDS and KINDS[field.kind].wire != DELIMITED:
        return delimited(field.number, b"".join(map(KINDS[field.kind].encoded, value)))
    return b"".join(_one(field.number, field.kind, one) for one in value)


def values_of(field: Field, wire: int, value) -> list | None:
    """The values in one field of the wire: one, or packed ones; None if it has another type.

    Raises:
      DecodeError: packed numbers are cut off.
      UnicodeDecodeError: a text is none.
    """
    kind = KINDS[field.kind]
    if wire == kind.wire:
        return [kind.decoded(value)]
    if wire != DELIMITED or not field.is_repeated:
        return None
    if kind.wire == VARINT:
        reader, found = Reader(value), []
        while reader.more():
            found.append(kind.decoded(reader.varint()))
        return found
    layout = _LAYOUTS[kind.wire]
    if len(value) % struct.calcsize(layout):
        raise DecodeError(f"packed numbers have {len(value)} bytes")
    return [number for (number,) in struct.iter_unpack(layout, value)]


def entry_of(field: Field, data: bytes) -> tuple[Any, Any]:
    """The key and the value of an entry of a map; a message as its bytes, and None if there is no value.

    Raises:
      DecodeError: it is no entry.
    """
    assert field.key is not None
    key, found = KINDS[field.key].default, None
    for number, wire, value, _ in fields_of(data):
        if number == 1 and wire == KINDS[field.key].wire:
            key = KINDS[field.key].decoded(value)
        elif number == 2 and field.kind in KINDS and wire == KINDS[field.kind].wire:
            found = KINDS[field.kind].decoded(value)
        elif number == 2 and field.kind not in KINDS and wire == DELIMITED:
            found = bytes(value)
    return key, found


def check(name: str, data: bytes) -> None:
    """Reads all that a message holds.

    Raises:
      DecodeError, UnicodeDecodeError: the bytes are not that message.
    """
    fields = _BY_NUMBER[name]
    for number, wire, value, _ in fields_of(data):
        field = fields.get(number)
        if field is None:
            continue
        if field.key is not None and wire == DELIMITED:
            _, found = entry_of(field, value)
            if field.kind not in KINDS and found is not None:
                check(field.kind, found)
        elif field.kind in KINDS:
            values_of(field, wire, value)
        elif wire == DELIMITED:
            check(field.kind, value)
