"""`tf.experimental.ExtensionType`: classes of values made of tensors, declared by annotations like dataclasses."""

from __future__ import annotations

import functools
import inspect
import typing
from typing import Any

from tracefn import _core, _type_spec_registry, nest
from tracefn._extension import fields as _fields
from tracefn._extension.batching import ExtensionTypeBatchEncoder
from tracefn._extension.immutable_dict import ImmutableDict
from tracefn._nest.shallow import flatten_up_to
from tracefn.composite import CompositeTensor
from tracefn.ops.reduction import reduce_all
from tracefn.type_spec import TypeSpec

_equal, _logical_not, _shape = _core.raw_op("Equal"), _core.raw_op("LogicalNot"), _core.raw_op("Shape")

_OPEN = "_tf_extension_type_open"  # in the __dict__ of an object as long as its constructor runs
_CACHED_SPEC = "_tf_extension_type_cached_type_spec"


class _Frozen:
    """Objects whose attributes only their constructor can set."""

    _tf_extension_type_told = "ExtensionType"
    _tf_extension_type_by_name: typing.ClassVar[dict[str, _fields.Field]] = {}
    _tf_extension_type_batchable = False

    def __setattr__(self, name, value):
        if _OPEN not in self.__dict__ or name not in type(self)._tf_extension_type_by_name:
            raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of "
                                 f"{self._tf_extension_type_told}.")
        self.__dict__[name] = value

    def __delattr__(self, name):
        raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of "
                             f"{self._tf_extension_type_told}.")

    def _tf_extension_type_values(self) -> list:
        """(name, value) of each field, in order."""
        return [(name, self.__dict__[name]) for name in type(self)._tf_extension_type_by_name]

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple:
        """The fields as ExtensionTypeFields, in order."""
        return tuple(field.told() for field in cls._tf_extension_type_by_name.values())

    @classmethod
    def _tf_extension_type_has_field(cls, name: str) -> bool:
        return name in cls._tf_extension_type_by_name

    @classmethod
    def _tf_extension_type_create(cls, values):
        """Creates an object with these (name, value) pairs, without calling the constructor."""
        self = object.__new__(cls)
        self.__dict__.update(values)
        return self


class ExtensionType(_Frozen, CompositeTensor):
    """The base class of values made of tensors, which `tf.function` takes as arguments and returns.

    A subclass declares its fields by annotations: `int`, `float`, `str`, `bytes`, `bool`, `None`, `tf.Tensor`,
    `tf.TensorShape`, `tf.DType`, other ExtensionTypes, `typing.Tuple`, `typing.Mapping`, `typing.Union` and
    `typing.Optional` of these. It gets a constructor (unless it defines one, which must set all fields), `==`, a repr,
    the nested class `Spec`, and immutability. `__validate__(self)`, if defined, is called after construction.

    Raises:
      TypeError: an annotation is not supported, or a value does not match its field.
      ValueError: a field is missing.
      AttributeError: a field is set after construction.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    ...     unit: str = "m"
    >>> m = Masked([1, 2], [True, False])
    >>> m.unit, m.values
    ('m', <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>)
    >>> m.unit = "km"
    Traceback (most recent call last):
    ...
    AttributeError: Cannot mutate attribute `unit` outside the custom constructor of ExtensionType.
    """

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        nested = vars(cls).get("Spec")
        if "Spec" in vars(cls) and not isinstance(nested, type):
            raise ValueError(f"{cls.__name__}.Spec must be a nested class; got {nested!r}.")
        by_name = {}
        for base in reversed(cls.__mro__[1:]):
            by_name.update(vars(base).get("_tf_extension_type_by_name", {}))
        by_name.update({field.name: field for field in _fields.own_fields(cls)})
        cls._tf_extension_type_by_name = by_name
        _finish_constructor(cls, _fields.signature(list(by_name.values()), cls), "value")
        cls.Spec = _make_spec(cls, nested)
        if "__name__" in vars(cls):
            _type_spec_registry.register(vars(cls)["__name__"] + ".Spec")(cls.Spec)

    def __init__(self, *args, **kwargs):
        raise AssertionError("Cannot create an instance of ExtensionType because ExtensionType is an abstract base "
                             "class.")

    @property
    def _type_spec(self):
        spec = self.__dict__.get(_CACHED_SPEC)
        if spec is None:
            spec = self.__dict__[_CACHED_SPEC] = self.Spec.from_value(self)
        return spec

    def __eq__(self, other):
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        pairs = zip(nest.flatten(self, True), nest.flatten(other, True), strict=True)
        # Shapes first: those that are not known while tracing may differ and be broadcast to each other.
        equal = [
            reduce_all(_equal(x=x, y=y, incompatible_shape_error=False))
            for mine, theirs in pairs
            for x, y in ((_shape(input=mine), _shape(input=theirs)), (mine, theirs))
        ]
        return reduce_all(equal) if equal else True

    def __ne__(self, other):
        equal = self.__eq__(other)
        if isinstance(equal, bool):
            return not equal
        return _logical_not(x=equal)

    __hash__ = None  # type: ignore[assignment]

    def __validate__(self):
        """Called after construction: a subclass raises an error there if its fields do not fit together."""

    def __repr__(self):
        shown = ", ".join(f"{name}={value!r}" for name, value in self._tf_extension_type_values())
        return f"{type(self).__qualname__}({shown})"


class ExtensionTypeSpec(_Frozen, TypeSpec):
    """The base class of the nested classes `Spec`: the type of the values of an ExtensionType, field by field."""

    _tf_extension_type_told = "ExtensionTypeSpec"
    _tf_extension_type_class: type

    @property
    def value_type(self) -> type:
        """The ExtensionType."""
        return self._tf_extension_type_class

    @classmethod
    def from_value(cls, value):
        """The spec of a value: its fields, with the specs of tensors in place of tensors."""
        held = value.__dict__
        return cls._tf_extension_type_create(
            [(name, _fields.to_spec(held[name])) for name in cls._tf_extension_type_by_name])

    def _serialize(self):
        return tuple((name, _plain(value)) for name, value in self._tf_extension_type_values())

    @classmethod
    def _deserialize(cls, serialization):
        return cls._tf_extension_type_create([(name, _immutable(value)) for name, value in serialization])

    def __reduce__(self):
        return type(self)._deserialize, (self._serialize(),)

    @property
    def _component_specs(self):
        return tuple(spec for _, value in self._tf_extension_type_values() for spec in _tensor_parts(value, value))

    def _to_components(self, value):
        held = value.__dict__
        return tuple(part for name, spec in self._tf_extension_type_values() for part in _tensor_parts(spec, held[name]))

    def _from_components(self, components):
        source = iter(components)
        values = [(name, _filled(spec, source)) for name, spec in self._tf_extension_type_values()]
        return self.value_type._tf_extension_type_create(values)

    def __eq__(self, other):
        return TypeSpec.__eq__(self, other)

    __hash__ = TypeSpec.__hash__

    def __repr__(self):
        shown = ", ".join(f"{name}={_plain(value)!r}" for name, value in self._tf_extension_type_values())
        return f"{type(self).__qualname__}({shown})"


def as_dict(value) -> dict:
    """The fields of an ExtensionType by name; those that are ExtensionTypes stay so.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     unit: str = "m"
    >>> sorted(tf.experimental.extension_type.as_dict(Masked([1])))
    ['unit', 'values']
    """
    return dict(value._tf_extension_type_values())


def _make_spec(cls: Any, nested: Any) -> type:
    """Creates the class `cls.Spec`, based on a nested class of that name if the user defines one."""
    base: Any = next((base.Spec for base in cls.__mro__[1:] if "Spec" in vars(base)), ExtensionTypeSpec)
    if cls._tf_extension_type_batchable:
        base = base if issubclass(base, BatchableExtensionTypeSpec) else BatchableExtensionTypeSpec
    elif hasattr(cls, "__batch_encoder__"):
        raise ValueError("__batch_encoder__ should only be defined for BatchableExtensionType classes.")
    bases: tuple
    if nested is None:
        bases, custom = (base,), False
    else:
        bases = (nested,) if issubclass(nested, ExtensionTypeSpec) else (nested, base)
        custom = "__init__" in vars(nested)
    spec = type(base)("Spec", bases, {"__module__": cls.__module__, "__doc__": f"The type of {cls.__name__}."})
    spec.__qualname__ = spec.__name__ = f"{cls.__qualname__}.Spec"
    spec._tf_extension_type_class = cls
    spec._tf_extension_type_by_name = cls._tf_extension_type_by_name
    if custom:
        spec.__init__ = nested.__init__
    if hasattr(cls, "__batch_encoder__"):
        spec.__batch_encoder__ = cls.__batch_encoder__
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                  for name in cls._tf_extension_type_by_name]
    _finish_constructor(spec, inspect.Signature(parameters, return_annotation=spec), "spec")
    return spec


def _finish_constructor(cls: Any, signature: inspect.Signature, convert: str) -> None:
    """Gives `cls` an `__init__` that binds the fields, or wraps its own. The outermost `__init__` converts the fields."""
    custom = vars(cls).get("__init__")

    if custom is None:
        def fill(self, *args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            self.__dict__.update(bound.arguments)
    else:
        fill = custom

    def construct(self, /, *args, **kwargs):
        if _OPEN in self.__dict__:  # called by a subclass's constructor
            fill(self, *args, **kwargs)
            return
        self.__dict__[_OPEN] = True
        try:
            fill(self, *args, **kwargs)
            _convert_fields(self, convert)
        finally:
            del self.__dict__[_OPEN]
        if convert == "value":
            self.__validate__()

    if custom is not None:
        construct = functools.wraps(custom)(construct)
        if "__signature__" in vars(cls):
            del cls.__signature__
        given = inspect.signature(custom)
        signature = given.replace(parameters=list(given.parameters.values())[1:])
    else:
        # What documentation shows: nothing else knows the fields.
        own = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *signature.parameters.values()]
        construct.__signature__ = inspect.Signature(own, return_annotation=cls)  # type: ignore[attr-defined]
    construct.__name__ = "__init__"
    construct.__qualname__ = f"{cls.__qualname__}.__init__"
    cls.__init__ = construct
    cls.__signature__ = signature


def _convert_fields(self, convert: str) -> None:
    held, by_name = self.__dict__, type(self)._tf_extension_type_by_name
    missing = by_name.keys() - held.keys()
    if missing:
        raise ValueError(f"Missing required fields: {missing}")
    values = {name: getattr(field, convert)(held[name]) for name, field in by_name.items()}
    for name in by_name:  # in the order of the fields, whatever order they were set in
        del held[name]
    held.update(values)


def _plain(value):
    """A field of a Spec with dicts in place of ImmutableDicts."""
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, ImmutableDict) else value


def _immutable(value):
    if isinstance(value, tuple):
        return tuple(_immutable(item) for item in value)
    return ImmutableDict((key, _immutable(item)) for key, item in value.items()) if isinstance(value, dict) else value


def _tensor_parts(spec, value):
    """The parts of `value` at the positions where `spec` has a TypeSpec."""
    if isinstance(spec, TypeSpec):
        yield value
    elif isinstance(spec, tuple):
        for inner, part in zip(spec, value, strict=True):
            yield from _tensor_parts(inner, part)
    elif isinstance(spec, ImmutableDict):
        for key in sorted(spec):
            yield from _tensor_parts(spec[key], value[key])


def _filled(spec, source):
    """A field's value: `spec` with the next component of `source` in place of each TypeSpec."""
    if isinstance(spec, TypeSpec):
        return next(source)
    if isinstance(spec, tuple):
        return tuple([_filled(inner, source) for inner in spec])
    if isinstance(spec, ImmutableDict):
        filled = {key: _filled(spec[key], source) for key in sorted(spec)}
        return ImmutableDict((key, filled[key]) for key in spec)
    return spec


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """The base class of the types of `tf.experimental.BatchableExtensionType`s."""

    __batch_encoder__ = ExtensionTypeBatchEncoder()

    def _batch(self, batch_size):
        return self.__batch_encoder__.batch(self, batch_size)

    def _unbatch(self):
        return self.__batch_encoder__.unbatch(self)

    # The tensors by which datasets hold a value are those of its encoding.

    @property
    def _flat_tensor_specs(self) -> list:
        return [tensor for spec in self._encoding() for tensor in spec._flat_tensor_specs]

    def _to_tensor_list(self, value) -> list:
        parts = flatten_up_to(self.__batch_encoder__.encoding_specs(self), self.__batch_encoder__.encode(self, value))
        return [tensor for spec, part in zip(self._encoding(), parts, strict=True) for tensor in spec._to_tensor_list(part)]

    def _to_batched_tensor_list(self, value) -> list:
        encoded = self.__batch_encoder__.encode(self, value, minimum_rank=1)
        parts = flatten_up_to(self.__batch_encoder__.encoding_specs(self), encoded)
        return [tensor for spec, part in zip(self._encoding(), parts, strict=True) for tensor in _rows(spec, part)]

    def _from_compatible_tensor_list(self, tensor_list: list):
        tensors = iter(tensor_list)
        parts = [
            spec._from_compatible_tensor_list([next(tensors) for _ in spec._flat_tensor_specs]) for spec in self._encoding()
        ]
        specs = self.__batch_encoder__.encoding_specs(self)
        return self.__batch_encoder__.decode(self, nest.pack_sequence_as(specs, parts))

    def _encoding(self) -> list:
        """The specs of the parts of an encoded value."""
        return nest.flatten(self.__batch_encoder__.encoding_specs(self))


def _rows(spec, part) -> list:
    """The tensors of a part of a stack, whose rows are those of a part of a value each."""
    encode = getattr(spec, "_to_batched_tensor_list", None)
    return spec._to_tensor_list(part) if encode is None else encode(part)


class BatchableExtensionType(ExtensionType):
    """An ExtensionType whose values may be stacked: `tf.map_fn` takes and returns them.

    `__batch_encoder__`, a `tf.experimental.ExtensionTypeBatchEncoder`, says how.

    >>> class Vehicle(tf.experimental.BatchableExtensionType):
    ...     top_speed: tf.Tensor
    ...     mpg: tf.Tensor
    >>> batch = Vehicle([120, 150, 80], [30, 40, 12])
    >>> tf.map_fn(lambda v: v.top_speed * v.mpg, batch, fn_output_signature=tf.int32).numpy().tolist()
    [3600, 6000, 960]
    """

    _tf_extension_type_batchable = True
