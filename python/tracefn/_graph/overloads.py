"""The operators of tensors as functions of any object, which libraries give to classes of their own: `tf.Tensor.__add__` calls
`tf.__operators__.add` for an object that is no tensor, so that dispatchers see it."""

from __future__ import annotations

import operator
import sys

from tracefn import _core

# What an operator of an object that is no tensor calls; the second for other dtypes than bool.
_BINARY = {
    "add": "__operators__.add",
    "and": "math.logical_and bitwise.bitwise_and",
    "div": "compat.v1.div",
    "floordiv": "math.floordiv",
    "matmul": "linalg.matmul",
    "mod": "math.floormod",
    "mul": "math.multiply",
    "or": "math.logical_or bitwise.bitwise_or",
    "pow": "math.pow",
    "sub": "math.subtract",
    "truediv": "math.truediv",
    "xor": "math.logical_xor bitwise.bitwise_xor",
}
_COMPARISONS = {
    "eq": "__operators__.eq",
    "ge": "math.greater_equal",
    "getitem": "__operators__.getitem",
    "gt": "math.greater",
    "le": "math.less_equal",
    "lt": "math.less",
    "ne": "__operators__.ne",
}
_UNARY = {"abs": "math.abs", "invert": "math.logical_not bitwise.invert", "neg": "math.negative"}


def _function(paths: str, x):
    """The function for the operand x."""
    path, _, other = paths.partition(" ")
    if other and _dtype_of(x) not in (None, "bool"):
        path = other
    return operator.attrgetter(path)(sys.modules["tracefn"])


def _dtype_of(x) -> str | None:
    """The name of the dtype of what converts to a tensor."""
    try:
        return _core.convert_to_tensor(x).dtype.name
    except (TypeError, ValueError):
        return None


def _forward(name: str, path: str, slot):
    def call(self, other):
        if slot is not None and isinstance(self, _core.Tensor):
            return slot(self, other)
        return _function(path, self)(self, other)

    return _named(call, name, slot)


def _backward(name: str, path: str, slot):
    def call(self, other):
        if slot is not None and isinstance(self, _core.Tensor):
            return slot(self, other)
        return _function(path, other)(other, self)

    return _named(call, name, slot)


def _alone(name: str, path: str, slot):
    def call(self):
        return slot(self) if isinstance(self, _core.Tensor) else _function(path, self)(self)

    return _named(call, name, slot)


def _named(call, name: str, slot):
    call.__name__ = name
    call.__qualname__ = f"Tensor.{name}"
    call.__doc__ = getattr(slot, "__doc__", None)
    return call


def attach(cls: type) -> None:
    """Shows these functions as attributes of the class of tensors; its slots stay."""
    own = {name: vars(cls).get(name) for name in _names()}
    for names, make, form in ((_BINARY, _forward, "__{}__"), (_BINARY, _backward, "__r{}__"), (_COMPARISONS, _forward, "__{}__"),
                              (_UNARY, _alone, "__{}__")):  # fmt: skip
        for short, path in names.items():
            name = form.format(short)
            if own[name] is not None:
                _core.show_attribute(cls, name, make(name, path, own[name]))


def _names() -> list[str]:
    return [f"__{name}__" for name in (*_BINARY, *_COMPARISONS, *_UNARY)] + [f"__r{name}__" for name in _BINARY]
