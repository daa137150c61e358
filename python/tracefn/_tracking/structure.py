"""What containers have in common whose contents are children, and which container stands for a list, dict or tuple."""

from __future__ import annotations

import importlib
from collections import OrderedDict
from collections.abc import Callable

from tracefn._known_variables import variable_class
from tracefn._logging import get_logger
from tracefn._tracking.base import Trackable, is_trackable

# The files of the classes that wrap containers, by the containers' types; and these classes, which their files add.
_FILES: dict[type, str] = {list: "lists", dict: "mappings", OrderedDict: "mappings", tuple: "tuples"}
_wrappers: dict[type, Callable] = {}


def wraps(*kinds: type):
    """Decorator: the class wraps containers of these types, or, for tuple, of its subclasses."""

    def register(cls):
        _wrappers.update(dict.fromkeys(kinds, cls))
        return cls

    return register


def _wrapper_of(kind: type) -> Callable:
    if kind not in _wrappers:
        importlib.import_module(f"tracefn._tracking.{_FILES[kind]}")  # start-up time: few programs have all of them
    return _wrappers[kind]


# What an error says of a container that was changed behind its wrapper's back.
CHANGED_OUTSIDE = (
    "Unable to save the object {} ({}). The wrapped {kind} was modified outside the wrapper (its final value was {now}, its value "
    "when a checkpoint dependency was added was {before}), which breaks restoration on object creation.\n\nIf you don't need "
    "this {kind} checkpointed, wrap it in a {wrapper} object; it will be subsequently ignored."
)


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
    if isinstance(value, tuple):
        return _wrapper_of(tuple)(value) if _holds_trackables(value) else value
    return _wrapper_of(type(value))(value) if type(value) in _FILES else value


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
