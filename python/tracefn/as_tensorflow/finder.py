"""Finds modules of TensorFlow: each is a module of this package under another name."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.metadata
import sys
import types

from tracefn.as_tensorflow import internal_modules, recorded
from tracefn.as_tensorflow.keras_modules import keras_module

_SUPPORTED = "docs/coverage.md lists what there is."
# What TensorFlow's own package is called where its public names lie.
_PUBLIC = {"_api.v2.v2": "", "_api.v2": "", "_api": "", "_api.v2.compat": "compat"}
_PUBLIC |= {f"_api.v2.compat.{version}": f"compat.{version}" for version in ("v1", "v2")}


class Loader(importlib.abc.Loader):
    """Gives an import the module that is there already, whose own spec stays."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec) -> types.ModuleType:
        return self._module

    def exec_module(self, module: types.ModuleType) -> None:
        module.__spec__ = self._spec


def alias_of(fullname: str, module: types.ModuleType) -> importlib.machinery.ModuleSpec:
    """The spec by which an import of `fullname` gets a module that is there already."""
    if not hasattr(module, "__path__"):
        module.__path__ = []  # its own submodules are found here
    spec = importlib.machinery.ModuleSpec(fullname, Loader(module), origin=getattr(module, "__file__", None))
    spec.submodule_search_locations = list(module.__path__)
    return spec


class Finder:
    """The finder of `tensorflow` and all below it."""

    def find_spec(self, fullname: str, path=None, target=None):
        """The spec of a module of TensorFlow.

        Raises:
          ModuleNotFoundError: TensorFlow has no such module, or this package has not got it yet.
        """
        del path, target
        package, _, tail = fullname.partition(".")
        if package != "tensorflow":
            return None
        module = module_at(tail)
        if module is None:
            if _is_asked_only():
                return None
            raise ModuleNotFoundError(_text_of_missing(fullname), name=fullname)
        return alias_of(fullname, module)

    def find_distributions(self, context):
        """What importlib.metadata knows of the package `tensorflow`, for libraries that ask for its version."""
        if context.name is not None and context.name.replace("_", "-").lower() in ("tensorflow", "tensorflow-cpu"):
            yield _Distribution(context.name)


class _Distribution(importlib.metadata.Distribution):
    def __init__(self, name: str) -> None:
        self._name = name

    def read_text(self, filename) -> str | None:
        if filename in ("METADATA", "PKG-INFO"):
            return f"Metadata-Version: 2.1\nName: {self._name}\nVersion: {sys.modules['tracefn'].__version__}\n"
        return None

    def locate_file(self, path):
        raise FileNotFoundError(f"The package {self._name} is tracefn, which stands in for it; it has no file {path}.")


def module_at(tail: str) -> types.ModuleType | None:
    """The module that `tensorflow.<tail>` is."""
    tf = sys.modules["tracefn"]
    tail = _PUBLIC.get(tail, tail)
    if not tail:
        return tf
    first, _, below = tail.partition(".")
    if first == "keras":
        return keras_module(below)
    if first in recorded.FOLDERS:
        return internal_modules.module_at(tail)
    return _public_module(tf, tail)


def _public_module(tf: types.ModuleType, tail: str) -> types.ModuleType | None:
    value = tf
    for name in tail.split("."):
        value = getattr(value, name, None)  # type: ignore[assignment]  # None ends the walk
    return value if isinstance(value, types.ModuleType) else None


def _is_asked_only() -> bool:
    """Whether importlib.util.find_spec asks if the module exists."""
    return sys._getframe(3).f_code.co_name != "_find_and_load_unlocked"  # what an import calls


def _text_of_missing(fullname: str) -> str:
    importer = internal_modules.importer()
    where = f" It is imported by {importer}." if importer else ""
    tail = fullname.partition(".")[2]
    if recorded.is_module(tail) or tail.partition(".")[0] in recorded.UNRECORDED:
        return f"tracefn, which stands in for TensorFlow, has no module {fullname!r}.{where} {_SUPPORTED}"
    return f"No module named {fullname!r}: TensorFlow has none either.{where} {_advice(*tail.rpartition('.')[::2])}".rstrip()


def _advice(package: str, name: str) -> str:
    """What to import instead of a module that there is not, in TensorFlow neither; "" if nothing is known."""
    from tracefn._missing.names import advice_for, close_names  # start-up time: a missing module is rare

    if not package:
        return advice_for("", name)
    held = vars(module_at(package) or types.SimpleNamespace()).items()
    known = {key for key, value in held if isinstance(value, types.ModuleType) and not key.startswith("_")}
    close = close_names(name, known | recorded.modules_in(package))
    return f"Did you mean tensorflow.{package}.{close[0]}?" if close else ""
