"""Operators and conversions of Variables, which apply to the value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracefn import _core
from tracefn._missing.members import missing_member_of_variable


class Operators:
    """A Variable behaves like its value in expressions."""

    if TYPE_CHECKING:  # created at the end of this file, each from the tensor's
        __add__: Any
        __radd__: Any
        __sub__: Any
        __rsub__: Any
        __mul__: Any
        __rmul__: Any
        __truediv__: Any
        __rtruediv__: Any
        __div__: Any
        __rdiv__: Any
        __floordiv__: Any
        __rfloordiv__: Any
        __mod__: Any
        __rmod__: Any
        __pow__: Any
        __rpow__: Any
        __matmul__: Any
        __rmatmul__: Any
        __and__: Any
        __rand__: Any
        __or__: Any
        __ror__: Any
        __xor__: Any
        __rxor__: Any
        __neg__: Any
        __abs__: Any
        __invert__: Any
        __lt__: Any
        __le__: Any
        __gt__: Any
        __ge__: Any

        def value(self) -> Any: ...
        def read_value(self) -> Any: ...
        def __getattr__(self, name: str) -> Any: ...
    else:
        __getattr__ = missing_member_of_variable

    def __int__(self) -> int:
        return int(_known(self.value()))

    def __float__(self) -> float:
        return float(_known(self.value()))

    def __complex__(self) -> complex:
        return complex(self.value().numpy())

    def __bool__(self) -> bool:
        return bool(self.value())

    def __iter__(self):
        return iter(self.read_value())


def _known(value):
    """A tensor that has a value.

    Raises:
      AttributeError: it has none.
    """
    return value if isinstance(value, _core.EagerTensor) else value.numpy()


def _add_operator(name: str) -> None:
    method = getattr(_core.Tensor, name)
    raw = _core.raw_op("Equal" if name == "__eq__" else "NotEqual")

    def operator(self, *args):
        return method(self.value(), *args)

    def comparison(self, other):
        # In a graph, tensors and Variables are keys of feeds: compared by identity.
        if self._nodes is not None:
            return (self is other) == (name == "__eq__")
        # Tensors compare None, Variables refuse it.
        return method(self.value(), other) if other is not None else raw(x=self.value(), y=other)

    if name in ("__eq__", "__ne__"):
        operator = comparison
    operator.__name__, operator.__qualname__ = name, f"Variable.{name}"
    setattr(Operators, name, operator)


_WITH_REVERSED = ("add", "sub", "mul", "truediv", "div", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")
_NAMES = (
    *(f"__{name}__" for name in _WITH_REVERSED),
    *(f"__r{name}__" for name in _WITH_REVERSED),
    *(f"__{name}__" for name in ("neg", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne")),
)


def follow_tensors() -> None:
    """Makes the operators those that tensors have now."""
    for name in _NAMES:
        _add_operator(name)


follow_tensors()


def claim_operators(cls) -> None:
    """Gives a class the operators of Variables as its own, before those of its other base classes."""

    def add(name: str) -> None:
        def operator(self, *args):
            return getattr(Operators, name)(self, *args)

        operator.__name__, operator.__qualname__ = name, f"{cls.__qualname__}.{name}"
        setattr(cls, name, operator)

    for name in _NAMES:
        add(name)


def _refuse_in_place(name: str, text: str) -> None:
    def refuse(self, other):
        raise RuntimeError(text)

    setattr(Operators, name, refuse)


_refuse_in_place("__iadd__", "`variable += value` with `tf.Variable`s is not supported. Use `variable.assign_add(value)` "
                 "to modify the variable, or `out = variable + value` if you need to get a new output Tensor.")
_refuse_in_place("__isub__", "`variable -= value` with `tf.Variable`s is not supported. Use `variable.assign_sub(value)` "
                 "to modify the variable, or `out = variable * value` if you need to get a new output Tensor.")
for _name, _sign in (("__imul__", "*"), ("__itruediv__", "/"), ("__ipow__", "**")):
    _refuse_in_place(_name, f"`var {_sign}= value` with `tf.Variable`s is not supported. Use `var.assign(var {_sign} "
                     f"value)` to modify the variable, or `out = var {_sign} value` if you need to get a new output "
                     "Tensor.")
