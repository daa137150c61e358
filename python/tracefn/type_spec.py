"""`tf.TypeSpec`: the type of a value made of tensors, and how such a value is decomposed and rebuilt."""

from __future__ import annotations

import abc

from tracefn import _numpy as np
from tracefn import nest
from tracefn._nest.kinds import composite_specs
from tracefn._value_text import value_text
from tracefn.dtypes import DType
from tracefn.tensor_shape import TensorShape
from tracefn.trace_type import TraceType


@composite_specs
class TypeSpec(TraceType):
    """The type of a composite value: its class, its shapes and dtypes, and the specs of its tensors.

    A subclass defines `value_type`, `_serialize` (a tuple that rebuilds the spec when passed to the class),
    `_component_specs` (a nest of specs), `_to_components` (value to a nest of tensors) and `_from_components`.

    >>> class Pair(tf.TypeSpec):
    ...     def __init__(self, shape):
    ...         self.shape = tf.TensorShape(shape)
    ...     value_type = tuple
    ...     _component_specs = property(lambda self: [tf.TensorSpec(self.shape)] * 2)
    ...     def _serialize(self):
    ...         return (self.shape,)
    ...     def _to_components(self, value):
    ...         return list(value)
    ...     def _from_components(self, components):
    ...         return tuple(components)
    >>> Pair([2]).is_subtype_of(Pair([None])), Pair([2])
    (True, Pair(TensorShape([2]),))
    >>> Pair([2]).most_specific_common_supertype([Pair([3])])
    Pair(TensorShape([None]),)
    """

    __slots__ = ("_cached_key",)

    @property
    @abc.abstractmethod
    def value_type(self) -> type:
        """The class of the values."""

    @abc.abstractmethod
    def _serialize(self) -> tuple:
        """The arguments that recreate this spec: a nest of tuples, lists and dicts of ints, strings, None, shapes, dtypes."""

    @property
    @abc.abstractmethod
    def _component_specs(self):
        """Nest of specs, one for each component of `_to_components`."""

    @abc.abstractmethod
    def _to_components(self, value):
        """Decomposes `value` into a nest of tensors or composite values."""

    @abc.abstractmethod
    def _from_components(self, components):
        """Rebuilds a value from the result of `_to_components`."""

    @classmethod
    def _deserialize(cls, serialization: tuple) -> TypeSpec:
        """The spec for the result of `_serialize`."""
        return cls(*serialization)

    def is_compatible_with(self, spec_or_value) -> bool:
        """Whether `spec_or_value` is a compatible spec of this class, or a value with such a spec.

        Raises:
          TypeError: it is neither a spec nor a value that consists of tensors or converts to one.

        >>> tf.IndexedSlicesSpec([2]).is_compatible_with(tf.IndexedSlicesSpec([None]))
        True
        """
        if not isinstance(spec_or_value, TypeSpec):
            spec_or_value = type_spec_from_value(spec_or_value)
        return type(self) is type(spec_or_value) and _fits(self._serialize(), spec_or_value._serialize())

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether every value of this type is also of the type `other`, which is equal or more general in all parts.

        >>> tf.IndexedSlicesSpec([2]).is_subtype_of(tf.IndexedSlicesSpec())
        True
        """
        return type(self) is type(other) and _is_subtype(self._serialize(), other._serialize())

    def most_specific_common_supertype(self, others) -> TypeSpec | None:
        """The most specific spec of this class that covers this one and all `others`; None if there is none.

        >>> tf.TensorSpec([2]).most_specific_common_supertype([tf.TensorSpec([3])])
        TensorSpec(shape=(None,), dtype=tf.float32, name=None)
        """
        if any(type(other) is not type(self) for other in others):
            return None
        joined = _join(self._serialize(), [other._serialize() for other in others])
        return None if joined is _NO_TYPE else self._deserialize(joined)

    def most_specific_compatible_type(self, other: TypeSpec) -> TypeSpec:
        """The most specific spec that covers both; an older name of the common supertype.

        Raises:
          ValueError: there is none.
        """
        joined = self.most_specific_common_supertype([other])
        if joined is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return joined

    def placeholder_value(self, placeholder_context):
        """A value of this type made of symbolic tensors, which are inputs of the function being traced."""
        return self._from_components(
            nest.map_structure(lambda spec: spec.placeholder_value(placeholder_context), self._component_specs))

    def flatten(self) -> list:
        """The specs of all tensors in a value, in the order of `to_tensors`."""
        return [tensor_spec for spec in nest.flatten(self._component_specs) for tensor_spec in spec.flatten()]

    def to_tensors(self, value) -> list:
        """The tensors of `value`, one for each spec of `flatten()`."""
        specs, parts = self._component_specs, self._to_components(value)
        nest.assert_same_structure(specs, parts)
        pairs = zip(nest.flatten(specs), nest.flatten(parts), strict=True)
        return [tensor for spec, part in pairs for tensor in spec.to_tensors(part)]

    def from_tensors(self, tensors):
        """The value rebuilt from the next tensors of the iterator `tensors`."""
        return self._from_components(nest.map_structure(lambda spec: spec.from_tensors(tensors), self._component_specs))

    def cast(self, value, casting_context):
        """`value` with each of its tensors converted to its spec.

        Raises:
          TypeError: a tensor does not convert.
        """
        specs, parts = self._component_specs, self._to_components(value)
        return self._from_components(
            nest.map_structure(lambda spec, part: spec.cast(part, casting_context), specs, parts))

    @property
    def _flat_tensor_specs(self) -> list:
        """The specs of the tensors by which datasets and optionals hold a value."""
        return self.flatten()

    def _to_tensor_list(self, value) -> list:
        """These tensors of a value."""
        return self.to_tensors(value)

    def _from_tensor_list(self, tensor_list: list):
        """The value of such tensors, which are checked.

        Raises:
          ValueError: they are not of `_flat_tensor_specs`.
        """
        expected, found = self._flat_tensor_specs, [type_spec_from_value(tensor) for tensor in tensor_list]
        told = f"Cannot create a {self.value_type.__name__} from the tensor list because"
        if len(found) != len(expected):
            raise ValueError(
                f"{told} the TypeSpec expects {len(expected)} items, but the provided tensor list has {len(found)} items."
            )
        for i, (one, spec) in enumerate(zip(found, expected, strict=True)):
            if not one.is_compatible_with(spec):
                raise ValueError(
                    f"{told} item {i} ({tensor_list[i]!r}) is incompatible with the expected TypeSpec {spec}."
                )
        return self._from_compatible_tensor_list(tensor_list)

    def _from_compatible_tensor_list(self, tensor_list: list):
        """The value of tensors of `_flat_tensor_specs`."""
        return self.from_tensors(iter(tensor_list))

    def _key(self):
        """The values that equality and hash compare; computed once, because specs are immutable."""
        try:
            return self._cached_key
        except AttributeError:
            key = _hashable(self._serialize(), self)
            object.__setattr__(self, "_cached_key", key)
            return key

    def _with_tensor_ranks_only(self) -> TypeSpec:
        """The spec with sizes unknown in all of its shapes."""

        def relaxed(value):
            if isinstance(value, TypeSpec):
                return value._with_tensor_ranks_only()
            known = isinstance(value, TensorShape) and value.rank is not None
            return TensorShape([None] * value.rank) if known else value

        return self._deserialize(nest.map_structure(relaxed, self._serialize()))

    def _without_tensor_names(self) -> TypeSpec:
        """The spec without the names of tensors."""

        def unnamed(value):
            return value._without_tensor_names() if isinstance(value, TypeSpec) else value

        return self._deserialize(nest.map_structure(unnamed, self._serialize()))

    def __make_cmp_key(self, value):
        """A part of a spec as `_key` has it, for subclasses that have a key of their own."""
        return _hashable(value, self)

    def __eq__(self, other):
        return type(self) is type(other) and (self is other or self._key() == other._key())

    def __hash__(self):
        return hash((type(self), self._key()))

    def __reduce__(self):
        return type(self), self._serialize()

    def __repr__(self):
        return f"{type(self).__name__}{self._serialize()!r}"


class BatchableTypeSpec(TypeSpec):
    """A TypeSpec whose values can be stacked; a subclass defines `_batch` and `_unbatch` as well."""

    __slots__ = ()

    @abc.abstractmethod
    def _batch(self, batch_size) -> TypeSpec:
        """The spec of `batch_size` (None: any number of) values, stacked."""

    @abc.abstractmethod
    def _unbatch(self) -> TypeSpec:
        """The spec of one of the values of a stack."""

    @property
    def _flat_tensor_specs(self) -> list:
        return [tensor for spec in nest.flatten(self._component_specs) for tensor in spec._flat_tensor_specs]

    def _to_tensor_list(self, value) -> list:
        return [tensor for spec, part in self._parts(value) for tensor in spec._to_tensor_list(part)]

    def _to_batched_tensor_list(self, value) -> list:
        """The tensors of a stack of values, whose rows are the tensors of a value each."""
        return [tensor for spec, part in self._parts(value) for tensor in spec._to_batched_tensor_list(part)]

    def _from_compatible_tensor_list(self, tensor_list: list):
        tensors = iter(tensor_list)

        def part(spec):
            return spec._from_compatible_tensor_list([next(tensors) for _ in spec._flat_tensor_specs])

        return self._from_components(nest.map_structure(part, self._component_specs))

    def _parts(self, value):
        """Pairs of the spec and the value of each component."""
        specs, parts = self._component_specs, self._to_components(value)
        nest.assert_same_structure(specs, parts)
        return zip(nest.flatten(specs), nest.flatten(parts), strict=True)


_NO_TYPE = object()


def _of_tensor_like(value) -> TypeSpec | None:
    """The spec of a value without `_type_spec`; `spec_of_others` replaces this by the function of tracefn.tensor_spec."""
    raise NotImplementedError


def spec_of_others(function):
    """Decorator of the function by which `type_spec_from_value` finds the spec of a value without `_type_spec`."""
    global _of_tensor_like
    _of_tensor_like = function
    return function


def type_spec_from_value(value) -> TypeSpec:
    """The TypeSpec of a value.

    Args:
      value: a tensor, Variable or other value made of tensors, None, or a value that converts to a tensor.

    Returns:
      TensorSpec, VariableSpec or the spec of the value's class.

    Raises:
      TypeError: `value` is none of these.

    >>> tf.type_spec_from_value(np.zeros([2, 3], np.float32))
    TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)
    """
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, TypeSpec):
        return spec
    spec = _of_tensor_like(value)
    if spec is None:
        raise TypeError(f"Could not build a TypeSpec for {value_text(value)} of unsupported type {type(value)!r}.")
    return spec


def _same_structure(a, b) -> bool:
    """Whether two parts of serializations are containers of the same kind and length."""
    if type(a) is not type(b):
        return False
    return a.keys() == b.keys() if isinstance(a, dict) else len(a) == len(b)


def _pairs(a, b):
    return [(a[key], b[key]) for key in a] if isinstance(a, dict) else zip(a, b, strict=True)


def _fits(a, b) -> bool:
    """Whether serializations are compatible: equal except for shapes, dtypes and specs, which must be compatible."""
    if isinstance(a, (tuple, list, dict)):
        return _same_structure(a, b) and all(_fits(x, y) for x, y in _pairs(a, b))
    if type(a) is type(b) and isinstance(a, (TensorShape, DType, TypeSpec)):
        return a.is_compatible_with(b)
    return type(a) is type(b) and _equal(a, b)


def _is_subtype(a, b) -> bool:
    if isinstance(a, (tuple, list, dict)):
        return _same_structure(a, b) and all(_is_subtype(x, y) for x, y in _pairs(a, b))
    if isinstance(a, TraceType):
        return a.is_subtype_of(b)
    return _equal(a, b)


def _join(a, others: list):
    """The common supertype of serializations, or `_NO_TYPE`."""
    if isinstance(a, (tuple, list, dict)):
        if not all(_same_structure(a, other) for other in others):
            return _NO_TYPE
        keys = list(a) if isinstance(a, dict) else range(len(a))
        parts = [_join(a[key], [other[key] for other in others]) for key in keys]
        if any(part is _NO_TYPE for part in parts):
            return _NO_TYPE
        if isinstance(a, dict):
            return type(a)(zip(keys, parts, strict=True))
        return type(a)(*parts) if hasattr(a, "_fields") else type(a)(parts)
    if isinstance(a, TraceType):
        joined = a.most_specific_common_supertype(others)
        return _NO_TYPE if joined is None else joined
    return a if all(_equal(a, other) for other in others) else _NO_TYPE


def _equal(a, b) -> bool:
    if np.is_array(a) or np.is_array(b):
        return type(a) is type(b) and a.dtype == b.dtype and np.array_equal(a, b)
    return a == b


def _hashable(value, owner):
    """A serialization as nested tuples that distinguish containers of different kinds."""
    if isinstance(value, (tuple, list)):
        return (type(value), *[_hashable(item, owner) for item in value])
    if isinstance(value, dict):
        items = [(_hashable(key, owner), _hashable(value[key], owner)) for key in value]
        return (type(value), frozenset(items))
    if np.is_array(value):
        return (np.ndarray, value.shape, str(value.dtype), tuple(value.ravel().tolist()))
    if isinstance(value, type) or getattr(type(value), "__hash__", None) is None:
        raise ValueError(f"Cannot generate a hashable key for {owner} because the _serialize() method returned an "
                         f"unsupported value of type {type(value)}")
    return value
