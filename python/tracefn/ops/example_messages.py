"""`tf.train.Example` and the messages in it, without protobuf: they are made, changed, serialized and read as its classes are."""

from __future__ import annotations

from typing import ClassVar

from tracefn._export import export
from tracefn._wire import DELIMITED, DecodeError, delimited, fields_of, quoted
from tracefn.ops.example_containers import (
    BYTES,
    FLOAT,
    INT64,
    Element,
    MessageMap,
    RepeatedCompositeContainer,
    RepeatedScalarContainer,
)
from tracefn.ops.example_message import ExampleMessage, block


class _Values(ExampleMessage):
    """A message of one list of values."""

    _FIELDS: ClassVar = {"value": 1}
    _ELEMENT: ClassVar[Element]
    __slots__ = ("_value",)

    @property
    def value(self):
        """The values, as a list."""
        return self._value

    def _clear(self) -> None:
        self._value = RepeatedScalarContainer(self)

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

    _ELEMENT = BYTES
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

    _ELEMENT = FLOAT
    __slots__ = ()


@export("train.Int64List")
class Int64List(_Values):
    """A list of int64 numbers: `value`.

    Example:
      >>> import tracefn as tf
      >>> tf.train.Int64List(value=[1, 2]).value
      [1, 2]
    """

    _ELEMENT = INT64
    __slots__ = ()


class _Parts(ExampleMessage):
    """A message of messages, which are made when they are first read, and present once they are changed."""

    _PARTS: ClassVar[dict[str, type]]
    _IS_MADE_OF_MESSAGES = True
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
            raise TypeError(
                "Parameter to initialize message field must be dict or instance of same class: expected "
                f"{kind} got {type(value)}."
            )
        getattr(self, name).CopyFrom(value)

    def _take(self, number, kind, value) -> bool:
        for name, known in self._FIELDS.items():
            if number == known and kind == DELIMITED:
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
            delimited(self._FIELDS[name], part.SerializeToString(deterministic)) for name, part in self._present_parts()
        )

    def _merge(self, other) -> None:
        for name, part in other._present_parts():
            getattr(self, name).MergeFrom(part)

    def _equals(self, other) -> bool:
        return self._present_parts() == other._present_parts()

    def _lines(self) -> list[str]:
        return [line for name, part in self._present_parts() for line in block(name, part)]


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
        self._map = MessageMap(self)

    def _initialize(self, name, value) -> None:
        self._map.MergeFrom(value)

    def _take(self, number, kind, value) -> bool:
        if number != 1 or kind != DELIMITED:
            return False
        key, entry = "", self._ENTRY()
        for number, kind, part, _ in fields_of(value):
            if (number, kind) == (1, DELIMITED):
                try:
                    key = part.decode()
                except UnicodeDecodeError as error:
                    raise DecodeError(f"a key is not UTF-8: {error}") from None
            elif (number, kind) == (2, DELIMITED):
                entry._merge_bytes(part)
        entry._owner = self
        self._map._items[key] = entry
        return True

    def _binary(self, deterministic) -> bytes:
        items = self._map._items.items()
        return b"".join(
            delimited(1, delimited(1, key.encode()) + delimited(2, entry.SerializeToString(deterministic)))
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
            lines += [f"{name} {{", f"  key: {quoted(key.encode())}"]
            lines += ["  " + line for line in block("value", entry)] + ["}"]
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
        self._feature = RepeatedCompositeContainer(self)

    def _initialize(self, name, value) -> None:
        self._feature.extend(value)

    def _take(self, number, kind, value) -> bool:
        if number != 1 or kind != DELIMITED:
            return False
        feature = Feature()
        feature._owner = self
        feature._merge_bytes(value)
        self._feature._items.append(feature)
        return True

    def _binary(self, deterministic) -> bytes:
        return b"".join(delimited(1, feature.SerializeToString(deterministic)) for feature in self._feature)

    def _merge(self, other) -> None:
        self._feature.extend(other._feature)

    def _equals(self, other) -> bool:
        return self._feature == other._feature

    def _lines(self) -> list[str]:
        return [line for feature in self._feature for line in block("feature", feature)]


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
