"""Operators of weak tensors, and of tensors with them."""

from __future__ import annotations

import functools

from tracefn._function.tracing import results_by
from tracefn._namespaces import root
from tracefn.autograph.runtime.branches import numbers_by
from tracefn.experimental.numpy import weak_functions
from tracefn.experimental.numpy.dtype_rules import infer_by
from tracefn.experimental.numpy.methods import COMPARISONS, NATIVE, add_methods
from tracefn.experimental.numpy.promotion_modes import result_dtype, set_mode, weak_dtypes
from tracefn.experimental.numpy.subscripts import getitem
from tracefn.experimental.numpy.weak_functions import of_one, of_two
from tracefn.experimental.numpy.weak_tensors import WeakTensor, plain, plain_all

tf = root()


def _is_bool(value) -> bool:
    return isinstance(value, tf.Tensor) and value.dtype.is_bool


def _product(multiply):
    def product(x, y):
        if not (_is_bool(x) or _is_bool(y)):
            return multiply(x, y)
        # With a boolean, the product is one.
        x, y = (tf.cast(plain(value), tf.int32) for value in (x, y))
        return tf.cast(multiply(x, y), tf.bool)

    return product


def _of_plain(name: str):
    """A native operator of tensors whose dtypes are not promoted."""
    native = NATIVE[name]
    return lambda x, y: native(plain(x), plain(y))


def _of_bits(name: str):
    """An operator of bits, whose left side has a dtype."""
    native = NATIVE[name]

    def operator(x, y):
        return native(plain(x), tf.convert_to_tensor(y, tf.bool) if x.dtype.is_bool and isinstance(y, WeakTensor) else plain(y))

    return operator


def _computations() -> dict:
    """The functions of the operators of arithmetic."""
    return {
        **{op: of_two(NATIVE[f"__{op}__"]) for op in ("add", "sub", "truediv", "floordiv", "mod", "pow", "matmul")},
        "mul": _product(of_two(NATIVE["__mul__"])),
        **{op: _of_bits(f"__{op}__") for op in ("and", "or", "xor")},
        "div": _of_plain("__div__"),
    }


def _left(op: str, compute):
    @functools.wraps(NATIVE[f"__{op}__"])
    def operator(self, other):
        try:
            return compute(self, other)
        except (TypeError, ValueError) as error:
            # An object that does not convert may implement the operation itself.
            reflected = getattr(other, f"__r{op}__", None) if hasattr(type(other), f"__r{op}__") else None
            if reflected is None:
                raise
            try:
                result = reflected(self)
            except (TypeError, ValueError):
                raise error from None
            if result is NotImplemented:
                raise
            return result

    return operator


def _right(op: str, compute):
    @functools.wraps(NATIVE[f"__r{op}__"])
    def operator(self, other):
        return compute(other, self)

    return operator


def _comparison(name: str, compute):
    @functools.wraps(NATIVE[name])
    def operator(self, other):
        return NATIVE[name](plain(self), None) if other is None else compute(self, other)

    return operator


def _operators() -> dict:
    found = {name: _comparison(name, _of_plain(name)) for name in COMPARISONS}
    found["__eq__"] = _comparison("__eq__", of_two(NATIVE["__eq__"], comparison=True))
    for op, compute in _computations().items():
        found[f"__{op}__"] = _left(op, compute)
        found[f"__r{op}__"] = _right(op, compute)
    return found


def _subscript(self, slice_spec):
    """`tensor[...]`, as NumPy does. Of a weak tensor too the result is strong."""
    return getitem(plain(self), plain_all(slice_spec))


def _turn_on() -> None:
    """Gives tensors and weak tensors the operators."""
    operators = _operators() | {"__getitem__": _subscript}
    for cls in (tf.Tensor, WeakTensor):
        for name, operator in operators.items():
            setattr(cls, name, operator)
    if "T" in vars(WeakTensor):
        return
    for name, op in (("__neg__", tf.negative), ("__abs__", tf.abs), ("__invert__", tf.bitwise.invert)):
        setattr(WeakTensor, name, of_one(op))
    add_methods(WeakTensor, of_one)


def _weak_number(value):
    """A weak tensor of a Python number; any other value as it is."""
    return WeakTensor.from_tensor(tf.convert_to_tensor(value)) if type(value) in (int, float, complex) else value


def follow_mode(mode: str) -> None:
    """Turns weak dtypes on, in the mode "safe" or "all", or off. Then tensors' operators are left as they are."""
    weak_functions.turn_off()
    set_mode(mode)
    infer_by(result_dtype if weak_dtypes() else None)
    for choose in (results_by, numbers_by):
        choose(_weak_number if weak_dtypes() else None)
    if weak_dtypes():
        _turn_on()
        weak_functions.turn_on()
