"""The contents of public namespaces: the functions exported under their paths."""

from __future__ import annotations

import importlib
import sys
import types

import tracefn.ops  # noqa: F401 - registers the composed functions
from tracefn._deprecated import is_deprecated, noticed
from tracefn._export import exported
from tracefn._later import FILES
from tracefn._missing import is_imported_from, missing

# Paths that libraries import from and that are no public names.
_OF_LIBRARIES = frozenset({"compiler", "python", "tools"})
# Namespaces that few programs need: imported on first use.
_LATER = frozenset(
    {
        "array_api",
        "audio",
        "data",
        "distribute",
        "experimental.dtensor",
        "feature_column",
        "image",
        "initializers",
        "io",
        "io.gfile",
        "lite",
        "linalg.experimental",
        "lookup",
        "mlir",
        "profiler",
        "profiler.experimental",
        "quantization",
        "queue",
        "ragged",
        "saved_model",
        "sets",
        "signal",
        "summary",
        "summary.experimental",
        "sysconfig",
        "test",
        "tpu",
        "train",
        "version",
        "xla",
    }
)
# Keras's namespaces, by their paths here.
_OF_KERAS = {"keras": "", "losses": "losses", "metrics": "metrics", "optimizers": "optimizers"}
_OF_KERAS |= {f"compat.{version}.keras": "" for version in ("v1", "v2")}
_file_of = {path: file for file, paths in FILES.items() for path in paths}


def root() -> types.ModuleType:
    """The package itself, for the namespaces implemented by it: it imports them."""
    return sys.modules["tracefn"]


def _below(paths, start: str) -> list[str]:
    """The last parts of the paths that consist of `start` and one name."""
    end = len(start)
    return [path[end:] for path in paths if path.startswith(start) and path.find(".", end) < 0]


def fill(namespace: dict, prefix: str) -> None:
    """Adds the functions with the path `prefix.name` to the namespace of a module, and their names to its __all__; `load` finds
    those that are deprecated."""
    names = namespace.setdefault("__all__", [])
    start = prefix + "." if prefix else ""
    here = _below(exported(), start)
    for name in here:
        if not is_deprecated(start + name):
            namespace[name] = exported()[start + name]
    names.extend(here)
    later = _below(_file_of, start) + _below(_LATER, start)
    namespace.setdefault("__getattr__", lambda name: load(namespace, prefix, name))
    names.extend(name for name in later if name not in namespace)
    namespace.setdefault("__dir__", lambda: sorted({*namespace, *names}))


def _import(file: str) -> None:
    importlib.import_module(f"tracefn.ops.{file}")  # start-up time: few programs need these files


def load(namespace: dict, prefix: str, name: str):
    """The `__getattr__` of a module: imports a namespace, or the file of a function, on first use.

    Raises:
      AttributeError: the name does not exist.
    """
    path = f"{prefix}.{name}" if prefix else name
    if path in _LATER or path in _OF_LIBRARIES:
        return importlib.import_module(f".{path}", "tracefn")  # start-up time: few programs need these namespaces
    if path in _OF_KERAS:
        return _keras(namespace, name, _OF_KERAS[path])
    function = registered(path)
    if function is None or (path not in _file_of and not is_deprecated(path)):
        raise missing(prefix, name)
    namespace[name] = noticed(path, function)
    return namespace[name]


def _keras(namespace: dict, name: str, below: str) -> types.ModuleType:
    from tracefn.as_tensorflow.keras_modules import KerasIsMissing, keras_module  # start-up time: few use it

    try:
        module = keras_module(below)
    except KerasIsMissing as error:
        if is_imported_from():
            raise
        raise AttributeError(str(error), name=name) from None  # what hasattr understands
    assert module is not None
    namespace[name] = module
    return module


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
