"""New names for the functions of a loaded graph, so that those of two models can be in one graph."""

from __future__ import annotations

import itertools
import re

from tracefn._wire import DELIMITED, Reader, delimited

_loads = itertools.count(1)
_SUFFIX = re.compile(r"_r\d+$")

# Where FunctionDef has names of functions: the fields that lead there; None is a name itself.
_NAME_AND_ATTRS: dict = {1: None}
_ATTR_VALUE: dict = {10: _NAME_AND_ATTRS, 1: {9: _NAME_AND_ATTRS}}
_NODE: dict = {2: None, 5: {2: _ATTR_VALUE}}
_FUNCTION: dict = {1: {1: None}, 3: _NODE}
_NAME_AND_ATTRS[2] = {2: _ATTR_VALUE}


def _rewritten(data: bytes, places: dict, names: dict[bytes, bytes]) -> bytes:
    reader, out = Reader(data), []
    while reader.more():
        number, wire, value, whole = reader.field()
        if number not in places or wire != DELIMITED:
            out.append(whole)
        elif places[number] is None:
            out.append(delimited(number, names.get(bytes(value), bytes(value))))
        else:
            out.append(delimited(number, _rewritten(value, places[number], names)))
    return b"".join(out)


class Renaming:
    """The names of one model's functions from now on.

    Args:
      names: those in the file.
    """

    def __init__(self, names) -> None:
        number = next(_loads)
        self._names = {name: f"{_SUFFIX.sub('', name)}_r{number}" for name in names}
        self._bytes = {old.encode(): new.encode() for old, new in self._names.items()}

    def __getitem__(self, name: str) -> str:
        return self._names[name]

    def apply(self, data: bytes) -> bytes:
        """A FunctionDef with new names."""
        return _rewritten(data, _FUNCTION, self._bytes)
