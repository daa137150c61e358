"""`ImmutableDict`, the value of a field annotated as a mapping."""

from __future__ import annotations

from collections.abc import Mapping


class ImmutableDict(Mapping):
    """A mapping that cannot be changed.

    >>> d = ImmutableDict({"a": 1})
    >>> d["a"], d == {"a": 1}
    (1, True)
    """

    __slots__ = ("_items",)

    def __init__(self, *args, **kwargs):
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key):
        return self._items[key]

    def __contains__(self, key):
        return key in self._items

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __reduce__(self):
        return ImmutableDict, (self._items,)

    def __repr__(self):
        return f"ImmutableDict({self._items})"
