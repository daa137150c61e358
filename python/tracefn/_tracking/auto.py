"""`tf.__internal__.tracking.AutoTrackable`: an object whose attributes are its children."""

from __future__ import annotations

from typing import Any

from tracefn._tracking.base import Trackable
from tracefn._tracking.data_structures import NoDependency, sticky_attribute_assignment

_MISSING: Any = object()


class AutoTrackable(Trackable):
    """An object whose attributes are its children; lists and dicts set as attributes are wrapped, so that theirs are too.

    Example:
      >>> import tracefn as tf
      >>> holder = tf.__internal__.tracking.AutoTrackable()
      >>> holder.parts = [tf.Variable(1.0)]
      >>> sorted(holder._trackable_children()), type(holder.parts).__name__
      (['parts'], 'ListWrapper')
    """

    def __setattr__(self, name, value) -> None:
        if self.__dict__.get(name, _MISSING) is value:
            return
        if getattr(self, "_self_setattr_tracking", True):
            value = sticky_attribute_assignment(self, name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name) -> None:
        self._delete_tracking(name)
        super().__delattr__(name)

    def _no_dependency(self, value):
        return NoDependency(value)
