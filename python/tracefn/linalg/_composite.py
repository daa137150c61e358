"""Operators as composite values: what `tf.nest` expands them to, and `tf.function` takes as arguments."""

from __future__ import annotations

from tracefn import nest
from tracefn.composite import CompositeTensor
from tracefn.framework import is_tensor
from tracefn.linalg._hints import HINTS
from tracefn.ops.array_creation import zeros_like
from tracefn.type_spec import TypeSpec, type_spec_from_value
from tracefn.variable import Variable


class LinearOperatorSpec(TypeSpec):
    """The type of a linear operator: its class, the specs of its tensors, and its other arguments."""

    __slots__ = ("_other", "_specs")

    def __init__(self, param_specs, non_tensor_params):
        self._specs = param_specs
        self._other = non_tensor_params

    def _serialize(self):
        return (self._specs, self._other)

    @property
    def _component_specs(self):
        return self._specs

    def _to_components(self, value):
        return {name: _plain(value._argument(name)) for name in self._specs}

    def _from_components(self, components):
        return self.value_type(**self._other, **components)


class GradientOfOperator:
    """What tapes differentiate of an operator: its tensors. The gradient is an operator of their gradients."""

    def get_gradient_components(self, value):
        """The parts of `value` that are differentiated."""
        return value._type_spec._to_components(value)

    def replace_gradient_components(self, value, component_grads):
        """`value` with the gradients of its parts in their place: zeros for those without one; None if no part has one."""
        gradients = nest.flatten(component_grads)
        if all(gradient is None for gradient in gradients):
            return None
        parts = self.get_gradient_components(value)
        gradients = [
            nest.map_structure(lambda x: zeros_like(x, dtype=value.dtype), part, expand_composites=True) if found is None else found
            for part, found in zip(nest.flatten(parts), gradients, strict=True)
        ]
        return value._type_spec._from_components(nest.pack_sequence_as(parts, gradients))


def _plain(value):
    """Lists and tuples as lists that no module wraps. A Variable stays: what changes it reaches the operator."""
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _spec(value):
    """The spec of an argument that is made of tensors; None for another argument."""
    if isinstance(value, (list, tuple)):
        specs = [_spec(item) for item in value]
        return specs if specs and None not in specs else None
    if isinstance(value, CompositeTensor):
        return value._type_spec
    return type_spec_from_value(value) if is_tensor(value) or isinstance(value, Variable) else None


def spec_class(operators: type) -> type:
    """The class of the specs of a class of operators."""
    return type(f"{operators.__name__}Spec", (LinearOperatorSpec,), {"value_type": operators, "__slots__": ()})


def spec_of(operator) -> LinearOperatorSpec:
    """The spec of an operator."""
    names = operator._arguments
    if names is None:
        names = [name for name in operator.parameters if name not in (*HINTS, "name", "graph_parents")]
    values = {name: operator._argument(name) for name in names}
    specs, other = {}, {name: getattr(operator, name) for name in HINTS}
    for name, value in values.items():
        if (spec := _spec(value)) is None:
            other[name] = value
        else:
            specs[name] = spec
    return operator.Spec(specs, other)
