"""Lists of numbers, lists of messages and maps of messages, which hold the values of `tf.train.Example` messages."""

from __future__ import annotations

import functools
import struct
from collections.abc import MutableMapping, MutableSequence
from typing import Any, NamedTuple

from tracefn import _numpy as np
from tracefn._wire import (
    DELIMITED,
    FIXED32,
    VARINT,
    as_bytes_value,
    as_float32,
    as_int64,
    delimited,
    float_text,
    quoted,
    read_floats,
    read_ints,
    varint,
)
from tracefn.ops import example_descriptors


class Element(NamedTuple):
    """How the elements of a list of numbers or bytes are checked, written, read and shown."""

    check: Any
    write: Any  # all of them, as bytes of the field `value`
    wires: frozenset
    read: Any  # a field's elements
    text: Any
    dtype: str  # of a NumPy array of them


INT64 = Element(
    as_int64,
    lambda values: delimited(1, b"".join(map(varint, values))),
    frozenset((VARINT, DELIMITED)),
    read_ints,
    str,
    "int64",
)
FLOAT = Element(
    as_float32,
    lambda values: delimited(1, struct.pack(f"<{len(values)}f", *values)),
    frozenset((FIXED32, DELIMITED)),
    read_floats,
    float_text,
    "float32",
)
BYTES = Element(
    as_bytes_value,
    lambda values: b"".join(delimited(1, value) for value in values),
    frozenset((DELIMITED,)),
    lambda kind, value: [value],
    quoted,
    "S",
)


class Repeated(MutableSequence):
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
        try:
            given = iter(values)
        except TypeError:
            raise TypeError("must assign iterable") from None
        # Its owner is present afterwards even if there are no values.
        self._items.extend([self._checked(v) for v in given])
        self._owner._touch()

    def MergeFrom(self, other):
        """Appends the elements of another list."""
        self.extend(other)

    def sort(self, **options):
        """Sorts the list."""
        self._items.sort(**options)

    def __eq__(self, other):
        if isinstance(other, Repeated):
            return self._items == other._items
        return self._items == other if isinstance(other, list) else NotImplemented

    def __repr__(self) -> str:
        return repr(self._items)


class RepeatedScalarContainer(Repeated):
    """A list of numbers or bytes, with protobuf's name; as an array, it has the dtype of the field."""

    __slots__ = ()

    def __array__(self, dtype=None, copy=None):
        del copy  # the array is new, even if another one was asked for, as protobuf's is
        return np.array(self._items, self._owner._ELEMENT.dtype if dtype is None else dtype)


class RepeatedCompositeContainer(Repeated):
    """A list of messages, which are copied when they are added."""

    __slots__ = ()

    def _checked(self, value):
        return copied(self._owner._ENTRY, value, self._owner)

    def __setitem__(self, i, value):
        raise TypeError(f"'{type(self).__name__}' object does not support item assignment")

    def add(self, **fields):
        """Appends a new message with these fields, and returns it."""
        self.append(self._owner._ENTRY(**fields))
        return self._items[-1]


class MessageMap(MutableMapping):
    """A dict from str to messages in a message; reading a missing key makes a message."""

    __slots__ = ("_items", "_owner")

    def __init__(self, owner) -> None:
        self._owner = owner
        self._items: dict = {}

    def __getitem__(self, key):
        if key not in self._items:
            self._put(key, self._owner._ENTRY())
        return self._items[key]

    def GetEntryClass(self):
        """What makes an entry, as protobuf's own message, of a key and a value."""
        (field,) = self._owner._FIELDS
        return functools.partial(example_descriptors.map_entry, type(self._owner).__name__, field)

    def get_or_create(self, key):
        """The message under a key."""
        return self[key]

    def get(self, key, default=None):
        """The message under a key, or the default."""
        return self._items.get(key, default)

    def _put(self, key, message):
        if not isinstance(key, str):
            raise TypeError("bad argument type for built-in operation")
        self._items[key] = copied(self._owner._ENTRY, message, self._owner)
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


def copied(kind, value, owner):
    """A copy of a message for a place in another one."""
    if isinstance(value, dict):
        value = kind(**value)
    if type(value) is not kind:
        raise TypeError(f"Parameter to CopyFrom() must be instance of same class: expected {kind} got {type(value)}.")
    copy = kind()
    copy.MergeFrom(value)
    copy._owner = owner
    return copy
