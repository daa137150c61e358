"""The kinds of fields that are no messages: what may be assigned to them, their bytes and their texts."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from tracefn import _numpy as np
from tracefn._proto.definitions import ENUMS
from tracefn._wire import (
    DELIMITED,
    FIXED32,
    FIXED64,
    VARINT,
    as_bytes_value,
    as_float32,
    as_int64,
    float_text,
    quoted,
    quoted_text,
    signed,
    varint,
)


class Kind(NamedTuple):
    """A kind of values.

    Attributes:
      wire: the type of a field's bytes.
      default: the value of a field that is not set.
      checked: from what a program assigns, and the field's name, the value; raises TypeError or ValueError.
      encoded: the bytes of a value, without its length.
      decoded: the value, of an int if `wire` is VARINT, else of bytes.
      text: the value as protobuf prints it.
    """

    wire: int
    default: Any
    checked: Callable
    encoded: Callable
    decoded: Callable
    text: Callable


def _ranged(low: int, high: int) -> Callable:
    def checked(value, field: str) -> int:
        if isinstance(value, bool):
            return as_int64(value, field)  # which raises
        number = operator.index(value)
        if not low <= number < high:
            raise ValueError(f"Value out of range: {number}")
        return number

    return checked


def _text_value(value, field: str) -> str:
    if not isinstance(value, (str, bytes)):
        raise TypeError("bad argument type for built-in operation")
    return value if isinstance(value, str) else value.decode()


def _bool_value(value, field: str) -> bool:
    return bool(value if isinstance(value, np.bool_) else operator.index(value))


def _double_value(value, field: str) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(value)


def _double_text(value: float) -> str:
    short = f"{value:.15g}"
    return short if float(short) == value or value != value else f"{value:.17g}"


def _fixed(layout: str) -> tuple[Callable, Callable]:
    return lambda value: struct.pack(layout, value), lambda data: struct.unpack(layout, data)[0]


def _int32(value: int) -> int:
    value &= (1 << 32) - 1
    return value - (1 << 32) if value >> 31 else value


KINDS: dict[str, Kind] = {
    "int32": Kind(VARINT, 0, _ranged(-1 << 31, 1 << 31), varint, _int32, str),
    "int64": Kind(VARINT, 0, as_int64, varint, signed, str),
    "uint32": Kind(VARINT, 0, _ranged(0, 1 << 32), varint, lambda n: n & (1 << 32) - 1, str),
    "uint64": Kind(VARINT, 0, _ranged(0, 1 << 64), varint, int, str),
    "bool": Kind(VARINT, False, _bool_value, varint, bool, lambda value: str(value).lower()),
    "float": Kind(FIXED32, 0.0, as_float32, *_fixed("<f"), float_text),
    "double": Kind(FIXED64, 0.0, _double_value, *_fixed("<d"), _double_text),
    "string": Kind(DELIMITED, "", _text_value, str.encode, lambda data: bytes(data).decode(), quoted_text),
    "bytes": Kind(DELIMITED, b"", as_bytes_value, bytes, bytes, quoted),
}


def _enum(names: dict[int, str]) -> Kind:
    numbers, as_number = {name: number for number, name in names.items()}, _ranged(-1 << 31, 1 << 31)

    def checked(value, field: str) -> int:
        if isinstance(value, str):
            if value not in numbers:
                raise ValueError(f'unknown enum label "{value}"')
            return numbers[value]
        return as_number(value, field)

    return Kind(VARINT, 0, checked, varint, _int32, lambda number: names.get(number, str(number)))


KINDS.update({name: _enum(names) for name, names in ENUMS.items()})
