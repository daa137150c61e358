"""The objects that those of a loaded model become."""

from __future__ import annotations

from tracefn._saved_model import revived_types
from tracefn._saved_model.signatures import SignatureMap
from tracefn._tracking.auto import AutoTrackable
from tracefn._tracking.lists import ListWrapper
from tracefn._tracking.mappings import _DictWrapper


class UserObject(AutoTrackable):
    """An object of a loaded model: what was saved of it are its attributes."""


def _user_class() -> type:
    """A class of its own for each object, since `__call__` belongs to the class."""
    return type("_UserObject", (UserObject,), {"__module__": __name__, "__doc__": UserObject.__doc__})


def _call(self, *args, **kwargs):
    return self.__dict__["__call__"](*args, **kwargs)


def _set_attribute(parent, name: str, child) -> None:
    setattr(parent, name, child)
    if name == "__call__":
        type(parent).__call__ = _call


def _set_item(parent, name: str, child) -> None:
    """Sets an item of a list: what is in front of it and was not saved is None. Names of fields are not needed."""
    if name.isdecimal():
        index = int(name)
        parent.extend([None] * (index + 1 - len(parent)))
        parent[index] = child


def _set_entry(parent, name: str, child) -> None:
    parent[name] = child


def _set_signature(parent, name: str, child) -> None:
    parent._add_signature(name, child)


def revived(record):
    """(a new object for a SavedUserObject, the function that gives it a child).

    Args:
      record: SavedUserObject.
    """
    identifier = record.identifier or ""
    if identifier in ("trackable_list_wrapper", "trackable_tuple_wrapper"):
        return ListWrapper([]), _set_item
    if identifier == "trackable_dict_wrapper":
        return _DictWrapper({}), _set_entry
    if identifier == "signature_map":
        return SignatureMap(), _set_signature
    _, versions = revived_types._registered.get(identifier, (None, ()))
    for registration in versions:
        if registration.should_load(record):
            return registration.from_proto(record), registration.setter
    return _user_class()(), _set_attribute
