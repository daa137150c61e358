"""The namespaces of `tf.compat.v1`, such as `tf.compat.v1.math`: each is a module that is made on first use."""

from __future__ import annotations

import importlib
import sys
import types

from tracefn._deprecated import noticed
from tracefn._missing import missing
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.names import MOVED, SAME
from tracefn.ops.by_path import paths, registered

_PREFIX = "compat.v1."
# The messages of `_proto` that are in namespaces.
_MESSAGES = frozenset(
    {
        "profiler.AdviceProto",
        "profiler.GraphNodeProto",
        "profiler.MultiGraphNodeProto",
        "profiler.OpLogProto",
        "train.SaverDef",
    }
)


def _own(namespace: str) -> set[str]:
    """The names exported as `compat.v1.<namespace>.<name>`."""
    return _below(paths(), f"{_PREFIX}{namespace}")


def _below(paths, namespace: str) -> set[str]:
    start = f"{namespace}."
    return {path[len(start) :] for path in paths if path.startswith(start) and path.find(".", len(start)) < 0}


class _Namespace(types.ModuleType):
    """A namespace; its names are looked up on first use."""

    def __init__(self, path: str) -> None:
        super().__init__(f"tracefn.{_PREFIX}{path}", f"`tf.{_PREFIX}{path}`: names of TensorFlow 1.")
        self.__dict__["__path__"] = []  # it may be imported from
        self.__dict__["_tf_path"] = path

    def __getattr__(self, name: str):
        path = self.__dict__["_tf_path"]
        value = noticed(f"{_PREFIX}{path}.{name}", _found(path, name))
        self.__dict__[name] = value
        return value

    def __dir__(self):
        path = self.__dict__["_tf_path"]
        known = _own(path) | set(SAME.get(path, "").split()) | _below(MOVED, path) | _below(SAME, path) | _below(_MESSAGES, path)
        return sorted(name for name in known if _exists(path, name))


def _exists(path: str, name: str) -> bool:
    try:
        _found(path, name)
    except AttributeError:
        return False
    return True


def _found(path: str, name: str):
    full = f"{path}.{name}"
    own = registered(_PREFIX + full)
    if own is not None:
        return own
    if full in MOVED:
        return today(MOVED[full])
    if name in SAME.get(path, "").split():
        return today(full)
    if full in namespaces():
        return namespace(full)
    if full in _MESSAGES:
        from tracefn._proto import message_class  # start-up time: few programs need messages

        return message_class(name)
    if full == "test.mock":
        return importlib.import_module("unittest.mock")  # start-up time: few programs need it
    if full == "nn.rnn_cell":
        from tracefn.as_tensorflow.keras_modules import LegacyModule  # start-up time: few programs need it

        return LegacyModule(full, "__internal__.legacy.rnn_cell")
    raise missing(_PREFIX + path, name)


def namespaces() -> frozenset[str]:
    """The paths of the namespaces below `tf.compat.v1`."""
    moved = {path.rpartition(".")[0] for path in MOVED}
    own = {path.removeprefix(_PREFIX).rpartition(".")[0] for path in paths() if path.startswith(_PREFIX)}
    return frozenset((moved | own | set(SAME)) - {""})


def namespace(path: str):
    """The module of a namespace; it can be imported from then on."""
    full = f"tracefn.{_PREFIX}{path}"
    if full not in sys.modules:
        sys.modules[full] = _Namespace(path)
    return sys.modules[full]


