"""Classes of type specs by the names under which they are stored."""

from __future__ import annotations

import re
import sys
from typing import Any

from tracefn.type_spec import TypeSpec

_NAME = re.compile(r"(\w+\.)+\w+")
_classes: dict[str, type] = {}  # those that programs registered
_names: dict[type, str] = {}


def register(name: str):
    """A decorator that registers a class of type specs under a name such as "my_project.MyTypeSpec".

    Raises:
      TypeError: the name is no str, or the class is no class of type specs.
      ValueError: the name has another form, or the name or the class is registered already.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if _NAME.fullmatch(name) is None:
        raise ValueError("Registered name must have the form '{project_name}.{type_name}' (e.g. 'my_project.MyTypeSpec'); "
                         f"got {name!r}.")

    def registered(cls):
        _check(cls)
        if cls in _names:
            raise ValueError(f"Class {_text(cls)} has already been registered with name {_names[cls]}.")
        if name in _classes:
            raise ValueError(f"Name {name} has already been registered for class {_text(_classes[name])}.")
        _classes[name], _names[cls] = cls, name
        return cls

    return registered


def get_name(cls) -> str:
    """The name of a class of type specs, such as "tf.TensorSpec".

    Raises:
      TypeError: it is no class of type specs.
      ValueError: it has no name.
    """
    _check(cls)
    name = _names.get(cls)
    if name is None and _is_own(cls):
        name = f"tf.{cls.__name__}"
    if name is None:
        raise ValueError(f"TypeSpec {_text(cls)} has not been registered.")
    return name


def registered_name(cls) -> str | None:
    """The name under which a program registered a class of type specs, or None."""
    return _names.get(cls)


def lookup(name: str):
    """The class of type specs of that name.

    Raises:
      TypeError: the name is no str.
      ValueError: there is no such class.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string. Got {name!r}.")
    found = _classes.get(name) or (_public(name) if name.startswith("tf.") else None)
    if found is None:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return found


def _check(cls) -> None:
    if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
        raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")


def _text(cls) -> str:
    return f"{cls.__module__}.{cls.__name__}"


def _is_own(cls) -> bool:
    return cls.__module__.startswith(("tracefn", "tensorflow"))


def _public(name: str):
    """The class of this package's own with that name."""
    found: Any = sys.modules["tracefn"]
    for part in name.removeprefix("tf.").split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) and issubclass(found, TypeSpec) else None
