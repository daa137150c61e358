"""The attributes of nodes in a GraphDef; read-only."""

from __future__ import annotations

from tracefn import _core
from tracefn._messages import TensorShapeProto

# The value of an unset field.
_UNSET = {"s": b"", "i": 0, "f": 0.0, "b": False, "type": 0, "placeholder": ""}


class NameAttrList:
    """A reference to a function by its `name`, a str."""

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<NameAttrList {self.name!r}>"


class TensorProto:
    """A constant; `tf.make_ndarray` gives its value.

    Attributes:
      dtype: int, the number of its dtype.
      tensor_shape: TensorShapeProto.
    """

    __slots__ = ("_tensor", "dtype", "tensor_shape")

    def __init__(self, tensor) -> None:
        self._tensor = tensor
        self.dtype = tensor.dtype.as_datatype_enum
        self.tensor_shape = TensorShapeProto(tensor.shape)

    def __repr__(self) -> str:
        return f"<TensorProto {self._tensor!r}>"


_FIELDS = {
    "type": lambda dtype: dtype.as_datatype_enum,
    "shape": TensorShapeProto,
    "tensor": TensorProto,
    "func": NameAttrList,
}


def _plain(field: str, value):
    return _FIELDS[field](value) if field in _FIELDS else value


class ListValue:
    """A list-valued attribute: `s`, `i`, `f`, `b`, `type`, `shape`, `func`; all but one of these lists are empty."""

    __slots__ = ("b", "f", "func", "i", "s", "shape", "type")

    def __init__(self, field: str = "", values=()) -> None:
        for name in self.__slots__:
            setattr(self, name, [_plain(name, v) for v in values] if name == field else [])


class AttrValue:
    """One attribute. `WhichOneof("value")` names the field that is set; the others have their default values.

    Attributes:
      s: bytes. i: int. f: float. b: bool. type: int, the number of a dtype.
      shape: TensorShapeProto. tensor: TensorProto. func: NameAttrList. list: ListValue.
    """

    __slots__ = ("_field", "_value")

    def __init__(self, field: str | None, *value) -> None:
        self._field = field
        self._value = value

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
        if name == self._field:
            return ListValue(*self._value) if name == "list" else _plain(name, self._value[0])
        if name in _UNSET:
            return _UNSET[name]
        if name in ("list", "func"):
            return ListValue() if name == "list" else NameAttrList()
        raise AttributeError(f"This AttrValue has no {name!r}; it has {self._field!r}.")

    def __repr__(self) -> str:
        return f"<AttrValue {self._field}: {self._value!r}>"


def tensor_of(proto):
    """The eager tensor of a TensorProto, of this package or of protobuf."""
    return proto._tensor if isinstance(proto, TensorProto) else _core.read_tensor(proto.SerializeToString())
