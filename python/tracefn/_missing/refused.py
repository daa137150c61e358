"""Names that are there, so that modules which mention them can be imported, and that are refused when they are used."""

from __future__ import annotations

import sys
import types
from typing import NoReturn

from tracefn._missing import MissingError, missing
from tracefn._missing.names import tensorflow_names


def refuse(name: str, reason: str) -> NoReturn:
    """Raises the error for something that is not supported.

    Raises:
      NotImplementedError: always.
    """
    raise NotImplementedError(f"tf.{name} is not supported: {reason}")


def _document(made, name: str, text: str) -> None:
    made.__module__ = f"tracefn.{name.rpartition('.')[0]}"
    made.__doc__ = text
    made.is_refused = True  # docs/coverage.md counts it as missing


class _RefusedClass(type):
    """The class of refused classes: they have no members to use."""

    _name: str
    _reason: str

    def __getattr__(cls, name: str):
        text = f"type object {cls.__name__!r} has no attribute {name!r}"
        if name.startswith("_"):
            raise AttributeError(text)
        raise MissingError(text, name=name, advice=lambda: f"tf.{cls._name} is not supported: {cls._reason}")


def refused_class(name: str, reason: str, bases: tuple = ()) -> type:
    """A class that cannot be instantiated.

    Args:
      name: its path below `tf`.
      reason: why, and what to do instead.
      bases: its base classes; without any, its attributes are refused, too.
    """

    def __init__(self, *args, **kwargs) -> None:
        del args, kwargs
        refuse(name, reason)

    members = {"__init__": __init__, "_name": name, "_reason": reason}
    short = name.rpartition(".")[2]
    made = type(short, bases, {"__init__": __init__}) if bases else _RefusedClass(short, (), members)
    _document(made, name, f"Not supported: {reason}\n\n    Raises:\n      NotImplementedError: when one is made.\n    ")
    return made


def refused_function(name: str, reason: str):
    """A function that cannot be called.

    Args:
      name: its path below `tf`.
      reason: why, and what to do instead.
    """

    def function(*args, **kwargs) -> NoReturn:
        del args, kwargs
        refuse(name, reason)

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    _document(function, name, f"Not supported: {reason}\n\n    Raises:\n      NotImplementedError: always.\n    ")
    return function


def refused(name: str, reason: str):
    """The class, function or value under a path that begins a namespace of TensorFlow, refused when used."""
    short = name.rpartition(".")[2]
    return refused_class(name, reason) if short[0].isupper() else refused_function(name, reason)


def fill(module: types.ModuleType, reason: str) -> None:
    """Gives a module all names that TensorFlow has in this namespace and the module has not, and those below it.

    Args:
      module: it is importable from now on, as are the namespaces in it.
      reason: why, and what to do instead.
    """
    path = module.__name__.removeprefix("tracefn.")
    names = tensorflow_names()
    held = vars(module)
    for name in sorted(names[path]):
        if name in held:
            continue
        inner = f"{path}.{name}"
        if inner in names:
            held[name] = sys.modules[f"tracefn.{inner}"] = types.ModuleType(f"tracefn.{inner}", f"`tf.{inner}`: {reason}")
            fill(held[name], reason)
        else:
            held[name] = refused(inner, reason)
    held["__all__"] = sorted(names[path])
    held.setdefault("__path__", [])  # what is in it can be imported
    held["__getattr__"] = lambda name: _missing(path, name)


def _missing(path: str, name: str) -> NoReturn:
    raise missing(path, name)
