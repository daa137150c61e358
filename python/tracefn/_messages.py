"""TensorFlow's messages without protobuf: values that know their serialised form and their text."""

from __future__ import annotations

import textwrap
from typing import Any, NamedTuple

from tracefn import _core


class Message:
    """A message as it was when it was made.

    It has what programs ask of a protobuf message to read and write it: `SerializeToString`, `ByteSize`, `str`, `==`.
    """

    __slots__ = ("_both",)

    def __init__(self, binary: bytes, text: str) -> None:
        self._both = (binary, text)

    def SerializeToString(self) -> bytes:
        """The serialised message, which TensorFlow reads."""
        return self._both[0]

    def ByteSize(self) -> int:
        """The length of the serialised message."""
        return len(self._both[0])

    def __str__(self) -> str:
        return self._both[1]

    __repr__ = __str__

    def __eq__(self, other) -> bool:
        return type(other) is type(self) and self._both[0] == other._both[0]

    __hash__ = None  # type: ignore[assignment]


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _nested(number: int, content: bytes) -> bytes:
    """A field of bytes, text or a message."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


class Dim(NamedTuple):
    """One dimension of a TensorShapeProto; the size is -1 where it is unknown."""

    size: int
    name: str = ""


class TensorShapeProto(Message):
    """A shape: `unknown_rank`, and `dim`, a list of what has `size`."""

    __slots__ = ("dim", "unknown_rank")

    def __init__(self, shape) -> None:
        super().__init__(*_core.shape_proto(shape))
        self.unknown_rank = shape.rank is None
        self.dim = [] if self.unknown_rank else [Dim(-1 if d is None else d) for d in shape.as_list()]


class SerializedDType(Message):
    """A dtype: `datatype`, its number."""

    __slots__ = ("datatype",)

    def __init__(self, dtype) -> None:
        number = dtype.as_datatype_enum
        super().__init__(_varint(1 << 3) + _varint(number), f"datatype: {_enum_name(dtype)}\n")
        self.datatype = number


class TensorSpecProto(Message):
    """A TensorSpec: `name`, `shape` (a TensorShapeProto) and `dtype`, its number."""

    __slots__ = ("dtype", "name", "shape")

    def __init__(self, spec) -> None:
        self.name = spec.name or ""
        self.shape = TensorShapeProto(spec.shape)
        self.dtype = spec.dtype.as_datatype_enum
        binary = _nested(1, self.name.encode()) if self.name else b""
        binary += _nested(2, self.shape.SerializeToString()) + _varint(3 << 3) + _varint(self.dtype)
        text = f'name: "{self.name}"\n' if self.name else ""
        text += "shape {\n" + textwrap.indent(str(self.shape), "  ") + "}\n" + f"dtype: {_enum_name(spec.dtype)}\n"
        super().__init__(binary, text)


_ENUM_NAMES = {"float16": "HALF", "float32": "FLOAT", "float64": "DOUBLE"}


def _enum_name(dtype) -> str:
    """The dtype's name among the values of the enumeration DataType."""
    return "DT_" + _ENUM_NAMES.get(dtype.name, dtype.name.upper())


def dimensions(proto: Any):
    """What TensorShape takes for a TensorShapeProto, of this package or of protobuf."""
    if proto.unknown_rank:
        return None
    return [None if d.size == -1 else d.size for d in proto.dim]
