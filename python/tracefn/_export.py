"""Registers public names: every op callable and composed function declares its public paths."""

from __future__ import annotations

import builtins
import sys
import types
from typing import Any

from tracefn import _core
from tracefn._names_of_functions import name_in_tensorflow

# Public path ("math.reduce_sum", "reduce_sum") -> function. Functions composed in tracefn.ops override op callables.
_functions: dict[str, Any] = dict(_core.public_ops())
_path_of_code: dict[object, str] = {}  # by identity: codes are equal by their contents
_code_of_path: dict[str, types.CodeType] = {}


def export(*paths: str):
    """Decorator: makes the function public under these paths below `tracefn`."""

    def register(function):
        for path in paths:
            _functions[path] = function
        let_dispatch(function, paths[0])
        name = next(filter(None, map(name_in_tensorflow, paths)), None)
        if name is not None:
            function.__name__ = name
        return function

    return register


def let_dispatch(function, path: str) -> None:
    """Lets calls of a function written in Python be dispatched (tracefn/_dispatch.py)."""
    code = getattr(function, "__code__", None)
    if code is None or id(code) in _path_of_code:
        return
    if "<locals>" in code.co_qualname:  # other functions have the same code
        function.__code__ = code = code.replace(co_name=function.__name__)
        name = function.__qualname__
        if name.isidentifier() and name not in vars(builtins):  # a pickle of the function names it by its module
            vars(sys.modules[function.__module__]).setdefault(name, function)
    _core.register_public(code, path)  # type: ignore[call-arg]  # keeps the code alive
    _path_of_code[id(code)] = path
    _code_of_path[path] = code


def path_of(function) -> str | None:
    """The first path of a public function, or of the one that a function stands for (its attribute `_tf_stands_for`);
    None for other functions."""
    function = getattr(function, "_tf_stands_for", function)
    if isinstance(function, _core.OpCallable):
        path = path_of_op(function)
        return None if path.startswith("raw_ops.") else path
    code = getattr(function, "__code__", None)
    return None if code is None else _path_of_code.get(id(code))


def path_of_op(op: _core.OpCallable) -> str:
    """The first public path of an op: `nn.relu`, `raw_ops.Relu`."""
    return repr(op).removeprefix("<op ").removesuffix(">")


def code_at(path: str) -> types.CodeType | None:
    """The code of the function written in Python under a path; None for another function."""
    return _code_of_path.get(path)


def exported() -> dict[str, Any]:
    """Maps public paths to functions, for the files imported so far."""
    return _functions
