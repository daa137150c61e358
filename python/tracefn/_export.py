"""Registers public names: every op callable and composed function declares its public paths."""

from __future__ import annotations

from tracefn import _core

# Public path ("math.reduce_sum", "reduce_sum") -> function. Functions composed in tracefn.ops override op callables.
_functions: dict[str, object] = dict(_core.public_ops())


def export(*paths: str):
    """Decorator: makes the function public under these paths below `tracefn`."""

    def register(function):
        for path in paths:
            _functions[path] = function
        return function

    return register


def exported() -> dict[str, object]:
    """Maps public paths to functions, for the files imported so far."""
    return _functions
