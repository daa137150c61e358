"""The contents of public namespaces: the functions exported under their paths."""

from __future__ import annotations

import importlib
import sys
import types

from tracefn._deprecated import is_deprecated, noticed
from tracefn._export import exported
from tracefn._missing import is_imported_from, missing
from tracefn.ops.by_path import is_later, later_paths, registered

# Paths that libraries import from and that are no public names.
_OF_LIBRARIES = frozenset({"compiler", "python", "tools"})
# Namespaces that are imported on first use.
_LATER = frozenset(
    {
        "array_api",
        "audio",
        "autodiff",
        "bitwise",
        "compat",
        "data",
        "debugging",
        "distribute",
        "experimental",
        "experimental.dtensor",
        "feature_column",
        "graph_util",
        "image",
        "initializers",
        "io",
        "io.gfile",
        "linalg",
        "linalg.experimental",
        "lite",
        "lookup",
        "math",
        "math.special",
        "mlir",
        "nn",
        "nn.experimental",
        "profiler",
        "profiler.experimental",
        "quantization",
        "queue",
        "ragged",
        "random",
        "random.experimental",
        "raw_ops",
        "saved_model",
        "sets",
        "signal",
        "sparse",
        "strings",
        "summary",
        "summary.experimental",
        "sysconfig",
        "test",
        "tpu",
        "train",
        "types",
        "version",
        "xla",
    }
)
# Keras's namespaces, by their paths here.
_OF_KERAS = {"keras": "", "losses": "losses", "metrics": "metrics", "optimizers": "optimizers"}
_OF_KERAS |= {f"compat.{version}.keras": "" for version in ("v1", "v2")}


def root() -> types.ModuleType:
    """The package itself, for the namespaces implemented by it: it imports them."""
    return sys.modules["tracefn"]


def _below(paths, start: str) -> list[str]:
    """The last parts of the paths that consist of `start` and one name."""
    end = len(start)
    return [path[end:] for path in paths if path.startswith(start) and path.find(".", end) < 0]


def fill(namespace: dict, prefix: str) -> None:
    """Adds the functions with the path `prefix.name` to the namespace of a module, and their names to its __all__; `load` finds
    those that are deprecated, and those whose files or namespaces are imported on first use."""
    names = namespace.setdefault("__all__", [])
    start = prefix + "." if prefix else ""
    here = [name for name in _below(exported(), start) if not is_later(start + name)]
    for name in here:
        if not is_deprecated(start + name):
            namespace[name] = exported()[start + name]
    names.extend(here)
    later = {*_below(later_paths(), start), *_below(_LATER, start)} - namespace.keys()
    names.extend(sorted(later))
    own = namespace.get("__getattr__")

    def __getattr__(name: str):
        return load(namespace, prefix, name) if own is None or name in later else own(name)

    namespace["__getattr__"] = __getattr__
    namespace.setdefault("__dir__", lambda: sorted({*_shown(namespace), *names}))


def _shown(namespace: dict):
    """The names of a module without those of the imports that every such module has."""
    return (name for name, value in namespace.items() if value is not fill and type(value).__name__ != "_Feature")


def load(namespace: dict, prefix: str, name: str):
    """The `__getattr__` of a module: imports a namespace, or the file of a function, on first use.

    Raises:
      AttributeError: the name does not exist.
    """
    path = f"{prefix}.{name}" if prefix else name
    if path in _LATER or path in _OF_LIBRARIES:
        return importlib.import_module(f".{path}", "tracefn")  # start-up time: no program needs all namespaces
    if path in _OF_KERAS:
        return _keras(namespace, name, _OF_KERAS[path])
    function = registered(path)
    if function is None or not (is_later(path) or is_deprecated(path)):
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

