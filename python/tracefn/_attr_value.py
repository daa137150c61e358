"""The attributes of nodes in a GraphDef; read-only."""

from __future__ import annotations

import numbers
import operator
import struct

from tracefn import _core
from tracefn import _numpy as np
from tracefn._messages import Printed, TensorShapeProto, block, data_type_name, text_lines
from tracefn._wire import fields_of, first_text, float_text, quoted, read_ints, values_by_number
from tracefn.dtypes import as_dtype

# The value of an unset field.
_UNSET = {"s": b"", "i": 0, "f": 0.0, "b": False, "type": 0, "placeholder": ""}


class NameAttrList(Printed):
    """A reference to a function by its `name`, a str."""

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        self.name = name

    def _lines(self) -> list[str]:
        return text_lines("name", self.name)


_DTYPE_TAG = 1 << 3  # of field 1, a varint
_CONTENT = 4

# The fields of a TensorProto that hold elements: number, and how the elements stand in the bytes.
_ELEMENTS = {
    "half_val": (13, "varint"),
    "float_val": (5, "f"),
    "double_val": (6, "d"),
    "int_val": (7, "varint"),
    "string_val": (8, "bytes"),
    "scomplex_val": (9, "f"),
    "int64_val": (10, "varint"),
    "bool_val": (11, "varint"),
    "dcomplex_val": (12, "d"),
    "uint32_val": (16, "varint"),
    "uint64_val": (17, "varint"),
}


def _numbers(layout: str, kind: int, value) -> list:
    """The numbers in one field of the wire: one of them, or packed ones."""
    if layout != "varint":
        return [number for (number,) in struct.iter_unpack(f"<{layout}", value)]
    return read_ints(kind, value)


class TensorProto:
    """A constant; `tf.make_ndarray` gives its value.

    Attributes:
      dtype: int, the number of its dtype.
      tensor_shape: TensorShapeProto.
      tensor_content: bytes, the elements of numbers that are no scalar; else empty.
      string_val, float_val and the like: list, the elements where they are not in `tensor_content`.
    """

    __slots__ = ("_message", "_tensor", "dtype", "tensor_shape")

    def __init__(self, tensor) -> None:
        self._tensor = tensor
        self._message: tuple[bytes, str] | None = None  # made when it is asked for
        self.dtype = tensor.dtype.as_datatype_enum
        self.tensor_shape = TensorShapeProto(tensor.shape)

    def _binary_and_text(self) -> tuple[bytes, str]:
        if self._message is None:
            self._message = _value_of_constant(self._tensor)
        return self._message

    def __getattr__(self, name: str):
        if name == "tensor_content":
            return bytes(values_by_number(self.SerializeToString()).get(_CONTENT, [b""])[0])
        if name not in _ELEMENTS:
            raise AttributeError(f"'TensorProto' object has no attribute {name!r}")
        wanted, layout = _ELEMENTS[name]
        found = [(kind, value) for number, kind, value, _ in fields_of(self.SerializeToString()) if number == wanted]
        if layout == "bytes":
            return [bytes(value) for _, value in found]
        numbers = [number for kind, value in found for number in _numbers(layout, kind, value)]
        return [bool(number) for number in numbers] if name == "bool_val" else numbers

    def __str__(self) -> str:
        return self._binary_and_text()[1]

    __repr__ = __str__

    def __eq__(self, other) -> bool:
        return isinstance(other, TensorProto) and self.SerializeToString() == other.SerializeToString()

    __hash__ = None  # type: ignore[assignment]

    def SerializeToString(self) -> bytes:  # protobuf's name
        """The message as bytes; see `FromString`."""
        return self._binary_and_text()[0]

    @classmethod
    def FromString(cls, serialized: bytes) -> TensorProto:  # protobuf's name
        """The message of `SerializeToString`, or of protobuf's.

        Raises:
          ValueError: `serialized` does not begin with a dtype.
          InvalidArgumentError: it is no tensor.
        """
        if len(serialized) < 2 or serialized[0] != _DTYPE_TAG or serialized[1] > 127:
            raise ValueError("TensorProto.FromString: the bytes do not begin with the dtype of a tensor.")
        with _core.TargetContext(None):
            return cls(_core.raw_op("ParseTensor")(serialized=serialized, out_type=as_dtype(serialized[1])))


def _value_of_constant(tensor) -> tuple[bytes, str]:
    """The bytes and the text of the TensorProto in a Const node of the tensor."""
    graph = _core.Graph()
    with _core.TargetContext(graph):
        constant = _core.raw_op("Const")(value=tensor, dtype=tensor.dtype)
    binary, text = _core.node_def(graph, constant.op._id)
    entries = [values_by_number(entry) for entry in values_by_number(binary)[5]]
    value = next(entry[2][0] for entry in entries if first_text(entry, 1) == "value")
    lines = text[text.index("    tensor {") :].splitlines()[1:]
    return bytes(values_by_number(value)[8][0]), "".join(f"{line.removeprefix(' ' * 6)}\n" for line in lines[: lines.index("    }")])


_FIELDS = {
    "type": lambda dtype: dtype.as_datatype_enum,
    "shape": TensorShapeProto,
    "tensor": TensorProto,
    "func": NameAttrList,
}


def _plain(field: str, value):
    return _FIELDS[field](value) if field in _FIELDS else value


class ListValue(Printed):
    """A list-valued attribute: `s`, `i`, `f`, `b`, `type`, `shape`, `func`; all but one of these lists are empty.

    Args:
      field, values: the list that is not empty; the shapes and dtypes in it are not messages.
      **lists: the same as a keyword, as protobuf has it: `ListValue(i=[1, 2])`, where dtypes are numbers.
    """

    __slots__ = ("b", "f", "func", "i", "s", "shape", "type")

    def __init__(self, field: str = "", values=(), **lists) -> None:
        for name in self.__slots__:
            own = [_plain(name, v) for v in values] if name == field else []
            setattr(self, name, own + [_checked(name, v) for v in lists.pop(name, None) or ()])
        if lists:
            raise ValueError(f'Protocol message ListValue has no "{next(iter(lists))}" field.')

    def _lines(self) -> list[str]:
        return _lines_of_list(self)


_MEMBERS = {"shape": "SerializeToString", "tensor": "SerializeToString", "func": "name", "list": "type"}  # of messages
_BITS = {"i": 64, "type": 32}


def _checked(field: str, value):
    """The value of a field that a program has given.

    Raises:
      TypeError: it is of another type.
      ValueError: it is an int with too many bits.
    """
    refused = TypeError(f"bad argument type for built-in operation: {field} cannot be {value!r}")
    if field in _MEMBERS:
        if not hasattr(value, _MEMBERS[field]):
            raise refused
        return value
    if field in ("s", "placeholder"):
        if not isinstance(value, (str, bytes)):
            raise refused
        is_text = isinstance(value, str)
        return value if is_text == (field == "placeholder") else value.encode() if isinstance(value, str) else value.decode()
    if field == "f":
        if not isinstance(value, numbers.Real):
            raise refused
        return float(value)
    if field == "b" and isinstance(value, np.bool_):
        return bool(value)
    if not hasattr(value, "__index__") or (isinstance(value, bool) and field != "b"):
        raise refused
    number = operator.index(value)
    if field == "b":
        return bool(number)
    if not -1 << _BITS[field] - 1 <= number < 1 << _BITS[field] - 1:
        raise ValueError(f"Value out of range: {number}")
    return number


class _Given:
    """The value of a field as a program has given it: a message, or a number in place of a dtype."""

    __slots__ = ("value",)

    def __init__(self, value) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


class AttrValue(Printed):
    """One attribute. `WhichOneof("value")` names the field that is set; the others have their default values.

    A program makes one with the field as a keyword: `AttrValue(i=3)`, `AttrValue(list=AttrValue.ListValue(s=[b"a"]))`.

    Attributes:
      s: bytes. i: int. f: float. b: bool. type: int, the number of a dtype.
      shape: TensorShapeProto. tensor: TensorProto. func: NameAttrList. list: ListValue.
    """

    __slots__ = ("_field", "_value")
    ListValue = ListValue

    def __init__(self, field: str | None = None, *value, **given) -> None:
        self._field = field
        self._value = value
        for name, one in given.items():
            if name not in _FIELDS and name not in _UNSET and name != "list":
                raise ValueError(f'Protocol message AttrValue has no "{name}" field.')
            if one is not None:
                self._field, self._value = name, (_Given(_checked(name, one)),)

    def WhichOneof(self, oneof: str) -> str | None:
        """The name of the set field; None if there is none."""
        if oneof != "value":
            raise ValueError(f"AttrValue has no oneof {oneof!r}, only 'value'.")
        self._refuse_unreadable()
        return self._field

    def HasField(self, name: str) -> bool:
        """Whether the field is set."""
        return self.WhichOneof("value") == name

    def _refuse_unreadable(self) -> None:
        if self._field == "":
            raise NotImplementedError(f"The value of this attribute cannot be read: {self._value[0]}.")

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        self._refuse_unreadable()
        if name == self._field and isinstance(self._value[0], _Given):
            return self._value[0].value
        if name == self._field:
            return ListValue(*self._value) if name == "list" else _plain(name, self._value[0])
        if name in _UNSET:
            return _UNSET[name]
        if name in ("list", "func"):
            return ListValue() if name == "list" else NameAttrList()
        raise AttributeError(f"This AttrValue has no {name!r}; it has {self._field!r}.")

    def __str__(self) -> str:
        return f"<AttrValue: {self._value[0]}>" if self._field == "" else super().__str__()

    def _lines(self) -> list[str]:
        return lines_of(self)


def tensor_of(proto):
    """The eager tensor of a TensorProto, of this package or of protobuf."""
    return proto._tensor if isinstance(proto, TensorProto) else _core.read_tensor(proto.SerializeToString())


def bytes_of(value) -> bytes:
    """The bytes of a str, of bytes or of a message."""
    if isinstance(value, str):
        return value.encode()
    return value if isinstance(value, bytes) else value.SerializeToString()


def _lines_of_value(field: str, value) -> list[str]:
    if field in ("s", "placeholder"):
        return [f"{field}: {quoted(bytes_of(value))}"]
    if field == "tensor" and not isinstance(value, TensorProto):
        value = TensorProto(tensor_of(value))
    if field in ("shape", "tensor"):
        return block(field, str(value).splitlines())
    if field == "func":
        return block(field, text_lines("name", value.name))
    if field == "type":
        return [f"type: {data_type_name(as_dtype(value))}"]
    if field == "f":
        return [f"f: {float_text(value)}"]
    return [f"{field}: {str(value).lower()}"]


IN_LIST = {"s": 2, "i": 3, "f": 4, "b": 5, "type": 6, "shape": 7, "func": 9}  # the fields of a ListValue and their numbers


def _lines_of_list(values) -> list[str]:
    return [line for field in IN_LIST for value in getattr(values, field) for line in _lines_of_value(field, value)]


def lines_of(attribute) -> list[str]:
    """The text of an AttrValue, of this package or of protobuf, line by line."""
    field = attribute.WhichOneof("value")
    if field is None:
        return []
    value = getattr(attribute, field)
    return block(field, _lines_of_list(value)) if field == "list" else _lines_of_value(field, value)
