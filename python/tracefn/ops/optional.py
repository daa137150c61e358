"""`tf.experimental.Optional`: a value that may be missing, known by its spec; and its type."""

from __future__ import annotations

import abc

from tracefn import _core, nest
from tracefn._export import export
from tracefn._packer import leaves_of, packer
from tracefn.composite import CompositeTensor
from tracefn.ops._build import convert, name_scope, op
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec, type_spec_from_value


def _element(value):
    """The value with tensors in place of lists and numbers, as an optional holds it."""
    if isinstance(value, dict):
        return nest.pack_sequence_as(dict.fromkeys(value, 0), [_element(value[key]) for key in sorted(value)])
    if isinstance(value, tuple):
        parts = [_element(item) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if value is None or isinstance(value, CompositeTensor):
        return value
    try:
        return convert(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"Could not build a `TypeSpec` for {value!r} with type {type(value).__name__}") from error


@export("experimental.Optional")
class Optional(CompositeTensor):
    """A value that may be missing, as an argument, a result or a loop variable of functions.

    `tf.experimental.Optional.from_value` and `empty` make one.

    >>> present, absent = tf.experimental.Optional.from_value(42), tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32))
    >>> bool(present.has_value()), bool(absent.has_value())
    (True, False)
    >>> int(present.get_value())
    42
    """

    @abc.abstractmethod
    def has_value(self, name=None):
        """Whether there is a value, as a bool scalar.

        Args:
          name: name of the node.
        """

    @abc.abstractmethod
    def get_value(self, name=None):
        """The value.

        Args:
          name: name of the node.

        Raises:
          InvalidArgumentError: there is none.
        """

    @property
    @abc.abstractmethod
    def element_spec(self):
        """The nest of specs of the value."""

    @staticmethod
    def empty(element_spec):
        """An optional without a value.

        Args:
          element_spec: nest of specs of the value that is missing.
        """
        return _Optional(op("OptionalNone")(), element_spec)

    @staticmethod
    def from_value(value):
        """An optional with a value.

        Args:
          value: dict, tuple or nest of these; what is in it converts to tensors, or is a composite value.

        Raises:
          TypeError: a value does not convert.
          InvalidArgumentError: `value` has no tensors.
        """
        with name_scope("optional") as scope:
            with name_scope("value"):
                element = _element(value)
                spec = nest.map_structure(type_spec_from_value, element)
                pairs = zip(nest.flatten(spec), nest.flatten(element), strict=True)
                components = [tensor for part, held in pairs for tensor in part._to_tensor_list(held)]
            return _Optional(op("OptionalFromValue")(components=components, name=scope), spec)


_has_value = _core.raw_op("OptionalHasValue")
_get_value = _core.raw_op("OptionalGetValue")


class _Layout:
    """Which tensors an optional of a spec holds, and what they are packed to."""

    def __init__(self, element_spec):
        self.element_spec = element_spec
        self._parts = nest.flatten(element_spec)
        specs = [tensor for part in self._parts for tensor in part._flat_tensor_specs]
        self._types = [spec.dtype for spec in specs]
        self._shapes = [spec.shape for spec in specs]
        self._pack = packer(element_spec) or self._pack_any

    def value_of(self, variant_tensor, name):
        """The value of an optional."""
        found = _get_value(
            optional=variant_tensor, output_types=self._types, output_shapes=self._shapes, name=name
        )
        return self._pack(found if isinstance(found, (list, tuple)) else (found,))

    def _pack_any(self, tensors):
        return nest.pack_sequence_as(self.element_spec, leaves_of(self._parts, tensors))


class _Optional(Optional):
    """The optionals that there are."""

    def __init__(self, variant_tensor, element_spec, spec=None):
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec
        self._spec = spec

    def has_value(self, name=None):
        return _has_value(optional=self._variant_tensor, name=name)

    def get_value(self, name=None):
        return self._type_spec._layout.value_of(self._variant_tensor, name)

    @property
    def element_spec(self):
        return self._element_spec

    @property
    def _type_spec(self):
        # Keras sets the spec of the elements of an empty optional later.
        if self._spec is None or self._spec._element_spec is not self._element_spec:
            self._spec = OptionalSpec(self._element_spec)
        return self._spec


@export("OptionalSpec")
class OptionalSpec(TypeSpec):
    """The type of a `tf.experimental.Optional`.

    Args:
      element_spec: nest of specs of its value.

    >>> @tf.function(input_signature=[tf.OptionalSpec(tf.TensorSpec([], tf.int32))])
    ... def or_zero(x):
    ...     return x.get_value() if x.has_value() else 0
    >>> int(or_zero(tf.experimental.Optional.from_value(5)))
    5
    """

    __slots__ = ("__weakref__", "_element_spec", "_made_layout")

    def __init__(self, element_spec):
        self._element_spec = element_spec
        self._made_layout = None

    @property
    def value_type(self) -> type:
        """The class of optionals."""
        return _Optional

    @staticmethod
    def from_value(value):
        """The spec of an optional."""
        return OptionalSpec(value.element_spec)

    def _serialize(self):
        return (self._element_spec,)

    @property
    def _component_specs(self):
        return [TensorSpec([], "variant")]

    def _to_components(self, value):
        return [value._variant_tensor]

    def _from_components(self, components):
        return _Optional(components[0], self._element_spec, self)

    def from_tensors(self, tensors):
        return _Optional(next(tensors), self._element_spec, self)

    @property
    def _layout(self):
        if self._made_layout is None:
            self._made_layout = _Layout(self._element_spec)
        return self._made_layout
