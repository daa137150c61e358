"""The table of the gradient functions of all op types, as programs that replace some of them know it."""

from __future__ import annotations

import functools
from collections.abc import MutableMapping

from tracefn import _core
from tracefn.ops.gradient_registry import RecordedOperation, _registered, _taken_out, own_kind
from tracefn.python.framework.registry import Registry

_BUILT_IN = "tracefn's registry of ops"
_BY_TABLE = "the table of gradients"


class OwnRule:
    """The rule that an op type has here, as a gradient function.

    Args:
      op_type: the name of an op.
    """

    def __init__(self, op_type: str) -> None:
        self.op_type = op_type
        self.__name__ = self.__qualname__ = f"_{op_type}Grad"

    def __call__(self, op, *dys):
        """The gradient of the input of an op, or the list of those of several inputs.

        Args:
          op: Operation, or RecordedOperation.
          dys: gradients of the outputs: tensors, IndexedSlices or None.

        Raises:
          ValueError: `dys` are not as many as the outputs.
        """
        attrs = op._attrs if isinstance(op, RecordedOperation) else None
        found = _core.rule_gradients(self.op_type, list(op.inputs), list(op.outputs), attrs, dys)
        return found[0] if len(found) == 1 else found

    def __repr__(self) -> str:
        return f"<gradient of {self.op_type}>"


@functools.cache
def _own_rule(op_type: str) -> OwnRule:
    """The one object that stands for the rule of an op type."""
    return OwnRule(op_type)


def _is_own(name: str, function) -> bool:
    """Whether a function, or None, is what the registry of ops has for an op type."""
    if function is None:
        return own_kind(name) == "none"
    return isinstance(function, OwnRule) and function.op_type == name


def _set_function(name: str, function, location=_BY_TABLE) -> None:
    """Makes a function, or None, the gradient of an op type."""
    _registered[name] = (function, location)
    _tell(name, not _is_own(name, function))


def _tell(name: str, replaced: bool) -> None:
    """Tells the core whether the own rule of an op type is in use."""
    if name in _core.op_names():
        _core.replace_gradient(name, replaced)


class Entry(dict):
    """What the table has for an op type: "type", its gradient function or None; "location", where it was registered.

    Setting "type" replaces the gradient function. Copies are plain dicts.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def show(self, function, location) -> Entry:
        """Has what the registry has now."""
        super().update(type=function, location=location)
        return self

    def __setitem__(self, key, value) -> None:
        super().__setitem__(key, value)
        if key == "type":
            _set_function(self._name, value, self["location"])

    def update(self, *args, **kwargs) -> None:
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __reduce__(self):
        return dict, (dict(self),)


class Entries(MutableMapping):
    """The entries by op type: rules of the registry of ops, and functions that the program registered."""

    def __init__(self) -> None:
        self._made: dict[str, Entry] = {}

    def __getitem__(self, name):
        if name in _registered:
            now = _registered[name]
        elif name in self:
            now = _own_rule(name) if own_kind(name) == "rule" else None, _BUILT_IN
        else:
            raise KeyError(name)
        return self._made.setdefault(name, Entry(name)).show(*now)

    def __setitem__(self, name, entry) -> None:
        _set_function(name, entry["type"], entry.get("location", _BY_TABLE))

    def __delitem__(self, name) -> None:
        if name not in self:
            raise KeyError(name)
        _registered.pop(name, None)
        _taken_out.add(name)
        _tell(name, True)

    def __contains__(self, name) -> bool:
        return name in _registered or own_kind(name) != "missing"

    def __iter__(self):
        own = [name for name in _core.op_names() if name not in _registered and name in self]
        return iter([*own, *_registered])

    def __len__(self) -> int:
        return len(list(iter(self)))


class GradientTable(Registry):
    """The registry of gradients: what `tf.RegisterGradient` adds to.

    Example:
      >>> from tracefn.python.framework.ops import _gradient_registry
      >>> _gradient_registry.lookup("Square")
      <gradient of Square>
    """

    def __init__(self) -> None:
        super().__init__("gradient")
        self._registry = Entries()


gradient_table = GradientTable()
