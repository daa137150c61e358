"""TensorFlow's protobuf messages without protobuf: values with their serialized form and their text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from tracefn import _core
from tracefn._wire import quoted_text

_DATA_TYPES = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}  # if they differ from the dtype's name


def data_type_name(dtype) -> str:
    """The name of a dtype in the enum DataType, such as "DT_FLOAT"."""
    return f"DT_{_DATA_TYPES.get(dtype.name, dtype.name.upper())}"


class Printed:
    """A message that is printed as protobuf prints it: line by line, by `_lines()`."""

    __slots__ = ()

    def _lines(self) -> list[str]:
        raise NotImplementedError(f"{type(self).__name__} has no lines.")

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    def __repr__(self) -> str:
        return str(self)


def block(field: str, lines: Iterable[str]) -> list[str]:
    """The lines of a field that is a message."""
    return [f"{field} {{", *(f"  {line}" for line in lines), "}"]


def text_lines(field: str, value: str | None) -> list[str]:
    """The line of a field that is text, unless it is empty."""
    return [f"{field}: {quoted_text(value)}"] if value else []


def entry_lines(field: str, key: str, value: Printed) -> list[str]:
    """The lines of an entry of a map from text to messages."""
    return block(field, [f"key: {quoted_text(key)}", *block("value", value._lines())])


class Message:
    """An immutable message.

    It has the members of a protobuf message that programs use to read and write one: `SerializeToString`, `ByteSize`,
    `str`, `==`.
    """

    __slots__ = ("_binary", "_text")

    def __init__(self, binary: bytes, text: str | None) -> None:
        self._binary = binary
        self._text = text  # None: messages parsed from bytes are summarized

    def SerializeToString(self) -> bytes:
        """The serialized message, which TensorFlow can parse."""
        return self._binary

    def ByteSize(self) -> int:
        """The length of the serialized message."""
        return len(self._binary)

    def _summary(self) -> str:
        return f"<{type(self).__name__} of {len(self._binary)} bytes>"

    def __str__(self) -> str:
        return self._summary() if self._text is None else self._text

    __repr__ = __str__

    def __eq__(self, other) -> bool:
        return type(other) is type(self) and self._binary == other._binary

    __hash__ = None  # type: ignore[assignment]


class Dim(NamedTuple):
    """One dimension of a TensorShapeProto; the size is -1 if it is unknown."""

    size: int
    name: str = ""


class TensorShapeProto(Message):
    """A shape: `unknown_rank`, and `dim`, a list of Dim."""

    __slots__ = ("dim", "unknown_rank")

    def __init__(self, shape) -> None:
        super().__init__(*_core.shape_proto(shape))
        self.unknown_rank = shape.rank is None
        self.dim = [] if self.unknown_rank else [Dim(-1 if d is None else d) for d in shape.as_list()]


class SerializedDType(Message):
    """A dtype: `datatype` is its number."""

    __slots__ = ("datatype",)

    def __init__(self, dtype) -> None:
        super().__init__(*_core.dtype_proto(dtype))
        self.datatype = dtype.as_datatype_enum


class TensorSpecProto(Message):
    """A TensorSpec: `name`, `shape` (a TensorShapeProto) and `dtype`, its number."""

    __slots__ = ("dtype", "name", "shape")

    def __init__(self, spec) -> None:
        self.name = spec.name or ""
        self.shape = TensorShapeProto(spec.shape)
        self.dtype = spec.dtype.as_datatype_enum
        super().__init__(*_core.tensor_spec_proto(self.name, spec.shape, spec.dtype))


def dimensions(proto: Any):
    """The TensorShapeProtos that TensorShape accepts, of this package or of protobuf."""
    if proto.unknown_rank:
        return None
    return [None if d.size == -1 else d.size for d in proto.dim]
