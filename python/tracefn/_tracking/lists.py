"""Lists whose contents are children."""

from __future__ import annotations

import copy
import sys
from collections.abc import MutableSequence, Sequence
from typing import Any

from tracefn import _core
from tracefn._tracking.base import is_trackable
from tracefn._tracking.structure import CHANGED_OUTSIDE, TrackableDataStructure, wraps


class List(TrackableDataStructure, Sequence):
    """A sequence of trackable objects that only grows.

    Args:
      *args: as for list.
    """

    def __init__(self, *args, **kwargs) -> None:
        super().__init__()
        self._storage = self._make_storage(*args, **kwargs)
        for index, element in enumerate(self._storage):
            self._storage[index] = self._track_value(element, str(index))

    def _make_storage(self, *args, **kwargs) -> list:
        return list(*args, **kwargs)

    def copy(self):
        """A copy with the same contents."""
        return type(self)(copy.copy(self._storage))

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return type(self)(copy.deepcopy(self._storage, memo))

    @property
    def _values(self):
        return self

    def append(self, value) -> None:
        """Adds a value at the end."""
        self._storage.append(self._track_value(value, str(len(self._storage))))

    def extend(self, values) -> None:
        """Adds values at the end."""
        for value in values:
            self.append(value)

    def __iadd__(self, values):
        self.extend(values)
        return self

    def __add__(self, other):
        return self._storage + getattr(other, "_storage", other)

    def __radd__(self, other):
        return other + self._storage

    def __imul__(self, count):
        if count <= 0:
            raise ValueError(f"List only supports append, multiplying in place by {count} removes elements.")
        self.extend(list(self._storage) * (count - 1))
        return self

    def __mul__(self, count):
        return self._storage * count

    __rmul__ = __mul__

    def __getitem__(self, key):
        return self._storage[key]

    def __len__(self) -> int:
        return len(self._storage)

    def __repr__(self) -> str:
        return f"List({self._storage!r})"

    def __sizeof__(self) -> int:
        return super().__sizeof__() + sys.getsizeof(self._storage)


_REPLACED = (
    "Unable to save the object {} (a list wrapper constructed to track trackable TensorFlow objects). A list element was "
    "replaced (__setitem__, __setslice__), deleted (__delitem__, __delslice__), or moved (sort). In order to support "
    "restoration on object creation, tracking is exclusively for append-only data structures.\n\nIf you don't need this list "
    "checkpointed, wrap it in a non-trackable object; it will be subsequently ignored."
)
_LIST = "a list wrapper constructed to track trackable TensorFlow objects"


_list: Any = list  # type checkers find its methods at odds with those of a sequence


@wraps(list)
class ListWrapper(List, MutableSequence, _list):
    """A list set as an attribute: it works on that list, and what is in it are children.

    It is a subclass of list, whose own storage has the same contents for code that reads it directly. What was changed other
    than at the end is remembered, for such a list cannot be saved.

    Args:
      wrapped_list: list.
    """

    def __init__(self, wrapped_list) -> None:
        self._non_append_mutation = False
        self._external_modification = False
        super().__init__(wrapped_list)
        self._update_snapshot()

    def _make_storage(self, wrapped_list) -> list:
        return wrapped_list

    def __copy__(self):
        return self._with_marks(super().__copy__())

    def __deepcopy__(self, memo):
        return self._with_marks(super().__deepcopy__(memo))

    def _with_marks(self, copied):
        copied._non_append_mutation = self._non_append_mutation
        copied._external_modification = self._external_modification
        return copied

    def __reduce_ex__(self, protocol):
        return type(self), (self._storage,)

    def __tf_tensor__(self, dtype=None, name=None):
        # The core would read the storage of the base class, which a change of the given list does not reach.
        return _core.convert_to_tensor(list(self._storage), dtype=dtype, name=name)

    def _check_external_modification(self) -> None:
        if not self._external_modification and not self._non_append_mutation:
            self._external_modification = not _same(self._storage, self._last_wrapped_list_snapshot)

    def _update_snapshot(self) -> None:
        """Takes note of the contents, also in the storage of the base class."""
        list.__setitem__(self, slice(None), self._storage)
        if not self._external_modification and not self._non_append_mutation:
            self._last_wrapped_list_snapshot = list(self._storage)

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        self._check_external_modification()
        if self._non_append_mutation:
            raise ValueError(_REPLACED.format(self))
        if self._external_modification:
            raise ValueError(CHANGED_OUTSIDE.format(
                self, _LIST, kind="list", now=self._storage, before=self._last_wrapped_list_snapshot, wrapper="NoDependency"
            ))
        return super()._trackable_children(save_type, **kwargs)

    def _moves_trackables(self) -> bool:
        return any(map(is_trackable, self._storage))

    def _track_value(self, value, name):
        return self._track_or_keep(value, name)

    def _changes(self, moves: bool) -> None:
        """Before a change: `moves` says whether a child may get another place."""
        self._check_external_modification()
        self._non_append_mutation = self._non_append_mutation or moves

    def __delitem__(self, key) -> None:
        self._changes(self._moves_trackables())
        del self._storage[key]
        self._update_snapshot()

    def __setitem__(self, key, value) -> None:
        if isinstance(key, slice):
            before = list(self._storage)
            self._changes(any(map(is_trackable, before)))
            self._storage[key] = value
            for i, item in enumerate(self._storage):
                if i >= len(before) or item is not before[i]:
                    self._storage[i] = self._track_value(item, str(i))
        else:
            self._changes(is_trackable(self._storage[key]))
            self._storage[key] = self._track_value(value, str(key))
        self._update_snapshot()

    def append(self, value) -> None:
        """Adds a value at the end."""
        self._check_external_modification()
        super().append(value)
        self._update_snapshot()

    def extend(self, values) -> None:
        """Adds values at the end."""
        self._check_external_modification()
        for value in list(values):
            super().append(value)
        self._update_snapshot()

    def insert(self, index, obj) -> None:
        """Adds a value before an index."""
        self._changes(self._moves_trackables() or is_trackable(obj))
        self._storage.insert(index, obj)
        self._update_snapshot()

    def sort(self, *, key=None, reverse=False) -> None:
        """Sorts in place."""
        self._changes(self._moves_trackables())
        self._storage.sort(key=key, reverse=reverse)
        self._update_snapshot()

    def __imul__(self, count):
        if count > 0:
            return super().__imul__(count)
        self._changes(self._moves_trackables())
        self._storage *= count
        self._update_snapshot()
        return self

    def __eq__(self, other):
        return self._storage == getattr(other, "_storage", other)

    def __ne__(self, other):
        return self._storage != getattr(other, "_storage", other)

    def __lt__(self, other):
        return self._storage < getattr(other, "_storage", other)

    def __le__(self, other):
        return self._storage <= getattr(other, "_storage", other)

    def __gt__(self, other):
        return self._storage > getattr(other, "_storage", other)

    def __ge__(self, other):
        return self._storage >= getattr(other, "_storage", other)

    def __hash__(self):
        raise TypeError("unhashable type: 'ListWrapper'")

    def __repr__(self) -> str:
        return f"ListWrapper({self._storage!r})"


def _same(one, other) -> bool:
    """Whether containers hold the same objects; equality would compare tensors by their elements."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
