"""What TensorFlow says about deprecated names, said when a program calls them under a public name.

Namespaces leave these names out and ask `noticed` for them when a program reads one. So nothing is wrapped before it is
used, calls within the package say nothing, and calls of other functions pay nothing."""

from __future__ import annotations

import functools

from tracefn._deprecated.called import without_notices
from tracefn._deprecated.names import NAMES

__all__ = ["is_deprecated", "leave_out", "noticed", "say", "say_argument", "without_notices"]


@functools.cache
def _deprecated(namespace: str) -> frozenset[str]:
    return frozenset(NAMES.get(namespace, "").split())


def is_deprecated(path: str) -> bool:
    """Whether there are notices for the public name under a path below `tracefn`."""
    namespace, _, name = path.rpartition(".")
    return name in _deprecated(namespace)


def noticed(path: str, value):
    """The value of a public name: a function that warns in the place of a deprecated one, a class whose members warn.

    Args:
      path: the path below `tracefn`.
      value: what is found there.
    """
    if not is_deprecated(path):
        return value
    from tracefn._deprecated.wrapping import wrapped  # start-up time: only who uses deprecated names needs the texts

    return wrapped(path, value)


def say(path: str, member: str = "") -> None:
    """Warns, if that is due, that the function under a path was called, or a method of the class under it: for calls that go
    another way than by its public name.

    Args:
      path: the path below `tracefn`.
      member: name of the method; "" for the function itself.
    """
    from tracefn._deprecated.wrapping import warn_of  # start-up time: as above

    warn_of(path, member)


def say_argument(path: str, member: str, name: str) -> None:
    """Warns, if that is due, that a deprecated argument of a method was given. Unlike the notices of functions, whose namespaces
    ask for them, this one comes eagerly too: TensorFlow's does until the first op runs, and these are first calls of programs.

    Args:
      path: the path of the class below `tracefn`.
      member: name of the method.
      name: name of the parameter.
    """
    from tracefn._deprecated.wrapping import warn_of_argument  # start-up time: as above

    warn_of_argument(path, member, name)


def leave_out(namespace: dict, prefix: str) -> None:
    """Takes the deprecated names out of a module's namespace; its `__getattr__` makes those that warn.

    Args:
      namespace: the module's globals, at its end.
      prefix: the module's path below `tracefn`.
    """
    found = {name: namespace.pop(name) for name in _deprecated(prefix) & namespace.keys()}
    otherwise = namespace["__getattr__"]
    listed = namespace.get("__dir__")

    def __getattr__(name: str):
        value = found[name] if name in found else otherwise(name)
        if is_deprecated(f"{prefix}.{name}"):
            value = namespace[name] = noticed(f"{prefix}.{name}", value)
        return value

    def __dir__() -> list[str]:
        return sorted({*(listed() if listed else namespace), *found})

    namespace.update(__getattr__=__getattr__, __dir__=__dir__)
