"""The contents of public namespaces: the functions exported under their paths."""

from __future__ import annotations

import importlib
import sys
import types

import tracefn.ops  # noqa: F401 - registers the composed functions
from tracefn._export import exported
from tracefn._later import FILES
from tracefn._missing import missing

# Namespaces that few programs need: imported on first use.
_LATER = frozenset(
    {
        "array_api",
        "audio",
        "image",
        "initializers",
        "io",
        "io.gfile",
        "linalg.experimental",
        "lookup",
        "quantization",
        "ragged",
        "sets",
        "signal",
        "sysconfig",
        "test",
        "train",
        "version",
    }
)
_file_of = {path: file for file, paths in FILES.items() for path in paths}


def root() -> types.ModuleType:
    """The package itself, for the namespaces implemented by it: it imports them."""
    return sys.modules["tracefn"]


def _below(paths, start: str) -> list[str]:
    """The last parts of the paths that consist of `start` and one name."""
    end = len(start)
    return [path[end:] for path in paths if path.startswith(start) and path.find(".", end) < 0]


def fill(namespace: dict, prefix: str) -> None:
    """Adds the functions with the path `prefix.name` to the namespace of a module, and their names to its __all__."""
    names = namespace.setdefault("__all__", [])
    start = prefix + "." if prefix else ""
    here = _below(exported(), start)
    for name in here:
        namespace[name] = exported()[start + name]
    names.extend(here)
    later = _below(_file_of, start) + _below(_LATER, start)
    namespace.setdefault("__getattr__", lambda name: load(namespace, prefix, name))
    if later:
        names.extend(name for name in later if name not in namespace)
        namespace["__dir__"] = lambda: sorted({*namespace, *later})


def _import(file: str) -> None:
    importlib.import_module(f"tracefn.ops.{file}")  # start-up time: few programs need these files


def load(namespace: dict, prefix: str, name: str):
    """The `__getattr__` of a module: imports a namespace, or the file of a function, on first use.

    Raises:
      AttributeError: the name does not exist.
    """
    path = f"{prefix}.{name}" if prefix else name
    if path in _LATER:
        return importlib.import_module(f".{path}", "tracefn")  # start-up time: few programs need these namespaces
    if path not in _file_of:
        raise missing(prefix, name)
    _import(_file_of[path])
    namespace[name] = exported()[path]
    return namespace[name]


def paths() -> set[str]:
    """The public paths, those included whose files are not imported yet."""
    return exported().keys() | _file_of.keys()


def registered(path: str):
    """The public function under a path, whose file is imported on first use; None if there is none."""
    if path in _file_of:
        _import(_file_of[path])
    return exported().get(path)


def public_paths() -> dict[str, object]:
    """All public paths and their values."""
    for file in FILES:
        _import(file)
    return dict(exported())
