"""`tf.train.Example` and the messages in it, without protobuf: they are made, changed, serialized and read as its classes are."""

from __future__ import annotations

import operator
import struct
from array import array
from collections.abc import MutableMapping, MutableSequence
from typing import Any, ClassVar, NamedTuple

from tracefn._export import export


class DecodeError(Exception):
    """Bytes are no serialized message."""


_VARINT, _FIXED64, _DELIMITED, _FIXED32 = 0, 1, 2, 5


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _delimited(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | _DELIMITED) + _varint(len(data)) + data


class _Reader:
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
        if kind == _VARINT:
            value = self.varint()
        elif kind in (_FIXED32, _FIXED64):
            value = self.take(4 if kind == _FIXED32 else 8)
        elif kind == _DELIMITED:
            value = self.take(self.varint())
        else:
            raise DecodeError(f"a field has the unknown type {kind}")
        return number, kind, value, self._data[start : self._at]


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _int64(value, field: str) -> int:
    if isinstance(value, bool):
        raise TypeError(f"Field {field}: Expected an int, got a boolean.")
    value = operator.index(value)
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError(f"Value out of range: {value}")
    return value


def _float32(value, field: str) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return array("f", [float(value)])[0]


def _bytes(value, field: str) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(f"expected bytes, {type(value).__name__} found")
    return bytes(value)


def _read_ints(kind: int, value) -> list:
    if kind == _VARINT:
        return [_signed(value)]
    reader, values = _Reader(value), []
    while reader.more():
        values.append(_signed(reader.varint()))
    return values


def _read_floats(kind: int, value) -> list:
    if len(value) % 4:
        raise DecodeError(f"packed floats have {len(value)} bytes")
    return list(struct.unpack(f"<{len(value) // 4}f", value))


def _float_text(value: float) -> str:
    if value != value:
        return "nan"
    short = f"{value:.6g}"
    return short if array("f", [float(short)])[0] == value else f"{value:.9g}"


_ESCAPES = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}


def _quoted(value: bytes) -> str:
    text = "".join(_ESCAPES.get(b) or (chr(b) if 0x20 <= b < 0x7F else f"\\{b:03o}") for b in value)
    return f'"{text}"'


class _Element(NamedTuple):
    """How the elements of a list of numbers or bytes are checked, written, read and shown."""

    check: Any
    write: Any  # all of them, as bytes of the field `value`
    wires: frozenset
    read: Any  # a field's elements
    text: Any


_INT64 = _Element(
    _int64,
    lambda values: _delimited(1, b"".join(map(_varint, values))),
    frozenset((_VARINT, _DELIMITED)),
    _read_ints,
    str,
)
_FLOAT = _Element(
    _float32,
    lambda values: _delimited(1, struct.pack(f"<{len(values)}f", *values)),
    frozenset((_FIXED32, _DELIMITED)),
    _read_floats,
    _float_text,
)
_BYTES = _Element(
    _bytes,
    lambda values: b"".join(_delimited(1, value) for value in values),
    frozenset((_DELIMITED,)),
    lambda kind, value: [value],
    _quoted,
)


class _Repeated(MutableSequence):
    """A list in a message, of values or of messages."""

    __slots__ = ("_items", "_owner")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, owner) -> None:
        self._owner = owner
        self._items: list = []

    def _checked(self, value):
        return self._owner._ELEMENT.check(value, f"tensorflow.{type(self._owner).__name__}.value")

    def __getitem__(self, i):
        return self._items[i]

    def __setitem__(self, i, value):
        self._items[i] = [self._checked(v) for v in value] if isinstance(i, slice) else self._checked(value)
        self._owner._touch()

    def __delitem__(self, i):
        del self._items[i]
        self._owner._touch()

    def __len__(self) -> int:
        return len(self._items)

    def insert(self, index, value):
        self._items.insert(index, self._checked(value))
        self._owner._touch()

    def extend(self, values):
        # Its owner is present afterwards even if there are no values.
        self._items.extend([self._checked(v) for v in values])
        self._owner._touch()

    def MergeFrom(self, other):
        """Appends the elements of another list."""
        self.extend(other)

    def sort(self, **options):
        """Sorts the list."""
        self._items.sort(**options)

    def __eq__(self, other):
        if isinstance(other, _Repeated):
            return self._items == other._items
        return self._items == other if isinstance(other, list) else NotImplemented

    def __repr__(self) -> str:
        return repr(self._items)


class _RepeatedMessages(_Repeated):
    """A list of messages, which are copied when they are added."""

    __slots__ = ()

    def _checked(self, value):
        return _copied(self._owner._ENTRY, value, self._owner)

    def __setitem__(self, i, value):
        raise TypeError(f"'{type(self).__name__}' object does not support item assignment")

    def add(self, **fields):
        """Appends a new message with these fields, and returns it."""
        self.append(self._owner._ENTRY(**fields))
        return self._items[-1]


class _MessageMap(MutableMapping):
    """A dict from str to messages in a message; reading a missing key makes a message."""

    __slots__ = ("_items", "_owner")

    def __init__(self, owner) -> None:
        self._owner = owner
        self._items: dict = {}

    def __getitem__(self, key):
        if key not in self._items:
            self._put(key, self._owner._ENTRY())
        return self._items[key]

    def get_or_create(self, key):
        """The message under a key."""
        return self[key]

    def get(self, key, default=None):
        """The message under a key, or the default."""
        return self._items.get(key, default)

    def _put(self, key, message):
        if not isinstance(key, str):
            raise TypeError("bad argument type for built-in operation")
        self._items[key] = _copied(self._owner._ENTRY, message, self._owner)
        self._owner._touch()

    def __setitem__(self, key, value):
        raise ValueError("Message objects may not be assigned")

    def __contains__(self, key):
        return key in self._items

    def __delitem__(self, key):
        del self._items[key]

    def __iter__(self):
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def MergeFrom(self, other):
        """Takes over copies of the messages of another map."""
        for key, value in other.items():
            self._put(key, value)

    def __repr__(self) -> str:
        return repr(self._items)


def _copied(kind, value, owner):
    """A copy of a message for a place in another one."""
    if isinstance(value, dict):
        value = kind(**value)
    if type(value) is not kind:
        raise TypeError(f"Parameter to CopyFrom() must be instance of same class: expected {kind} got {type(value)}.")
    copy = kind()
    copy.MergeFrom(value)
    copy._owner = owner
    return copy


class _Descriptor(NamedTuple):
    name: str
    number: int


class ExampleMessage:
    """What the messages share. A subclass names its fields."""

    # Number by field: of the one list, of the one map, or of messages.
    _FIELDS: ClassVar[dict[str, int]]
    __slots__ = ("_owner", "_present", "_unknown")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, *args, **fields):
        if args:
            raise TypeError("No positional arguments allowed")
        self._owner: ExampleMessage | None = None
        self._present = False  # in its owner, where that is not a list or a map
        self._unknown = b""
        self._clear()
        for name, value in fields.items():
            if name not in self._FIELDS:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            if value is not None:
                self._initialize(name, value)

    def _touch(self) -> None:
        """The message has been changed: it is present in its owner from now on."""
        if not self._present:
            self._present = True
            if self._owner is not None:
                self._owner._became_present(self)
        if self._owner is not None:
            self._owner._touch()

    def _became_present(self, part) -> None:
        pass

    def __setattr__(self, name, value):
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name in self._FIELDS:
            kind = "message field" if isinstance(self, _Parts) else "repeated field"
            raise AttributeError(f'Assignment not allowed to {kind} "{name}" in protocol message object.')
        else:
            raise AttributeError(f"Protocol message {type(self).__name__} has no \"{name}\" field.")

    def _check_field(self, name: str) -> None:
        if name not in self._FIELDS:
            raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')

    @classmethod
    def FromString(cls, data):
        """The message in bytes.

        Raises:
          DecodeError: they are no such message.
        """
        message = cls()
        message.ParseFromString(data)
        return message

    def ParseFromString(self, data) -> int:
        """Replaces the contents by those in bytes; returns their number."""
        if isinstance(data, str):
            raise TypeError("expected bytes, str found")
        self.Clear()
        return self.MergeFromString(data)

    def MergeFromString(self, data) -> int:
        """Adds the contents in bytes; returns their number."""
        data = bytes(data)
        try:
            self._merge_bytes(data)
        except DecodeError as error:
            raise DecodeError(f"Error parsing message with type 'tensorflow.{type(self).__name__}': {error}") from None
        self._touch()
        return len(data)

    def _merge_bytes(self, data: bytes) -> None:
        reader = _Reader(data)
        while reader.more():
            number, kind, value, whole = reader.field()
            if not self._take(number, kind, value):
                self._unknown += whole

    def SerializeToString(self, deterministic=None) -> bytes:
        """The serialized message; `deterministic` sorts the keys of maps."""
        return self._binary(bool(deterministic)) + self._unknown

    def SerializePartialToString(self, deterministic=None) -> bytes:
        """The serialized message."""
        return self.SerializeToString(deterministic)

    def ByteSize(self) -> int:
        """The length of the serialized message."""
        return len(self.SerializeToString())

    def IsInitialized(self) -> bool:
        """True: there are no fields that must be set."""
        return True

    def SetInParent(self) -> None:
        """Makes the message present where it is a field."""
        self._touch()

    def Clear(self) -> None:
        """Removes the contents."""
        self._unknown = b""
        self._clear()
        self._touch()

    def ClearField(self, field_name: str) -> None:
        """Removes the contents of a field.

        Raises:
          ValueError: there is no such field.
        """
        self._check_field(field_name)
        self._clear_field(field_name)

    def CopyFrom(self, other) -> None:
        """Replaces the contents by a copy of another message's."""
        if other is self:
            return
        self.Clear()
        self.MergeFrom(other)

    def MergeFrom(self, other) -> None:
        """Adds the contents of another message.

        Raises:
          TypeError: it is of another class.
        """
        if type(other) is not type(self):
            raise TypeError("Parameter to MergeFrom() must be instance of same class: expected "
                            f"{type(self).__name__} got {type(other).__name__}.")
        self._merge(other)
        self._unknown += other._unknown
        self._touch()

    def ListFields(self) -> list:
        """(descriptor with `name` and `number`, value) for each field that is not empty."""
        return [(_Descriptor(n, self._FIELDS[n]), getattr(self, n)) for n in self._FIELDS if self._is_set(n)]

    def WhichOneof(self, oneof_group: str):
        """The name of the field that is set.

        Raises:
          ValueError: the message has no such group.
        """
        raise ValueError(f"Protocol message {type(self).__name__} has no oneof \"{oneof_group}\" field.")

    def HasField(self, field_name: str) -> bool:
        """Whether a message in this one is present.

        Raises:
          ValueError: there is no such field, or it is a list or map.
        """
        self._check_field(field_name)
        raise ValueError(f'Protocol message {type(self).__name__} has no singular "{field_name}" field.')

    def __eq__(self, other) -> bool:
        return type(other) is type(self) and self._unknown == other._unknown and self._equals(other)

    def __str__(self) -> str:
        return "".join(line + "\n" for line in self._lines())

    __repr__ = __str__

    def __reduce__(self):
        return type(self).FromString, (self.SerializeToString(),)

    def __deepcopy__(self, memo):
        return type(self).FromString(self.SerializeToString())

    # What a subclass says of its fields.
    def _clear(self) -> None:
        raise NotImplementedError

    def _clear_field(self, name: str) -> None:
        self._clear()

    def _initialize(self, name: str, value) -> None:
        raise NotImplementedError

    def _take(self, number: int, kind: int, value) -> bool:
        raise NotImplementedError

    def _binary(self, deterministic: bool) -> bytes:
        raise NotImplementedError

    def _merge(self, other) -> None:
        raise NotImplementedError

    def _equals(self, other) -> bool:
        raise NotImplementedError

    def _is_set(self, name: str) -> bool:
        return len(getattr(self, name)) > 0

    def _lines(self) -> list[str]:
        raise NotImplementedError


def _block(name: str, message: ExampleMessage) -> list[str]:
    return [f"{name} {{", *("  " + line for line in message._lines()), "}"]


class _Values(ExampleMessage):
    """A message of one list of values."""

    _FIELDS: ClassVar = {"value": 1}
    _ELEMENT: ClassVar[_Element]
    __slots__ = ("_value",)

    @property
    def value(self):
        """The values, as a list."""
        return self._value

    def _clear(self) -> None:
        self._value = _Repeated(self)

    def _initialize(self, name, value) -> None:
        self._value.extend(value)

    def _take(self, number, kind, value) -> bool:
        if number != 1 or kind not in self._ELEMENT.wires:
            return False
        self._value._items.extend(self._ELEMENT.read(kind, value))
        return True

    def _binary(self, deterministic) -> bytes:
        return self._ELEMENT.write(self._value._items) if self._value else b""

    def _merge(self, other) -> None:
        self._value._items.extend(other._value._items)

    def _equals(self, other) -> bool:
        return self._binary(True) == other._binary(True)  # a NaN is itself

    def _lines(self) -> list[str]:
        return [f"value: {self._ELEMENT.text(v)}" for v in self._value]


@export("train.BytesList")
class BytesList(_Values):
    """A list of bytes: `value`.

    Example:
      >>> import tracefn as tf
      >>> tf.train.BytesList(value=[b"ab"]).SerializeToString()
      b'\\n\\x02ab'
    """

    _ELEMENT = _BYTES
    __slots__ = ()


@export("train.FloatList")
class FloatList(_Values):
    """A list of float32 numbers: `value`.

    Example:
      >>> import tracefn as tf
      >>> tf.train.FloatList(value=[0.5, 2])
      value: 0.5
      value: 2
      <BLANKLINE>
    """

    _ELEMENT = _FLOAT
    __slots__ = ()


@export("train.Int64List")
class Int64List(_Values):
    """A list of int64 numbers: `value`.

    Example:
      >>> import tracefn as tf
      >>> tf.train.Int64List(value=[1, 2]).value
      [1, 2]
    """

    _ELEMENT = _INT64
    __slots__ = ()


class _Parts(ExampleMessage):
    """A message of messages, which are made when they are first read, and present once they are changed."""

    _PARTS: ClassVar[dict[str, type]]
    _GROUP: ClassVar[str | None] = None  # the name of the group if only one of them can be present
    _parts: dict[str, ExampleMessage]
    __slots__ = ("_parts",)

    def __getattr__(self, name):
        if name not in self._FIELDS:
            raise AttributeError(name)
        if name not in self._parts:
            part = self._PARTS[name]()
            part._owner, part._present = self, False
            self._parts[name] = part
        return self._parts[name]

    def _became_present(self, part) -> None:
        if self._GROUP is not None:
            self._parts = {name: other for name, other in self._parts.items() if other is part}

    def _clear(self) -> None:
        self._parts = {}

    def _clear_field(self, name) -> None:
        self._parts.pop(name, None)

    def _initialize(self, name, value) -> None:
        kind = self._PARTS[name]
        if isinstance(value, dict):
            value = kind(**value)
        if type(value) is not kind:
            raise TypeError("Parameter to initialize message field must be dict or instance of same class: expected "
                            f"{kind} got {type(value)}.")
        getattr(self, name).CopyFrom(value)

    def _take(self, number, kind, value) -> bool:
        for name, known in self._FIELDS.items():
            if number == known and kind == _DELIMITED:
                part = getattr(self, name)
                part._merge_bytes(value)
                part._touch()
                return True
        return False

    def _is_set(self, name) -> bool:
        return name in self._parts and self._parts[name]._present

    def HasField(self, field_name) -> bool:
        """Whether a message in this one is present.

        Raises:
          ValueError: there is no such field.
        """
        self._check_field(field_name)
        return self._is_set(field_name)

    def WhichOneof(self, oneof_group):
        """The name of the list that is present, or None.

        Raises:
          ValueError: the message has no such group.
        """
        if oneof_group != self._GROUP:
            return super().WhichOneof(oneof_group)
        return next(filter(self._is_set, self._FIELDS), None)

    def _present_parts(self):
        return [(name, self._parts[name]) for name in self._FIELDS if self._is_set(name)]

    def _binary(self, deterministic) -> bytes:
        return b"".join(
            _delimited(self._FIELDS[name], part.SerializeToString(deterministic)) for name, part in self._present_parts()
        )

    def _merge(self, other) -> None:
        for name, part in other._present_parts():
            getattr(self, name).MergeFrom(part)

    def _equals(self, other) -> bool:
        return self._present_parts() == other._present_parts()

    def _lines(self) -> list[str]:
        return [line for name, part in self._present_parts() for line in _block(name, part)]


@export("train.Feature")
class Feature(_Parts):
    """One list of values: `bytes_list`, `float_list` or `int64_list`; setting one removes the others.

    Example:
      >>> import tracefn as tf
      >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))
      >>> feature.WhichOneof("kind"), feature.int64_list.value
      ('int64_list', [3])
    """

    _FIELDS: ClassVar = {"bytes_list": 1, "float_list": 2, "int64_list": 3}
    _PARTS: ClassVar = {"bytes_list": BytesList, "float_list": FloatList, "int64_list": Int64List}
    _GROUP = "kind"
    __slots__ = ()


class _Map(ExampleMessage):
    """A message of one map from str to messages."""

    _ENTRY: ClassVar[type]
    __slots__ = ("_map",)

    def __getattr__(self, name):
        if name not in self._FIELDS:
            raise AttributeError(name)
        return self._map

    def _clear(self) -> None:
        self._map = _MessageMap(self)

    def _initialize(self, name, value) -> None:
        self._map.MergeFrom(value)

    def _take(self, number, kind, value) -> bool:
        if number != 1 or kind != _DELIMITED:
            return False
        key, entry = "", self._ENTRY()
        reader = _Reader(value)
        while reader.more():
            number, kind, part, _ = reader.field()
            if (number, kind) == (1, _DELIMITED):
                try:
                    key = part.decode()
                except UnicodeDecodeError as error:
                    raise DecodeError(f"a key is not UTF-8: {error}") from None
            elif (number, kind) == (2, _DELIMITED):
                entry._merge_bytes(part)
        entry._owner = self
        self._map._items[key] = entry
        return True

    def _binary(self, deterministic) -> bytes:
        items = self._map._items.items()
        return b"".join(
            _delimited(1, _delimited(1, key.encode()) + _delimited(2, entry.SerializeToString(deterministic)))
            for key, entry in (sorted(items, key=lambda item: item[0].encode()) if deterministic else items)
        )

    def _merge(self, other) -> None:
        self._map.MergeFrom(other._map)

    def _equals(self, other) -> bool:
        return self._map._items == other._map._items

    def _lines(self) -> list[str]:
        (name,) = self._FIELDS
        lines = []
        for key, entry in self._map._items.items():
            lines += [f"{name} {{", f"  key: {_quoted(key.encode())}"]
            lines += ["  " + line for line in _block("value", entry)] + ["}"]
        return lines


@export("train.Features")
class Features(_Map):
    """Features by name: `feature` is a dict from str to Feature.

    Example:
      >>> import tracefn as tf
      >>> features = tf.train.Features(feature={"x": tf.train.Feature()})
      >>> features.feature["x"].float_list.value.append(0.5)
      >>> list(features.feature)
      ['x']
    """

    _FIELDS: ClassVar = {"feature": 1}
    _ENTRY = Feature
    __slots__ = ()


@export("train.FeatureList")
class FeatureList(ExampleMessage):
    """A list of features: `feature`.

    Example:
      >>> import tracefn as tf
      >>> features = tf.train.FeatureList(feature=[tf.train.Feature()])
      >>> len(features.feature)
      1
    """

    _FIELDS: ClassVar = {"feature": 1}
    _ENTRY = Feature
    __slots__ = ("_feature",)

    @property
    def feature(self):
        """The features, as a list."""
        return self._feature

    def _clear(self) -> None:
        self._feature = _RepeatedMessages(self)

    def _initialize(self, name, value) -> None:
        self._feature.extend(value)

    def _take(self, number, kind, value) -> bool:
        if number != 1 or kind != _DELIMITED:
            return False
        feature = Feature()
        feature._owner = self
        feature._merge_bytes(value)
        self._feature._items.append(feature)
        return True

    def _binary(self, deterministic) -> bytes:
        return b"".join(_delimited(1, feature.SerializeToString(deterministic)) for feature in self._feature)

    def _merge(self, other) -> None:
        self._feature.extend(other._feature)

    def _equals(self, other) -> bool:
        return self._feature == other._feature

    def _lines(self) -> list[str]:
        return [line for feature in self._feature for line in _block("feature", feature)]


@export("train.FeatureLists")
class FeatureLists(_Map):
    """Lists of features by name: `feature_list` is a dict from str to FeatureList.

    Example:
      >>> import tracefn as tf
      >>> lists = tf.train.FeatureLists(feature_list={"x": tf.train.FeatureList()})
      >>> len(lists.feature_list["x"].feature)
      0
    """

    _FIELDS: ClassVar = {"feature_list": 1}
    _ENTRY = FeatureList
    __slots__ = ()


@export("train.Example")
class Example(_Parts):
    """An example for learning: `features`, a Features message.

    Example:
      >>> import tracefn as tf
      >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))
      >>> example = tf.train.Example(features=tf.train.Features(feature={"x": feature}))
      >>> tf.train.Example.FromString(example.SerializeToString()) == example
      True
    """

    _FIELDS: ClassVar = {"features": 1}
    _PARTS: ClassVar = {"features": Features}
    __slots__ = ()


@export("train.SequenceExample")
class SequenceExample(_Parts):
    """A sequence of examples: `context`, a Features message, and `feature_lists`, a FeatureLists message.

    Example:
      >>> import tracefn as tf
      >>> example = tf.train.SequenceExample()
      >>> example.feature_lists.feature_list["x"].feature.add().int64_list.value.append(3)
      >>> print(example.feature_lists)
      feature_list {
        key: "x"
        value {
          feature {
            int64_list {
              value: 3
            }
          }
        }
      }
      <BLANKLINE>
    """

    _FIELDS: ClassVar = {"context": 1, "feature_lists": 2}
    _PARTS: ClassVar = {"context": Features, "feature_lists": FeatureLists}
    __slots__ = ()


__all__ = [
    "BytesList",
    "Example",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "SequenceExample",
]
