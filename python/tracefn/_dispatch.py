"""Other implementations of public functions, for arguments that are not tensors. A call is dispatched only after it has
failed with a TypeError or ValueError (cpp/bind/dispatch.h), so calls with tensors pay nothing."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

from tracefn import _core
from tracefn._export import code_at, exported

# Path of a public function -> its other implementations, each called with the arguments by name: NotImplemented if it
# does not take them.
_handlers: dict[str, list[Callable[[dict], Any]]] = {}
# The same for all functions, called with the function and the arguments.
_for_all: list[Callable[[Any, dict], Any]] = []
_paths: dict[str, tuple[str, ...]] = {}  # first path of a function -> all of them


def _all_paths(path: str) -> tuple[str, ...]:
    found = _paths.get(path)
    if found is None:
        function = exported().get(path)
        same = tuple(name for name, value in exported().items() if value is function and function is not None)
        found = _paths[path] = same or (path,)
    return found


def _arguments(path: str, held: dict) -> dict:
    """The arguments among the local variables of a function written in Python."""
    code = code_at(path)
    if code is None:
        return held
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
    found = {name: held[name] for name in code.co_varnames[:count] if name in held}
    if code.co_flags & inspect.CO_VARKEYWORDS:
        found.update(held.get(code.co_varnames[count], {}))
    return found


def dispatch(path: str, arguments: dict):
    """What another implementation of a public function returns; NotImplemented if none takes the arguments."""
    handlers = [handler for name in _all_paths(path) for handler in _handlers.get(name, ())]
    if not handlers and not _for_all:
        return NotImplemented
    failed = sys.exc_info()[1]
    try:
        return _dispatched(path, handlers, _arguments(path, arguments))
    except Exception as error:
        _hide(failed, error)
        raise


def _dispatched(path: str, handlers: list, arguments: dict):
    for handler in handlers:
        result = handler(arguments)
        if result is not NotImplemented:
            return result
    function = exported().get(path)
    for handle in _for_all if function is not None else ():
        result = handle(function, arguments)
        if result is not NotImplemented:
            return result
    return NotImplemented


def _hide(failed: BaseException | None, error: BaseException) -> None:
    """Leaves an exception out of what is shown of another one: that it led to the dispatch says nothing of the mistake."""
    found: BaseException | None = error
    while found is not None and failed is not None:
        if found.__context__ is failed:
            found.__suppress_context__ = True
            return
        found = found.__context__


def add_handler(path: str, handler: Callable[[dict], Any], first: bool = False) -> None:
    """Adds an implementation for the function under a path, behind or before those that it has."""
    handlers = _handlers.setdefault(path, [])
    handlers.insert(0 if first else len(handlers), handler)
    _core.set_dispatcher(dispatch)


def remove_handlers(remove: Callable[[Callable], bool]) -> bool:
    """Removes the handlers for which `remove` is true; whether there were any."""
    found = False
    for handlers in _handlers.values():
        kept = [handler for handler in handlers if not remove(handler)]
        found = found or len(kept) != len(handlers)
        handlers[:] = kept
    return found


def add_for_all(handler: Callable[[Any, dict], Any]) -> None:
    """Adds an implementation that may stand for any function."""
    _for_all.append(handler)
    _core.set_dispatcher(dispatch)
