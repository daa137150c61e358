"""The contents of repeated fields and of maps."""

from __future__ import annotations

import copy
from collections.abc import MutableMapping, MutableSequence


class Repeated(MutableSequence):
    """The values of a repeated field.

    Args:
      owner: the message that has the field.
      checked: makes of what a program gives a value of the field; raises TypeError or ValueError.
    """

    __slots__ = ("_checked", "_owner", "_values")

    def __init__(self, owner, checked) -> None:
        self._owner, self._checked = owner, checked
        self._values: list = []

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index):
        return self._values[index]

    def __setitem__(self, index, value) -> None:
        self._values[index] = list(map(self._checked, value)) if isinstance(index, slice) else self._checked(value)
        self._owner._touch()

    def __delitem__(self, index) -> None:
        del self._values[index]

    def insert(self, index, value) -> None:
        self._values.insert(index, self._checked(value))
        self._owner._touch()

    def extend(self, values) -> None:
        """Adds values at the end; None adds none."""
        for value in values if values is not None else ():
            self.append(value)

    def sort(self, **options) -> None:
        """Sorts the values as `list.sort` does."""
        self._values.sort(**options)

    def MergeFrom(self, other) -> None:
        """Adds the values of another such field at the end."""
        self.extend(list(other))

    def __eq__(self, other) -> bool:
        return self._values == (other._values if isinstance(other, Repeated) else other)

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo) -> list:
        return copy.deepcopy(self._values, memo)

    def __repr__(self) -> str:
        return repr(self._values)


class RepeatedMessages(Repeated):
    """The messages of a repeated field; what is appended is copied."""

    __slots__ = ()

    def __setitem__(self, index, value) -> None:
        raise TypeError("does not support assignment")

    def add(self, *positional, **fields):
        """Adds a message with these fields, and returns it.

        Raises:
          TypeError, ValueError: as of the message's class.
        """
        self.append(self._checked.message_class(*positional, **fields))
        return self._values[-1]

    def reverse(self) -> None:
        """Turns the order round."""
        self._values.reverse()


class Map(MutableMapping):
    """The entries of a map; reading a key that is not there adds it, with the default value.

    Args:
      owner: the message that has the field.
      key: makes a key of what a program gives; raises TypeError or ValueError.
      checked: the same for values.
      default: makes the default value.
    """

    __slots__ = ("_checked", "_default", "_entries", "_key", "_owner")

    def __init__(self, owner, key, checked, default) -> None:
        self._owner, self._key, self._checked, self._default = owner, key, checked, default
        self._entries: dict = {}

    def __getitem__(self, key):
        key = self._key(key)
        if key not in self._entries:
            self._entries[key] = self._default()
            self._owner._touch()
        return self._entries[key]

    def __setitem__(self, key, value) -> None:
        self._entries[self._key(key)] = self._checked(value)
        self._owner._touch()

    def __delitem__(self, key) -> None:
        if self._key(key) not in self._entries:
            raise KeyError("Key not present in map")
        del self._entries[self._key(key)]

    def __contains__(self, key) -> bool:
        return self._key(key) in self._entries

    def get(self, key, default=None):
        """The value of a key that is there, else `default`."""
        return self._entries.get(self._key(key), default)

    def __iter__(self):
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def MergeFrom(self, other) -> None:
        """Takes the entries of another such map."""
        for key, value in other.items():
            self._entries[key] = copy.deepcopy(value)
        self._owner._touch()

    def __repr__(self) -> str:
        return repr(self._entries)


class MapOfMessages(Map):
    """The entries of a map to messages; those are changed where they are."""

    __slots__ = ()

    def __setitem__(self, key, value) -> None:
        raise ValueError("Message objects may not be assigned")

    def get_or_create(self, key):
        """The message of a key, which is added if it is not there."""
        return self[key]
