"""Lists, dicts and tuples whose contents are children: what a `tf.Module` makes of those that are set as its attributes."""

from __future__ import annotations

import copy
import sys
from collections import OrderedDict
from collections.abc import Mapping as _Mapping
from collections.abc import MutableSequence, Sequence
from typing import Any

from tracefn import _core
from tracefn._known_variables import variable_class
from tracefn._logging import get_logger
from tracefn._tracking.base import Trackable, is_trackable
from tracefn._tracking.proxy import ObjectProxy


class NoDependency:
    """A value that is set as an attribute without becoming a child: the attribute is the value itself.

    Args:
      value: anything.
    """

    __slots__ = ("value",)

    def __init__(self, value) -> None:
        self.value = value


def _holds_trackables(values) -> bool:
    """Whether a tuple has contents to track or to unwrap, at any depth of tuples."""
    return any(
        isinstance(value, NoDependency)
        or is_trackable(value)
        or type(value) in (dict, OrderedDict, list)
        or isinstance(value, tuple)
        and _holds_trackables(value)
        for value in values
    )


def wrap_or_unwrap(value):
    """A container as one whose contents are tracked; the value of a NoDependency; anything else as it is.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.tracking.wrap([1, 2])
      ListWrapper([1, 2])
    """
    if isinstance(value, NoDependency):
        return value.value
    if isinstance(value, Trackable):
        return value
    kind = type(value)
    if kind is dict or kind is OrderedDict:
        return _DictWrapper(value)
    if kind is list:
        return ListWrapper(value)
    if isinstance(value, tuple) and _holds_trackables(value):
        return _TupleWrapper(value)
    return value


def sticky_attribute_assignment(trackable, name, value):
    """What to store in an attribute: the value, wrapped if it is a container. It becomes a child if it can.

    Args:
      trackable: the object with the attribute.
      name: str.
      value: anything; NoDependency for one that is no child.
    """
    stored = wrap_or_unwrap(value)
    if is_trackable(stored) and not isinstance(value, NoDependency):
        trackable._track_trackable(stored, name=name, overwrite=True)
    return stored


class _UntrackableError(ValueError):
    def __init__(self, value) -> None:
        super().__init__(value)
        self._value = value

    def __str__(self) -> str:
        return (
            "Only trackable objects (such as Layers or Optimizers) may be stored in a List object. Got "
            f"{self._value}, which does not inherit from Trackable."
        )


class TrackableDataStructure(Trackable):
    """The base of containers whose contents are children."""

    _self_trainable = True

    def __init__(self) -> None:
        self._self_trainable = True
        self._self_extra_variables: list = []

    @property
    def trainable(self) -> bool:
        """Whether Variables in it count as trainable."""
        return self._self_trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._self_trainable = value

    def _track_value(self, value, name):
        """The value to store, as a child.

        Raises:
          ValueError: it is no Trackable.
        """
        stored = sticky_attribute_assignment(self, name, value)
        if not is_trackable(stored):
            raise _UntrackableError(stored)
        if isinstance(stored, variable_class()):
            self._self_extra_variables.append(stored)
        return stored

    def _track_or_keep(self, value, name):
        """The value to store, as a child if it can be one.

        A saved value that waits for this place and has another shape is left out, with a warning: TensorFlow's lists and
        dicts take the child all the same.
        """
        try:
            stored = sticky_attribute_assignment(self, name, value)
        except ValueError as error:
            get_logger().warning("What a checkpoint has for %r is left out: %s", name, error)
            stored = sticky_attribute_assignment(self, name, value)
        if isinstance(stored, variable_class()):
            self._self_extra_variables.append(stored)
        return stored

    @property
    def _values(self):
        raise NotImplementedError("Abstract method")

    def _of_parts(self, name: str) -> list:
        return [
            variable for part in self._values if isinstance(part, Trackable) and hasattr(part, name)
            for variable in getattr(part, name)
        ]  # fmt: skip

    @property
    def trainable_weights(self) -> list:
        """The trainable Variables in it, and in what it holds."""
        if not self._self_trainable:
            return []
        return self._of_parts("trainable_variables") + [v for v in self._self_extra_variables if v.trainable]

    @property
    def non_trainable_weights(self) -> list:
        """The other Variables."""
        mine = self._self_extra_variables
        frozen = self._of_parts("non_trainable_variables") + [v for v in mine if not v.trainable]
        if self._self_trainable:
            return frozen
        return self._of_parts("trainable_variables") + [v for v in mine if v.trainable] + frozen

    @property
    def weights(self) -> list:
        """All Variables in it, and in what it holds, the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights
    variables = weights

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other


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
_CHANGED_OUTSIDE = (
    "Unable to save the object {} ({}). The wrapped {kind} was modified outside the wrapper (its final value was {now}, its value "
    "when a checkpoint dependency was added was {before}), which breaks restoration on object creation.\n\nIf you don't need "
    "this {kind} checkpointed, wrap it in a {wrapper} object; it will be subsequently ignored."
)
_LIST = "a list wrapper constructed to track trackable TensorFlow objects"
_DICT = "a dictionary wrapper constructed automatically on attribute assignment"


_list: Any = list  # type checkers find its methods at odds with those of a sequence


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
            raise ValueError(_CHANGED_OUTSIDE.format(
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


class _DictWrapper(TrackableDataStructure, ObjectProxy):
    """A dict set as an attribute: it works on that dict, and what is in it are children.

    Args:
      wrapped_dict: dict, or the pairs of one; None for an empty one.
    """

    def __init__(self, wrapped_dict=None) -> None:
        wrapped = {} if wrapped_dict is None else wrapped_dict
        ObjectProxy.__init__(self, wrapped if isinstance(wrapped, _Mapping) else dict(wrapped))
        TrackableDataStructure.__init__(self)
        self._self_non_string_key = False
        self._self_external_modification = False
        tracked = {key: self._tracked(value, key) for key, value in self.__wrapped__.items()}
        self.__wrapped__.update(tracked)
        self._update_snapshot()

    def __reduce_ex__(self, protocol):
        return type(self), (self.__wrapped__,)

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
            raise ValueError(_CHANGED_OUTSIDE.format(
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


class _TupleWrapper(TrackableDataStructure, ObjectProxy):
    """A tuple set as an attribute: what is in it are children, by index, and in a namedtuple also by name.

    Args:
      original_wrapped_tuple: tuple; a list of elements stands for one.
    """

    def __init__(self, original_wrapped_tuple=()) -> None:
        original = original_wrapped_tuple
        stored = [wrap_or_unwrap(element) for element in original]
        fields = getattr(original, "_fields", None)
        is_constructable = True
        kind = type(original) if isinstance(original, tuple) else tuple
        if fields is None:
            wrapped = kind(stored)
        else:
            try:
                wrapped = kind(**dict(zip(fields, stored, strict=True)))
            except TypeError:
                wrapped, is_constructable = original, False
        ObjectProxy.__init__(self, wrapped)
        TrackableDataStructure.__init__(self)
        self._self_tuple_is_constructable = is_constructable
        if not is_constructable:
            return
        names = [str(index) for index in range(len(stored))]
        for given, element, *named in zip(original, wrapped, names, *([fields] if fields else []), strict=True):
            if isinstance(given, NoDependency):
                continue
            for name in reversed(named):
                sticky_attribute_assignment(self, name, element)
            if isinstance(element, variable_class()):
                self._self_extra_variables.append(element)

    @property
    def _values(self):
        return self.__wrapped__

    def _as_function_result(self):
        return self.__wrapped__

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        if not self._self_tuple_is_constructable:
            raise ValueError(
                f"Unable to save because the namedtuple {self.__wrapped__} is not constructable from its _fields (i.e. "
                f"__new__ is overridden). Expected keyword arguments {self.__wrapped__._fields}. If you do not need to save "
                "this object, consider wrapping it in a custom object that does not inherit from tuple."
            )
        return super()._trackable_children(save_type, **kwargs)

    def __repr__(self) -> str:
        return f"_TupleWrapper({self.__wrapped__!r})"

    def __hash__(self):
        return hash(self.__wrapped__)

    def __eq__(self, other):
        return self.__wrapped__ == getattr(other, "__wrapped__", other)

    def __ne__(self, other):
        return not self == other

    def __copy__(self):
        return _TupleWrapper(copy.copy(self.__wrapped__))

    def __deepcopy__(self, memo):
        return _TupleWrapper(copy.deepcopy(self.__wrapped__, memo))

    def __reduce_ex__(self, protocol):
        return type(self), (self.__wrapped__,)

    def __imul__(self, count):
        return self.__wrapped__ * count

    def __iadd__(self, other):
        return self.__wrapped__ + other
