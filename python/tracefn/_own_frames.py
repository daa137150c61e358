"""Hides the frames of this package in tracebacks: its functions remove their own entries (cpp/bind/own_frames.h).

`TRACEFN_TRACEBACK_FILTERING=off` starts a process with full tracebacks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from types import ModuleType

from tracefn import _core

_PREFIX = __name__.partition(".")[0] + "."


when_loaded: list[Callable[[ModuleType], None]] = []  # called with each module of this package after its code has run


class _OwnFrames:
    """Hides the frames of the module that it loads."""

    def get_code(self, fullname):
        return _core.hide_frames(super().get_code(fullname))  # type: ignore[misc]  # of the other base class

    def exec_module(self, module):
        super().exec_module(module)  # type: ignore[misc]
        for function in when_loaded:
            function(module)


class _SourceLoader(_OwnFrames, SourceFileLoader):  # type: ignore[misc]  # typeshed
    """Loads a module of this package."""


class _SourcelessLoader(_OwnFrames, SourcelessFileLoader):
    """Loads a module of this package that was installed without its source."""


_LOADERS = {SourceFileLoader: _SourceLoader, SourcelessFileLoader: _SourcelessLoader}


class _Finder:
    """Finds modules of this package with the other finders, and loads them with the loaders above."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if not fullname.startswith(_PREFIX):
            return None
        for finder in sys.meta_path:
            spec = None if finder is _Finder else finder.find_spec(fullname, path, target)
            if spec is not None:
                loader = _LOADERS.get(type(spec.loader))
                if loader is not None:
                    spec.loader = loader(spec.loader.name, spec.loader.path)
                return spec
        return None


def hidden(function):
    """Decorator for functions of modules that are loaded before the finder is installed."""
    function.__code__ = _core.hide_frames(function.__code__)
    return function


def hide_from_now_on() -> None:
    """Hides the frames of modules of this package that are imported from now on."""
    _core.set_filtering_default(os.environ.get("TRACEFN_TRACEBACK_FILTERING") not in ("0", "off"))
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
