"""Dicts whose contents are children."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Mapping as _Mapping

from tracefn._tracking.base import is_trackable
from tracefn._tracking.proxy import proxy_class, reduce_wrapped
from tracefn._tracking.structure import CHANGED_OUTSIDE, NoDependency, TrackableDataStructure, wrap_or_unwrap, wraps

_Proxy = proxy_class()
_DICT = "a dictionary wrapper constructed automatically on attribute assignment"


class Mapping(TrackableDataStructure, _Mapping):
    """A mapping from str to trackable objects, of which none is replaced or deleted.

    Args:
      *args, **kwargs: as for dict.
    """

    def __init__(self, *args, **kwargs) -> None:
        super().__init__()
        self._storage: dict = {}
        self.update(*args, **kwargs)

    def __copy__(self):
        return type(self)(copy.copy(self._storage))

    def __deepcopy__(self, memo):
        return type(self)(copy.deepcopy(self._storage, memo))

    @property
    def _values(self):
        return [value for _, value in sorted(self._storage.items(), key=lambda item: item[0])]

    def __setitem__(self, key, value) -> None:
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        value = self._track_value(value, key)
        current = self._storage.setdefault(key, value)
        if current is not value:
            raise ValueError(
                f"Mappings are an append-only data structure. Tried to overwrite the key '{key}' with value {value}, but it "
                f"already contains {current}"
            )

    def update(self, *args, **kwargs) -> None:
        """Adds keys and values."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __getitem__(self, key):
        return self._storage[key]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self):
        return iter(self._storage)

    def __repr__(self) -> str:
        return f"Mapping({self._storage!r})"


@wraps(dict, OrderedDict)
class _DictWrapper(TrackableDataStructure, _Proxy):  # type: ignore[misc, valid-type]
    """A dict set as an attribute: it works on that dict, and what is in it are children.

    Args:
      wrapped_dict: dict, or the pairs of one; None for an empty one.
    """

    def __init__(self, wrapped_dict=None) -> None:
        wrapped = {} if wrapped_dict is None else wrapped_dict
        _Proxy.__init__(self, wrapped if isinstance(wrapped, _Mapping) else dict(wrapped))
        TrackableDataStructure.__init__(self)
        self._self_non_string_key = False
        self._self_external_modification = False
        tracked = {key: self._tracked(value, key) for key, value in self.__wrapped__.items()}
        self.__wrapped__.update(tracked)
        self._update_snapshot()

    __reduce_ex__ = reduce_wrapped

    def copy(self):
        """A copy with the same contents."""
        return copy.copy(self)

    def __copy__(self):
        return self._with_marks(_DictWrapper(copy.copy(self.__wrapped__)))

    def __deepcopy__(self, memo):
        return self._with_marks(_DictWrapper(copy.deepcopy(self.__wrapped__, memo)))

    def _with_marks(self, copied):
        copied._self_external_modification = self._self_external_modification
        copied._self_non_string_key = self._self_non_string_key
        return copied

    @property
    def _values(self):
        return [value for _, value in sorted(self.__wrapped__.items(), key=lambda item: item[0])]

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        self._check_external_modification()
        if self._self_non_string_key:
            raise ValueError(
                f"Unable to save the object {self} ({_DICT}). The wrapped dictionary contains a non-string key which maps to "
                "a trackable object or mutable data structure.\n\nIf you don't need this dictionary checkpointed, wrap it in a "
                "non-trackable object; it will be subsequently ignored."
            )
        if self._self_external_modification:
            raise ValueError(CHANGED_OUTSIDE.format(
                self, _DICT, kind="dictionary", now=self, before=self._self_last_wrapped_dict_snapshot, wrapper="non-trackable"
            ))
        return super()._trackable_children(save_type, **kwargs)

    def _check_external_modification(self) -> None:
        before = self._self_last_wrapped_dict_snapshot
        if not self._self_external_modification:
            now = self.__wrapped__
            same = now.keys() == before.keys() and all(now[key] is value for key, value in before.items())
            self._self_external_modification = not same

    def _update_snapshot(self) -> None:
        if not self._self_external_modification:
            self._self_last_wrapped_dict_snapshot = dict(self.__wrapped__)

    def _tracked(self, value, key):
        """The value to store, as a child if it can be one and has a name."""
        if isinstance(key, str):
            return self._track_or_keep(value, key)
        stored = wrap_or_unwrap(value)
        if is_trackable(stored) and not isinstance(value, NoDependency):
            self._self_non_string_key = True
        return stored

    def __setitem__(self, key, value) -> None:
        self._check_external_modification()
        self.__wrapped__[key] = self._tracked(value, key)
        self._update_snapshot()

    def __delitem__(self, key) -> None:
        self._check_external_modification()
        del self.__wrapped__[key]
        self._update_snapshot()

    def update(self, *args, **kwargs) -> None:
        """Sets keys and values."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __ior__(self, other):
        self.update(other)
        return self

    def __repr__(self) -> str:
        return f"DictWrapper({self.__wrapped__!r})"

    def __hash__(self):
        raise TypeError("unhashable type: 'DictWrapper'")

    def __eq__(self, other):
        return self.__wrapped__ == getattr(other, "__wrapped__", other)

    def __ne__(self, other):
        return not self == other
