"""Public names of ops: every op callable and composed function says under which paths it is public."""

from __future__ import annotations

from tracefn import _core

# Public path ("math.reduce_sum", "reduce_sum") -> function. Functions composed in tracefn.ops go before op callables.
_functions: dict[str, object] = dict(_core.public_ops())


def export(*paths: str):
    """Decorator: the function is public under these paths below `tracefn`."""

    def register(function):
        for path in paths:
            _functions[path] = function
        return function

    return register


def fill(namespace: dict, prefix: str) -> None:
    """Puts the functions whose path is `prefix.name` into a module's namespace, and their names into its __all__."""
    import tracefn.ops  # noqa: F401 - registers the composed functions

    names = namespace.setdefault("__all__", [])
    start = prefix + "." if prefix else ""
    for path, function in _functions.items():
        head, _, name = path.rpartition(".")
        if path.startswith(start) and head == prefix:
            namespace[name] = function
            names.append(name)


def public_paths() -> dict[str, object]:
    """All public paths and what they name."""
    return dict(_functions)
