"""Modules below `tensorflow.python` and the like: their public objects under the names that they have there.

Files below tracefn/python and tracefn/compiler add what is not public and what libraries use all the same. Any other name
that TensorFlow has there can be imported, and raises an error where it is used.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import types
from typing import Any

from tracefn import _own_frames
from tracefn.as_tensorflow import legacy_keras, other_names, recorded
from tracefn.as_tensorflow.generated_ops import generated_op
from tracefn.as_tensorflow.message_modules import message_module
from tracefn.as_tensorflow.placeholder import placeholder

_PACKAGE = __file__.rpartition("/as_tensorflow/")[0] + "/"
_modules: dict[str, types.ModuleType] = {}
_DATASETS = "python.data.ops."


def module_at(path: str) -> types.ModuleType | None:
    """The module that `tensorflow.<path>` is; None if TensorFlow has none, or not until something else imports it."""
    module = _modules.get(path)
    if module is None:
        module = _file(path) or message_module(path)
        if module is None:
            if not recorded.is_module(path):
                return legacy_keras.module_at(path)
            module = types.ModuleType(f"tensorflow.{path}")
        complete(path, module)
        for folder in _folders_in(module):  # they are found as attributes, too, where nothing imports them
            module_at(f"{path}.{folder}")
    return module


def complete(path: str, module: types.ModuleType) -> None:
    """Makes a module that of `tensorflow.<path>`: it has all names there, of which its file may define some."""
    vars(module).setdefault("__getattr__", lambda name: _attribute(path, name))
    if "__all__" in vars(module):
        vars(module)["__all__"] = sorted({*vars(module)["__all__"], *_shown(path)})
    _modules[path] = module


def complete_files() -> None:
    """Completes the modules of files, also of those that other files of this package import."""
    for module in list(sys.modules.values()):
        _complete_file(module)
    _own_frames.when_loaded.append(_complete_file)


def _complete_file(module: types.ModuleType) -> None:
    package, _, path = getattr(module, "__name__", "").partition(".")
    if package == "tracefn" and path.partition(".")[0] in recorded.FOLDERS:
        complete(path, module)


def _folders_in(module: types.ModuleType) -> list[str]:
    """The names of the packages in a package of this package."""
    return [found.name for found in pkgutil.iter_modules(getattr(module, "__path__", ())) if found.ispkg]


def _file(path: str) -> types.ModuleType | None:
    """The file of this package about a module."""
    try:
        return importlib.import_module(f".{path}", "tracefn")  # start-up time: each is imported when it is asked for
    except ModuleNotFoundError as error:
        if error.name is not None and f"tracefn.{path}.".startswith(error.name + "."):
            return None
        raise


def _attribute(path: str, name: str):
    """A name of a module that no file defines.

    Raises:
      AttributeError: TensorFlow has not got it there.
    """
    module, names = _modules[path], recorded.names_of(path)
    if name == "__all__":  # `from … import *` asks for it
        return _shown(path)
    if name.startswith("__"):
        raise AttributeError(name)
    if name in names.public:
        value = _found(names.public[name])
        if value is None:
            return _missing(path, name)
    elif path.rpartition(".")[2].startswith("gen_"):
        value = generated_op(name)
    elif recorded.is_module(f"{path}.{name}"):
        return importlib.import_module(f"tensorflow.{path}.{name}")  # start-up time: when it is asked for
    elif path.startswith(_DATASETS) and name.startswith("_") and name.endswith("Dataset"):
        value = _class_of_datasets(path, name)
    elif name in names.other:
        value = legacy_keras.find(path, name) if _is_keras(path) else other_names.find(path, name)
        if value is None:
            return _missing(path, name)
    else:
        value = None
    if value is None:
        raise AttributeError(f"module 'tensorflow.{path}' has no attribute {name!r}", name=name, obj=module)
    setattr(module, name, value)
    return value


def _shown(path: str) -> list[str]:
    """The names that TensorFlow has in a module, without those that begin with "_"."""
    names = recorded.names_of(path)
    return sorted(one for one in {*names.public, *names.other} if not one.startswith("_"))


def _is_keras(path: str) -> bool:
    return f"{path}.".startswith(f"{legacy_keras.PATH}.")


def _class_of_datasets(path: str, name: str):
    """The class of a kind of datasets, in the module that has it or under its own `__module__`."""
    from tracefn.data._base import DatasetBase, class_of_kind  # start-up time: few programs name such classes

    is_known = name in recorded.names_of(path).other or name in DatasetBase._kinds
    return class_of_kind(name) if is_known else None


def _found(target: str):
    """A public object, or the function of a generated op: "math.add", "gen:add_v2"."""
    return generated_op(target.removeprefix("gen:")) if target.startswith("gen:") else _public(target)


def _public(path: str):
    value: Any = sys.modules["tracefn"]
    for name in path.split("."):
        value = getattr(value, name, None)
    return value


def _missing(path: str, name: str):
    """A placeholder, so that only the use of the name fails, not the import of a module that mentions it."""
    where = importer()
    text = f"tracefn, which stands in for TensorFlow, has no tensorflow.{path}.{name}"
    return placeholder(name, f"{text}. It is imported by {where}." if where else f"{text}.")


def importer() -> str | None:
    """The place in the program or a library that imports something now: "file:line"."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((_PACKAGE, "<frozen")) and "importlib" not in file:
            return f"{file}:{frame.f_lineno}"
        frame = frame.f_back
    return None
