"""`TraceType` and the tracing protocol: how an argument of any class tells `tf.function` what a trace depends on."""

from __future__ import annotations

import abc

from tracefn._value_text import value_text
from tracefn.dtypes import DType
from tracefn.tensor_shape import TensorShape


class TraceType(abc.ABC):
    """The type of an argument when a function is traced; part of the key of the trace.

    A user-defined class returns one from `__tf_tracing_type__`. An argument uses an existing trace if its type equals the
    traced type or is a subtype of it.

    Subclasses define `is_subtype_of`, `most_specific_common_supertype`, `placeholder_value`, `__eq__` and `__hash__`;
    they define `flatten`, `to_tensors` and `from_tensors` as well if the value holds tensors.

    >>> class Mode(tf.types.experimental.TraceType):
    ...     def __init__(self, name):
    ...         self.name = name
    ...     def is_subtype_of(self, other):
    ...         return self == other
    ...     def most_specific_common_supertype(self, others):
    ...         return self if all(self == other for other in others) else None
    ...     def placeholder_value(self, placeholder_context):
    ...         return self.name
    ...     def __eq__(self, other):
    ...         return isinstance(other, Mode) and self.name == other.name
    ...     def __hash__(self):
    ...         return hash(self.name)
    >>> Mode("train").is_subtype_of(Mode("train")), Mode("train").flatten()
    (True, [])
    """

    __slots__ = ()

    @abc.abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether a trace made for `other` can be used for arguments of this type."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others) -> TraceType | None:
        """The most specific type that this and all `others` (a sequence) are subtypes of, or None."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context):
        """The value that stands for the argument while the function is traced."""

    def to_tensors(self, value) -> list:
        """The tensors in `value`, one for each spec of `flatten()`."""
        return []

    def from_tensors(self, tensors):
        """The value rebuilt from the next tensors of the iterator `tensors`."""
        return self.placeholder_value(PlaceholderContext())

    def flatten(self) -> list:
        """The `tf.TensorSpec`s of the tensors in a value of this type."""
        return []

    def cast(self, value, cast_context):
        """`value` converted to this type.

        Raises:
          AssertionError: `value` does not convert.
        """
        if value != self.placeholder_value(PlaceholderContext()):
            raise AssertionError(f"Can not cast {value_text(value)} to type {self!r}")
        return value

    @abc.abstractmethod
    def __eq__(self, other):
        """Whether the types are equal."""

    @abc.abstractmethod
    def __hash__(self):
        """Equal for equal types."""


# They have the methods; a common base would cost their compact slots.
TraceType.register(DType)
TraceType.register(TensorShape)


class TracingContext:
    """Passed to `__tf_tracing_type__`; created by the package, and opaque to user code.

    `alias_global_id(number)` maps equal numbers in one call to the same small number.
    """

    __slots__ = ()


class PlaceholderContext:
    """Passed to `TraceType.placeholder_value`; created by the package, to be passed on to the specs of the parts.

    That of a running trace has `placeholder(spec)`, which adds an input to the graph.
    """

    __slots__ = ()

    def placeholder(self, spec):
        """A symbolic tensor for `spec`, which becomes an input of the function being traced.

        Raises:
          RuntimeError: no function is being traced.
        """
        raise RuntimeError(f"A placeholder for {spec} can only be made while a function is traced.")


class CastContext:
    """Passed to `TraceType.cast`; created by the package, to be passed on to the specs of the parts."""

    __slots__ = ()


class _SupportsTracing(abc.ABCMeta):
    def __instancecheck__(cls, instance):
        return hasattr(type(instance), "__tf_tracing_type__")

    def __subclasscheck__(cls, subclass):
        return hasattr(subclass, "__tf_tracing_type__")


class SupportsTracingProtocol(metaclass=_SupportsTracing):
    """A class with `__tf_tracing_type__(self, context)`; it need not inherit from this one.

    >>> class Setting:
    ...     def __tf_tracing_type__(self, context):
    ...         return tf.TensorSpec([])
    >>> isinstance(Setting(), tf.types.experimental.SupportsTracingProtocol)
    True
    """

    __slots__ = ()

    @abc.abstractmethod
    def __tf_tracing_type__(self, context: TracingContext) -> TraceType:
        """The TraceType of this object, by which `tf.function` selects a trace."""
