"""Functions and members of classes that say what TensorFlow says about them, in the place of deprecated ones."""

from __future__ import annotations

import inspect
import types
from typing import Any

from tracefn._deprecated import decorators
from tracefn._deprecated.called import remember, without_notices
from tracefn._deprecated.notices import NOTICES, OF
from tracefn._names_of_functions import name_in_tensorflow

# (numbers of the notices, id of the function) -> the function that warns, which keeps the other one alive.
_warning: dict[tuple, object] = {}
_placed: set = set()  # functions that warn, which have the names of their paths
_PACKAGE = __name__.partition(".")[0]


def wrapped(path: str, value):
    """`noticed` of a deprecated name."""
    said: Any = OF[path]
    if not isinstance(said, dict):
        return _at(path, _that_warns(value, said))
    for member, numbers in said.items() if isinstance(value, type) else ():
        _mend(value, member, numbers)
    return value


def _at(path: str, warning):
    """A function that warns, with the name that it has at the first of its paths: a pickle names it by that."""
    if isinstance(warning, types.FunctionType) and hasattr(warning, "_tf_stands_for") and warning not in _placed:
        _placed.add(warning)
        parent, _, last = path.rpartition(".")
        warning.__module__ = f"{_PACKAGE}.{parent}".removesuffix(".")
        warning.__name__, warning.__qualname__ = name_in_tensorflow(path) or last, last
    return warning


def warn_of(path: str, member: str) -> None:
    """`say` of a function or method that is deprecated as a whole."""
    said: Any = OF[path]
    for number in said[member] if member else said:
        _, module, name, date, instructions, _ = NOTICES[number]
        decorators.warn_of_function(decorators.Known(module, name), date, instructions)


def warn_of_argument(path: str, member: str, name: str) -> None:
    """`say_argument`."""
    said: Any = OF[path]
    for number in said[member]:
        _, module, function, date, instructions, _ = NOTICES[number]
        decorators.warn_of_argument(decorators.Known(module, function), name, date, instructions)


def _that_warns(function, numbers: tuple):
    """A function that warns and calls another one; the same for all paths that lead to it."""
    function = without_notices(function)
    key = numbers, id(function)
    if key not in _warning:
        warning = function
        for number in reversed(numbers):
            warning = _decorated(warning, *NOTICES[number])
        if warning is not function:
            warning._tf_stands_for = function
            remember(warning, function)
        _warning[key] = warning
    return _warning[key]


def _decorated(function, kind: str, module: str, name: str, date, instructions: str, what):
    known = decorators.Known(module, name)
    if kind == "deprecated":
        return decorators.deprecated(date, instructions, known=known)(function)
    parameters = inspect.signature(function).parameters
    if kind == "deprecated_arg_values":
        values = {name: value for name, value in what.items() if name in parameters}
        return decorators.deprecated_arg_values(date, instructions, known=known, **values)(function) if values else function
    found = [one for one in what if (one[0] if isinstance(one, tuple) else one) in parameters]
    return decorators.deprecated_args(date, instructions, *found, known=known)(function) if found else function


def _mend(cls: type, name: str, numbers: tuple) -> None:
    """Lets a method or property of a class warn, if it is written in Python."""
    member = inspect.getattr_static(cls, name, None)
    found: Any
    if isinstance(member, property) and isinstance(member.fget, types.FunctionType):
        found = property(_that_warns(member.fget, numbers), member.fset, member.fdel)
    elif isinstance(member, classmethod | staticmethod) and isinstance(member.__func__, types.FunctionType):
        found = type(member)(_that_warns(member.__func__, numbers))
    elif isinstance(member, types.FunctionType):
        found = _that_warns(member, numbers)
    else:
        return
    if not _is_same(member, found):
        setattr(cls, name, found)


def _is_same(member, other) -> bool:
    """Whether two members of classes call the same function."""
    parts = [getattr(one, "fget", None) or getattr(one, "__func__", one) for one in (member, other)]
    return parts[0] is parts[1]
