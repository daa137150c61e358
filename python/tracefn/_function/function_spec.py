"""Descriptions of the parameters of a Function: its FunctionSpec and FunctionType."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracefn import nest
from tracefn._core import Function, FunctionType, Parameter

if TYPE_CHECKING:
    import inspect


class FunctionSpec:
    """Describes how calls of a Function are bound.

    Attributes:
      fullargspec: the Python function's `inspect.FullArgSpec`.
      function_type: FunctionType.
      arg_names: list of str, the parameters that can be given by position.
      default_values: dict of the defaults.
      input_signature: tuple of specs, or None.
      flat_input_signature: the specs, flat; `(None,)` without input_signature.
      jit_compile: as given.
      is_pure: False.
    """

    def __init__(self, python_function, function_type, input_signature, jit_compile) -> None:
        import inspect  # start-up time: few programs ask for signatures

        self.fullargspec = inspect.getfullargspec(python_function)
        self.function_type = function_type
        self.input_signature = input_signature
        self.jit_compile = jit_compile
        self.is_pure = False

    @property
    def arg_names(self) -> list[str]:
        keyword_only = self.fullargspec.kwonlyargs
        return [name for name in self.function_type.parameters if name not in keyword_only]

    @property
    def default_values(self) -> dict:
        spec = self.fullargspec
        defaults = spec.defaults or ()
        by_position = dict(zip(spec.args[len(spec.args) - len(defaults) :], defaults, strict=True))
        return {**by_position, **(spec.kwonlydefaults or {})}

    @property
    def flat_input_signature(self) -> tuple:
        return (None,) if self.input_signature is None else tuple(nest.flatten(self.input_signature))

    def signature_summary(self, default_values=False) -> str:
        """The parameters as text; with `default_values` those of the Python function are appended."""
        summary = repr(self.function_type)
        if not default_values:
            return summary
        defaults = [f"{name}: {value!r}" for name, value in self.default_values.items()] or ["None"]
        return "\n  ".join([summary + "\nDefaults:", *defaults])


def function_spec(self: Function) -> FunctionSpec:
    """The FunctionSpec of a Function."""
    return FunctionSpec(self.python_function, self.function_type, self.input_signature, self._impl.options.jit_compile)


def signature(self: FunctionType) -> inspect.Signature:
    import inspect  # start-up time: few programs ask for signatures

    return inspect.Signature([
        inspect.Parameter(p.name, p.kind, default=p.default) for p in self.parameters.values()
    ])  # fmt: skip


def no_default(self: FunctionType | Parameter):
    """What stands for a default that there is none of."""
    import inspect  # start-up time: few programs ask for signatures

    return inspect.Parameter.empty


def default(self: Parameter):
    return CAPTURED_DEFAULT_VALUE if self.optional else no_default(self)


def is_supertype_of(self: FunctionType, other: FunctionType) -> bool:
    """Whether `other` has the same parameters and accepts every value that this one accepts."""
    mine, others = self.parameters, other.parameters
    if list(mine) != list(others) or any(mine[name].kind != others[name].kind for name in mine):
        return False
    pairs = [(mine[name].type_constraint, others[name].type_constraint) for name in mine]
    return all(b is None or (a is not None and a.is_subtype_of(b)) for a, b in pairs)


class _CapturedDefaultValue:
    """Stands, in a FunctionType, for a default value that the Function holds."""

    def __repr__(self) -> str:
        return "<captured_default_value>"


CAPTURED_DEFAULT_VALUE = _CapturedDefaultValue()
