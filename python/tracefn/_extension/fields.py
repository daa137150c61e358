"""The fields of an ExtensionType: read from its annotations, checked, and used to convert values and specs."""

from __future__ import annotations

import collections.abc
import inspect
import sys
import typing
from collections import namedtuple
from collections.abc import Mapping
from typing import Any

from tracefn import _core
from tracefn._extension.immutable_dict import ImmutableDict
from tracefn.composite import CompositeTensor
from tracefn.dtypes import DType, as_dtype
from tracefn.tensor_shape import TensorShape, as_shape
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec, type_spec_from_value

_PLAIN = (int, float, str, bytes, bool, type(None))
RESERVED_PREFIX = "_tf_extension_type"
# What CompositeTensor, TypeSpec and Keras call on the class and its Spec.
_RESERVED = frozenset(
    "self Spec _type_spec _shape_invariant_to_type_spec _consumers value_type is_compatible_with most_specific_compatible_type "
    "_with_tensor_ranks_only _to_components _from_components _component_specs _to_tensor_list _from_tensor_list "
    "_from_compatible_tensor_list _flat_tensor_specs _serialize _deserialize _to_legacy_output_types "
    "_to_legacy_output_shapes _to_legacy_output_classes _keras_mask".split()
)
REQUIRED = inspect.Parameter.empty
_UNKNOWN = object()  # None is an annotation


class _NoDefault:
    def __repr__(self) -> str:
        return "ExtensionTypeField.NO_DEFAULT"


class ExtensionTypeField(namedtuple("ExtensionTypeField", ["name", "value_type", "default"])):
    """What is told of a field: its name, the annotation of its type, and its default, `NO_DEFAULT` if it has none."""

    NO_DEFAULT = _NoDefault()

    def __new__(cls, name, value_type, default=NO_DEFAULT):
        return super().__new__(cls, name, value_type, default)

    @staticmethod
    def is_reserved_name(name: str) -> bool:
        """Whether no field can be called so."""
        return name in _RESERVED or name.lower().startswith(RESERVED_PREFIX)


class Field:
    """One field: its name, the annotation of its type, and its default (`REQUIRED` if it has none)."""

    __slots__ = ("_known", "_owner", "annotation", "default", "name")

    def __init__(self, name: str, annotation, default, owner: type):
        self.name = name
        self.annotation = _without_extras(_without_string(annotation, owner))
        self._owner, self._known = owner, _UNKNOWN
        try:
            check_annotation(self.annotation)
        except TypeError as error:
            raise TypeError(f"In field {name!r}: {error}") from None
        # A tensor default is created in each constructor call, eager or traced like the call.
        if default is not REQUIRED and not _mentions_tensors(self.annotation):
            default = _convert(default, self.annotation, (f"default value for {name}",), _value_leaf)
        self.default = default

    def value(self, value):
        """`value` converted to what an instance holds.

        Raises:
          TypeError: the value does not convert; the text has the path to the part that does not.
        """
        return _convert(value, self._resolved(), (self.name,), _value_leaf)

    def spec(self, value):
        """`value` converted to what a Spec holds.

        Raises:
          TypeError: as in `value`.
        """
        return _convert(value, self._resolved(), (self.name,), _spec_leaf)

    def told(self) -> ExtensionTypeField:
        """The field as others see it; forward references stay as long as what they name is not there."""
        try:
            annotation = self._resolved()
        except TypeError:
            annotation = self.annotation
        default = ExtensionTypeField.NO_DEFAULT if self.default is REQUIRED else self.default
        return ExtensionTypeField(self.name, annotation, default)

    def _resolved(self):
        """The annotation with forward references resolved; they may name classes that are defined later."""
        if self._known is not _UNKNOWN:
            return self._known
        if _has_forward(self.annotation):
            self._known = _resolve(self.annotation, self._owner, self.name)
        else:
            self._known = self.annotation
        return self._known


def own_fields(cls: type) -> list[Field]:
    """The fields that the body of `cls` declares.

    Raises:
      ValueError: an attribute without annotation, or a reserved name.
      TypeError: an annotation that is not supported, or a default that does not fit it.
    """
    body = vars(cls)
    annotations = body.get("__annotations__", {})
    for name in (*body, *annotations):
        if (name != "Spec" or name in annotations) and _is_reserved(cls, name):
            raise ValueError(f"The field annotations for {cls.__name__} are invalid. Field '{name}' is reserved.")
    for name, value in body.items():
        if name not in annotations and not _is_no_field(name, value):
            raise ValueError(f"The field annotations for {cls.__name__} are invalid. "
                             f"Field {name} is missing a type annotation.")
    return [Field(name, annotation, body.get(name, REQUIRED), cls) for name, annotation in annotations.items()]


def _is_reserved(cls: type, name: str) -> bool:
    # Classes of this package may say how they differ from others.
    return ExtensionTypeField.is_reserved_name(name) and not cls.__module__.startswith("tracefn.")


def check_annotation(annotation) -> None:
    """Checks that an annotation is supported.

    Raises:
      TypeError: it is not.
    """
    if isinstance(annotation, (str, typing.ForwardRef)) or annotation is None or _is_leaf_type(annotation):
        return
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple and annotation is not typing.Tuple:  # noqa: UP006 - the bare name has no parameters
        parts = args[:1] if len(args) == 2 and args[1] is Ellipsis else args
    elif (origin is collections.abc.Mapping and args) or origin is typing.Union:
        parts = args
    else:
        shown = f"{annotation.__name__!r}" if isinstance(annotation, type) and not args else f"{annotation!r}"
        raise TypeError(f"Unsupported type annotation {shown}")
    for part in parts:
        check_annotation(part)


def signature(fields: list[Field], cls: type) -> inspect.Signature:
    """The signature of the constructor. Fields without default after one with a default are keyword-only."""
    parameters: list[inspect.Parameter] = []
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for field in fields:
        if field.default is REQUIRED and any(p.default is not REQUIRED for p in parameters):
            kind = inspect.Parameter.KEYWORD_ONLY
        annotation = field.annotation
        shown = annotation.__forward_arg__ if isinstance(annotation, typing.ForwardRef) else annotation
        parameters.append(inspect.Parameter(field.name, kind, default=field.default, annotation=shown))
    return inspect.Signature(parameters, return_annotation=cls)


def _is_no_field(name: str, value) -> bool:
    return (name.startswith(("__", "_abc_", RESERVED_PREFIX)) or callable(value) or inspect.isdatadescriptor(value)
            or isinstance(value, (classmethod, staticmethod, property)))


def _is_leaf_type(annotation) -> bool:
    if not isinstance(annotation, type) or typing.get_origin(annotation) is not None:
        return False
    return (annotation in _PLAIN or annotation in (TensorShape, DType) or annotation is _core.Tensor
            or issubclass(annotation, CompositeTensor))


def _without_extras(annotation):
    """An annotation without what `typing.Annotated` adds in it."""
    if not any(hasattr(part, "__metadata__") for part in _parts_of(annotation)):
        return annotation

    class Holder:
        __annotations__ = {"field": annotation}

    return typing.get_type_hints(Holder)["field"]


def _parts_of(annotation):
    yield annotation
    for part in typing.get_args(annotation):
        yield from _parts_of(part)


def _without_string(annotation, owner: type):
    """An annotation written as a string, resolved if its names are already known."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, _globals_of(owner))
    except NameError:
        return typing.ForwardRef(annotation)


def _globals_of(owner: type) -> dict:
    module = sys.modules.get(owner.__module__)
    return {**(vars(module) if module else {}), owner.__name__: owner}


def _has_forward(annotation) -> bool:
    if isinstance(annotation, (str, typing.ForwardRef)):
        return True
    return any(_has_forward(part) for part in typing.get_args(annotation) if part is not Ellipsis)


def _resolve(annotation, owner: type, name: str):
    class Holder:
        __annotations__ = {"field": annotation}

    try:
        found = typing.get_type_hints(Holder, _globals_of(owner))["field"]
    except NameError:
        told = annotation.__forward_arg__ if isinstance(annotation, typing.ForwardRef) else annotation
        raise TypeError(f"{name}: Unsupported type annotation {told!r}") from None
    check_annotation(found)
    return found


def _mentions_tensors(annotation) -> bool:
    if isinstance(annotation, (str, typing.ForwardRef)):
        return True
    if isinstance(annotation, type) and typing.get_origin(annotation) is None:
        return annotation is _core.Tensor or issubclass(annotation, CompositeTensor)
    return any(_mentions_tensors(part) for part in typing.get_args(annotation) if part is not Ellipsis)


def _convert(value, annotation, path: tuple, leaf):
    """`value` converted as `annotation` says; `leaf` converts tensors and values made of tensors."""
    if annotation is None:
        annotation = type(None)
    if _is_leaf_type(annotation):
        return _convert_leaf(value, annotation, path, leaf)
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple:
        return _convert_tuple(value, args, path, leaf)
    if origin is collections.abc.Mapping:
        if not isinstance(value, Mapping):
            raise TypeError(f"{''.join(path)}: expected mapping, got {type(value).__name__!r}")
        return ImmutableDict((_convert(key, args[0], (*path, "[<key>]"), leaf),
                              _convert(item, args[1], (*path, f"[{key!r}]"), leaf)) for key, item in value.items())
    for choice in args:
        try:
            return _convert(value, choice, path, leaf)
        except TypeError:  # the next choice may fit
            continue
    raise TypeError(f"{''.join(path)}: expected {annotation!r}, got {type(value).__name__!r}")


def _convert_tuple(value, args: tuple, path: tuple, leaf) -> tuple:
    if not isinstance(value, collections.abc.Sequence):
        raise TypeError(f"{''.join(path)}: expected tuple, got {type(value).__name__!r}")
    if len(args) == 2 and args[1] is Ellipsis:
        args = args[:1] * len(value)
    if len(args) != len(value):
        raise TypeError(f"{''.join(path)}: expected tuple with length {len(args)}, got {type(value).__name__!r})")
    return tuple(_convert(item, part, (*path, f"[{i}]"), leaf)
                 for i, (item, part) in enumerate(zip(value, args, strict=True)))


def _convert_leaf(value, annotation: type, path: tuple, leaf):
    if annotation is TensorShape or annotation is DType:
        try:
            return as_shape(value) if annotation is TensorShape else as_dtype(value)
        except TypeError:
            raise TypeError(f"{''.join(path)}: expected 'tf.{annotation.__name__}', got "
                            f"{type(value).__name__!r}") from None
    if annotation is _core.Tensor or issubclass(annotation, CompositeTensor):
        return leaf(value, annotation, path)
    if not isinstance(value, annotation):
        raise TypeError(f"{''.join(path)}: expected {annotation.__name__!r}, got {type(value).__name__!r}")
    return value


def _value_leaf(value, annotation: type, path: tuple):
    if annotation is not _core.Tensor:
        if isinstance(value, annotation):
            return value
        raise TypeError(f"{''.join(path)}: expected {annotation.__name__!r}, got {type(value).__name__!r}")
    if isinstance(value, annotation):
        return value
    try:
        return _core.convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{''.join(path)}: expected a Tensor, got {type(value).__name__!r}") from error


def _spec_leaf(value, annotation: type, path: tuple):
    if annotation is _core.Tensor:
        if isinstance(value, TensorSpec):
            return value
        raise TypeError(f"{''.join(path)}: expected a TensorSpec, got {type(value).__name__!r}")
    if isinstance(value, TypeSpec) and issubclass(value.value_type, annotation):
        return value
    raise TypeError(f"{''.join(path)}: expected a TypeSpec for {annotation.__name__!r}, got {type(value).__name__!r}")


def to_spec(value):
    """The Spec's value for a field value: specs in place of tensors and composite values."""
    if isinstance(value, tuple):
        return tuple(to_spec(item) for item in value)
    if isinstance(value, ImmutableDict):
        return ImmutableDict((key, to_spec(item)) for key, item in value.items())
    if isinstance(value, (CompositeTensor, _core.Tensor)):
        return type_spec_from_value(value)
    return value
