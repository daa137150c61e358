"""The object that converted code knows as `ag__`."""

from __future__ import annotations

import importlib

from tracefn import _core
from tracefn.autograph.runtime import conditions, iterables, lists
from tracefn.autograph.runtime.calls import Caller
from tracefn.autograph.runtime.undefined import undefined, unset


def visible(found):
    """locals(), vars() or dir() without the names that conversion added."""
    if isinstance(found, dict):
        return {name: value for name, value in found.items() if not name.startswith("ag__")}
    return [name for name in found if not name.startswith("ag__")]


# Functions whose modules are imported when converted code first calls one.
_LATER = {
    "if_stmt": "branches",
    "returned": "branches",
    "for_stmt": "loops",
    "while_stmt": "loops",
    "leaves": "loops",
    "python_condition": "loops",
    "and_": "booleans",
    "or_": "booleans",
    "not_": "booleans",
    "if_exp": "booleans",
    "assert_fails": "asserts",
}


class Namespace:
    """Run-time functions of converted code, for one set of options."""

    undefined = undefined
    unset = unset
    visible = staticmethod(visible)
    unwind = staticmethod(_core.unwind)
    append = staticmethod(lists.append)
    elements = staticmethod(iterables.unrolled)
    is_staged = conditions.is_staged

    def __init__(self, convert, features) -> None:
        self.features = features
        self.converted = Caller(convert, "BUILTIN_FUNCTIONS" in features or "ALL" in features)

    def __getattr__(self, name: str):
        if name not in _LATER:
            raise AttributeError(name)
        module = importlib.import_module(f"tracefn.autograph.runtime.{_LATER[name]}")  # start-up time: few are needed at once
        value = self.__dict__[name] = getattr(module, name)
        return value
