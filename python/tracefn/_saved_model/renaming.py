"""New names for the functions of a loaded graph, so that those of two models can be in one graph."""

from __future__ import annotations

import itertools
import re
from collections import Counter

from tracefn._wire import DELIMITED, delimited, fields_of

_loads = itertools.count(1)
_SUFFIX = re.compile(r"_r\d+$")

# Where FunctionDef has names of functions and of gradients: the fields that lead there, and which of both it is.
_FUNCTION_NAME, _GRADIENT_NAME = 0, 1
_NAME_AND_ATTRS: dict = {1: _FUNCTION_NAME}
_ATTR_VALUE: dict = {2: _GRADIENT_NAME, 10: _NAME_AND_ATTRS, 1: {9: _NAME_AND_ATTRS}}
_NODE: dict = {2: _FUNCTION_NAME, 5: {2: _ATTR_VALUE}}
_FUNCTION: dict = {1: {1: _FUNCTION_NAME}, 3: _NODE}
_NAME_AND_ATTRS[2] = {2: _ATTR_VALUE}


def _rewritten(data: bytes, places: dict, names: tuple[dict[bytes, bytes], dict[bytes, bytes]]) -> bytes:
    out = []
    for number, wire, value, whole in fields_of(data):
        place = places.get(number) if wire == DELIMITED else None
        if place is None:
            out.append(whole)
        elif isinstance(place, int):
            out.append(delimited(number, names[place].get(bytes(value), bytes(value))))
        else:
            out.append(delimited(number, _rewritten(value, place, names)))
    return b"".join(out)


def _encoded(names: dict[str, str]) -> dict[bytes, bytes]:
    return {old.encode(): new.encode() for old, new in names.items()}


def _renamed(names, number: int) -> dict[str, str]:
    """The names with the number of a load in place of an earlier one; behind it if names differ by that one alone."""
    short = {name: _SUFFIX.sub("", name) for name in names}
    count = Counter(short.values())
    return {name: f"{short[name] if count[short[name]] == 1 else name}_r{number}" for name in names}


class Renaming:
    """The names of one model's functions and of its gradients from now on.

    Args:
      functions, gradients: those in the file.
    """

    def __init__(self, functions, gradients) -> None:
        number = next(_loads)
        self._functions, self._gradients = _renamed(functions, number), _renamed(gradients, number)
        self._bytes = _encoded(self._functions), _encoded(self._gradients)

    def __getitem__(self, name: str) -> str:
        return self._functions[name]

    def gradient(self, name: str) -> str:
        """The name of a gradient from now on."""
        return self._gradients[name]

    def apply(self, data: bytes) -> bytes:
        """A FunctionDef with new names."""
        return _rewritten(data, _FUNCTION, self._bytes)
