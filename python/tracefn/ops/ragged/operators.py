"""Operators of ragged tensors."""

from __future__ import annotations

from tracefn.errors import InvalidArgumentError
from tracefn.framework import is_tensor
from tracefn.ops.by_path import public_function
from tracefn.ops.ragged.elementwise import binary
from tracefn.ops.ragged.tensor import is_ragged

_BINARY = {
    "add": "math.add",
    "sub": "math.subtract",
    "mul": "math.multiply",
    "truediv": "math.truediv",
    "div": "math.divide",
    "floordiv": "math.floordiv",
    "mod": "math.floormod",
    "pow": "math.pow",
    "and": "math.logical_and",
    "or": "math.logical_or",
    "xor": "math.logical_xor",
}
_ORDER = {"lt": "math.less", "le": "math.less_equal", "gt": "math.greater", "ge": "math.greater_equal"}
_UNARY = {"neg": "math.negative", "abs": "math.abs", "invert": "math.logical_not"}


def _operator(path: str):
    def operate(self, other):
        if not is_ragged(self):  # a library's class has taken the operator
            return public_function(path)(self, other)
        return binary(public_function(path), self, other)

    return operate


def _reflected(path: str):
    def operate(self, other):
        if not is_ragged(self):
            return public_function(path)(other, self)
        return binary(public_function(path), other, self)

    return operate


def _unary(path: str):
    def operate(self):
        if not is_ragged(self):
            return public_function(path)(self)
        return self.with_flat_values(public_function(path)(self.flat_values))

    return operate


def _equality(path: str, otherwise: bool):
    def compare(self, other):
        if other is None:
            return otherwise
        try:
            return binary(public_function(path), self, other)
        except (InvalidArgumentError, ValueError):
            return otherwise  # the shapes do not broadcast

    return compare


def _matmul_of_tensor(self, other):
    if not is_tensor(other):
        return NotImplemented
    return public_function("linalg.matmul")(other, self)


METHODS = {
    **{f"__{name}__": _operator(path) for name, path in (_BINARY | _ORDER).items()},
    **{f"__r{name}__": _reflected(path) for name, path in _BINARY.items()},
    **{f"__{name}__": _unary(path) for name, path in _UNARY.items()},
    "__rmatmul__": _matmul_of_tensor,  # of a tensor and this; this has no __matmul__, as in TensorFlow
    "__eq__": _equality("math.equal", False),
    "__ne__": _equality("math.not_equal", True),
}
