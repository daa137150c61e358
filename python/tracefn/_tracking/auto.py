"""`tf.__internal__.tracking.AutoTrackable`: an object whose attributes are its children."""

from __future__ import annotations

import warnings
from typing import Any

from tracefn import _core
from tracefn._tracking.base import Trackable
from tracefn._tracking.structure import NoDependency, sticky_attribute_assignment

_MISSING: Any = object()
_FUNCTIONS = (_core.Function, _core.ConcreteFunction)


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

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        """The children by their names; for a saved model, the functions that are attributes too."""
        if save_type != "savedmodel":
            return super()._trackable_children(save_type, **kwargs)
        functions = _functions_of(self)
        for function in functions.values():
            if isinstance(function, _core.Function):
                function._trackable_children(save_type)  # traces it, which may make Variables, which are children then
        children = super()._trackable_children(save_type, **kwargs)
        # One that is no attribute any more is not saved.
        return {**{name: child for name, child in children.items() if not isinstance(child, _FUNCTIONS)}, **functions}


def _functions_of(value) -> dict:
    """The Functions, and traces of such, that are attributes of an object."""
    found = {}
    for name in dir(value):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                attribute = getattr(value, name, None)
        except Exception:  # a property of the user's class may raise anything; then it is no function
            continue
        if isinstance(attribute, _FUNCTIONS):
            found[name] = attribute
    return found
