"""`tensorflow.python.util.object_identity`: sets and dicts whose keys are compared by identity."""

from __future__ import annotations

import collections.abc
import weakref

__all__ = [
    "ObjectIdentityDictionary",
    "ObjectIdentitySet",
    "ObjectIdentityWeakKeyDictionary",
    "ObjectIdentityWeakSet",
    "Reference",
]


class _Wrapper:
    """An object that is equal to another if both wrap the same one."""

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped) -> None:
        self._wrapped = wrapped

    @property
    def unwrapped(self):
        """The object."""
        return self._wrapped

    def __eq__(self, other):
        if not isinstance(other, _Wrapper):
            raise TypeError(f"Cannot compare wrapped object with unwrapped object. Expect the object to be "
                            f"`_ObjectIdentityWrapper`. Got: {other}")
        return self.unwrapped is other.unwrapped

    def __hash__(self):
        return id(self._wrapped)

    def __repr__(self):
        return f"<{type(self).__name__} wrapping {self.unwrapped!r}>"


class Reference(_Wrapper):
    """Refers to an object; two of the same object are equal.

    Example:
      >>> from tracefn.python.util.object_identity import Reference
      >>> x = [1]
      >>> Reference(x) == Reference(x), Reference(x) == Reference([1]), Reference(x).deref()
      (True, False, [1])
    """

    __slots__ = ()

    @property
    def unwrapped(self):
        """Not there: `deref()` gives the object."""
        raise AttributeError("'Reference' object has no attribute 'unwrapped'")

    def deref(self):
        """The object."""
        return self._wrapped

    def __eq__(self, other):
        return isinstance(other, _Wrapper) and self._wrapped is other._wrapped

    __hash__ = _Wrapper.__hash__

    def __repr__(self):
        return f"<Reference wrapping {self._wrapped!r}>"


class _WeakWrapper(_Wrapper):
    """The same with a weak reference."""

    __slots__ = ("_hash",)

    def __init__(self, wrapped) -> None:
        super().__init__(weakref.ref(wrapped))
        self._hash = id(wrapped)

    @property
    def unwrapped(self):
        """The object, or None when it is gone."""
        return self._wrapped()

    def __eq__(self, other):
        mine = self.unwrapped
        return self is other if mine is None else isinstance(other, _Wrapper) and mine is other.unwrapped

    def __hash__(self):
        return self._hash


class ObjectIdentityDictionary(collections.abc.MutableMapping):
    """A dict whose keys are compared by identity, and need not be hashable.

    Example:
      >>> from tracefn.python.util.object_identity import ObjectIdentityDictionary
      >>> key = [1]
      >>> table = ObjectIdentityDictionary()
      >>> table[key] = "a"
      >>> table[key], [1] in table
      ('a', False)
    """

    __slots__ = ("__weakref__", "_storage")
    _wrap: type = _Wrapper

    def __init__(self) -> None:
        self._storage: dict = {}

    def __getitem__(self, key):
        return self._storage[self._wrap(key)]

    def __setitem__(self, key, value):
        self._storage[self._wrap(key)] = value

    def __delitem__(self, key):
        del self._storage[self._wrap(key)]

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        for key in self._storage:
            yield key.unwrapped

    def __repr__(self):
        return f"{type(self).__name__}({self._storage!r})"


def _drop_dead(storage) -> None:
    """Removes the entries whose objects are gone."""
    for key in [key for key in storage if key.unwrapped is None]:
        storage.pop(key) if isinstance(storage, dict) else storage.discard(key)


class _WeaklyHeld:
    """A collection that forgets the objects that are gone."""

    __slots__ = ()

    def __len__(self):
        _drop_dead(self._storage)
        return len(self._storage)

    def __iter__(self):
        _drop_dead(self._storage)
        return super().__iter__()


class ObjectIdentityWeakKeyDictionary(_WeaklyHeld, ObjectIdentityDictionary):
    """The same with weak references to its keys."""

    __slots__ = ()
    _wrap = _WeakWrapper


class ObjectIdentitySet(collections.abc.MutableSet):
    """A set of objects that are compared by identity.

    Args:
      *args: at most one iterable of the objects.
    """

    __slots__ = ("__weakref__", "_storage")
    _wrap: type = _Wrapper

    def __init__(self, *args) -> None:
        self._storage = {self._wrap(item) for items in args for item in items}

    @classmethod
    def _from_iterable(cls, it):
        return cls(it)

    def __contains__(self, key) -> bool:
        return self._wrap(key) in self._storage

    def add(self, key) -> None:
        """Adds an object."""
        self._storage.add(self._wrap(key))

    def discard(self, key) -> None:
        """Removes an object, if it is there."""
        self._storage.discard(self._wrap(key))

    def update(self, items) -> None:
        """Adds the objects of an iterable."""
        self._storage.update(self._wrap(item) for item in items)

    def clear(self) -> None:
        """Removes all objects."""
        self._storage.clear()

    def intersection(self, items):
        """The objects that are also in an iterable."""
        return self._from_iterable(item for item in items if item in self)

    def difference(self, items):
        """The objects that are not in an iterable."""
        others = self._from_iterable(items)
        return self._from_iterable(item for item in self if item not in others)

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        for key in list(self._storage):
            yield key.unwrapped


class ObjectIdentityWeakSet(_WeaklyHeld, ObjectIdentitySet):
    """The same with weak references."""

    __slots__ = ()
    _wrap = _WeakWrapper
