"""A stand-in for a container, which passes on to it whatever it does not define itself."""

from __future__ import annotations

import importlib
import operator
from typing import Any


class ObjectProxy:
    """Stands for another object: also in `isinstance`, and in functions of nests, which know the class by its name.

    Args:
      wrapped: the object.
    """

    __wrapped__: Any = None

    def __init__(self, wrapped) -> None:
        object.__setattr__(self, "__wrapped__", wrapped)

    @property  # type: ignore[misc]
    def __class__(self):  # type: ignore[override]
        return type(self.__wrapped__)

    def __getattr__(self, name: str):
        if name == "__wrapped__" or name.startswith("_self_"):  # while it is made or copied
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __setattr__(self, name: str, value) -> None:
        if name.startswith("_self_") or hasattr(type(self), name):
            object.__setattr__(self, name, value)
        else:
            setattr(self.__wrapped__, name, value)

    def __str__(self) -> str:
        return str(self.__wrapped__)

    def __dir__(self):
        return sorted({*dir(self.__wrapped__), *super().__dir__()})

    def __reversed__(self):
        return reversed(self.__wrapped__)


def _pass_on(name: str, function) -> None:
    def method(self, *args):
        return function(self.__wrapped__, *args)

    method.__name__, method.__qualname__ = name, f"ObjectProxy.{name}"
    setattr(ObjectProxy, name, method)


def _reflected(function):
    return lambda mine, other: function(other, mine)


for _name, _function in (
    ("__len__", len), ("__iter__", iter), ("__bool__", bool), ("__contains__", operator.contains),
    ("__getitem__", operator.getitem), ("__lt__", operator.lt), ("__le__", operator.le), ("__gt__", operator.gt),
    ("__ge__", operator.ge), ("__ne__", operator.ne), ("__add__", operator.add), ("__mul__", operator.mul),
    ("__rmul__", operator.mul), ("__or__", operator.or_), ("__radd__", _reflected(operator.add)),
    ("__ror__", _reflected(operator.or_)),
):  # fmt: skip
    _pass_on(_name, _function)


def proxy_class() -> Any:
    """The base of the classes that wrap containers: wrapt's where it is installed, as in TensorFlow, otherwise ObjectProxy.

    Libraries that walk structures, such as dm-tree, know wrapt's class, which no other can pass for.
    """
    try:
        return importlib.import_module("wrapt").ObjectProxy  # optional: TensorFlow needs it, this package does not
    except ModuleNotFoundError:
        return ObjectProxy


def reduce_wrapped(proxy, protocol):
    """`__reduce_ex__` of a container's proxy: what is loaded from a pickle is a plain container."""
    return proxy.__wrapped__.__reduce_ex__(max(protocol, 2))  # those before know no tuples
