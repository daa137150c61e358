"""`TraceType` and the tracing protocol: how an argument of any class tells `tf.function` what its trace depends on."""

from __future__ import annotations

import abc

from tracefn._value_text import value_text
from tracefn.dtypes import DType
from tracefn.tensor_shape import TensorShape


class TraceType(abc.ABC):
    """What is known about an argument when a function is traced; part of the key of its trace.

    A class of your own returns one from `__tf_tracing_type__`. Two arguments share a trace if their trace types are
    equal, or if the type of the one is a subtype of the one that was traced.

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
        """Whether a trace made for `other` serves arguments of this type."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others) -> TraceType | None:
        """The narrowest type that this and all `others` (a sequence) are subtypes of, or None if there is none."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context):
        """The value that stands for the argument while the function is traced."""

    def to_tensors(self, value) -> list:
        """The tensors in `value`, one for each spec of `flatten()`."""
        return []

    def from_tensors(self, tensors):
        """The value made from the tensors that it takes from the iterator `tensors`."""
        return self.placeholder_value(PlaceholderContext())

    def flatten(self) -> list:
        """The `tf.TensorSpec`s of the tensors in a value of this type."""
        return []

    def cast(self, value, cast_context):
        """`value` converted to this type.

        Raises:
          AssertionError: it does not convert.
        """
        if value != self.placeholder_value(PlaceholderContext()):
            raise AssertionError(f"Can not cast {value_text(value)} to type {self!r}")
        return value

    @abc.abstractmethod
    def __eq__(self, other):
        """Whether both types mean the same arguments."""

    @abc.abstractmethod
    def __hash__(self):
        """Equal for equal types."""


# They have the methods; a common base would cost their compact slots.
TraceType.register(DType)
TraceType.register(TensorShape)


class TracingContext:
    """Given to `__tf_tracing_type__`; made by the package, an opaque object for user code.

    `alias_global_id(number)` gives equal objects of one call an equal small number.
    """

    __slots__ = ()


class PlaceholderContext:
    """Given to `TraceType.placeholder_value`; made by the package, to be handed on to the specs of the parts.

    The one of a running trace has `placeholder(spec)`, which adds an input to its graph.
    """

    __slots__ = ()

    def placeholder(self, spec):
        """A symbolic tensor for `spec` that becomes an input of the function traced now.

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
    """A class with `__tf_tracing_type__(self, context)`; inheriting from this one is not needed.

    >>> class Setting:
    ...     def __tf_tracing_type__(self, context):
    ...         return tf.TensorSpec([])
    >>> isinstance(Setting(), tf.types.experimental.SupportsTracingProtocol)
    True
    """

    __slots__ = ()

    @abc.abstractmethod
    def __tf_tracing_type__(self, context: TracingContext) -> TraceType:
        """The TraceType of this object, by which `tf.function` chooses a trace."""
