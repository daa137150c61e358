"""Nests of specs and Python values as TensorFlow's message StructuredValue: in saved datasets and in saved models."""

from __future__ import annotations

import struct
from collections import namedtuple
from collections.abc import Mapping

from tracefn import _core, _type_spec_registry, nest
from tracefn._bounded_tensor_spec import BoundedTensorSpec
from tracefn._wire import FIXED64, DecodeError, delimited, fields_of, signed, varint
from tracefn.dtypes import DType, as_dtype
from tracefn.indexed_slices import IndexedSlicesSpec
from tracefn.tensor_array import TensorArraySpec
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import NoneTensorSpec, TensorSpec, VariableSpec
from tracefn.type_spec import TypeSpec

_serialize_tensor, _parse_tensor = _core.raw_op("SerializeTensor"), _core.raw_op("ParseTensor")

# Fields of StructuredValue.
_NONE, _FLOAT, _INT, _STRING, _BOOL, _SHAPE, _DTYPE, _TENSOR_SPEC, TYPE_SPEC = 1, 11, 12, 13, 14, 31, 32, 33, 34
_BOUNDED_SPEC = 35
_LIST, _TUPLE, _DICT, _NAMED_TUPLE = 51, 52, 53, 54
# Numbers of the classes of other specs.
_CLASSES = {
    "SparseTensorSpec": 1,
    "IndexedSlicesSpec": 2,
    "RaggedTensorSpec": 3,
    "TensorArraySpec": 4,
    "DatasetSpec": 5,
    "IteratorSpec": 6,
    "OptionalSpec": 7,
    "VariableSpec": 9,
    "RowPartitionSpec": 10,
}
# Of classes that the message names: registered ones, and those of extension types.
_REGISTERED_CLASS, _EXTENSION_TYPE = 12, 13


def _int_field(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


class NotEncodableError(Exception):
    """A value has no form in the message."""


def shape_proto(shape: TensorShape) -> bytes:
    """A shape as the message TensorShapeProto."""
    if shape.rank is None:
        return _int_field(3, 1)
    return b"".join(
        delimited(2, _int_field(1, -1 if size is None else size) if size != 0 else b"") for size in shape.as_list()
    )


def encoded(value) -> bytes:
    """A nest of specs and Python values as a message.

    Raises:
      NotEncodableError: something in it has no form in the message.
    """
    if value is None:
        return delimited(_NONE, b"")
    if isinstance(value, bool):
        return _int_field(_BOOL, int(value))
    if isinstance(value, int):
        # A signed number in zigzag form.
        return _int_field(_INT, value << 1 if value >= 0 else (-value << 1) - 1)
    if isinstance(value, float):
        return varint(_FLOAT << 3 | FIXED64) + struct.pack("<d", value)
    if isinstance(value, str):
        return delimited(_STRING, value.encode())
    if isinstance(value, TensorShape):
        return delimited(_SHAPE, shape_proto(value))
    if isinstance(value, DType):
        return _int_field(_DTYPE, value.as_datatype_enum)
    if isinstance(value, TensorSpec):
        name = delimited(1, value.name.encode()) if value.name else b""
        spec = name + delimited(2, shape_proto(value.shape)) + _int_field(3, value.dtype.as_datatype_enum)
        if not isinstance(value, BoundedTensorSpec):
            return delimited(_TENSOR_SPEC, spec)
        with _core.TargetContext(None):  # a tf.Graph may be the default one
            bounds = [_serialize_tensor(tensor=bound).numpy() for bound in (value.minimum, value.maximum)]
        return delimited(_BOUNDED_SPEC, spec + b"".join(delimited(4 + i, bound) for i, bound in enumerate(bounds)))
    if type(value).__name__ in _CLASSES:
        kind = type(value).__name__
        return _encoded_spec(value, _CLASSES[kind], kind)
    if isinstance(value, TypeSpec) and (registered := _registered_name(value)):
        number = _EXTENSION_TYPE if hasattr(value, "_tf_extension_type_class") else _REGISTERED_CLASS
        return _encoded_spec(value, number, registered)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        pairs = (
            delimited(1, name.encode()) + delimited(2, encoded(item))
            for name, item in zip(value._fields, value, strict=True)
        )
        return delimited(
            _NAMED_TUPLE, delimited(1, type(value).__name__.encode()) + b"".join(delimited(2, pair) for pair in pairs)
        )
    if isinstance(value, (tuple, list)):
        items = b"".join(delimited(1, encoded(item)) for item in value)
        return delimited(_LIST if isinstance(value, list) else _TUPLE, items)
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return delimited(
            _DICT,
            b"".join(
                delimited(1, delimited(1, key.encode()) + delimited(2, encoded(item)))
                for key, item in sorted(value.items())
            ),
        )
    raise NotEncodableError(f"No encoder for object {value!r} of type {type(value)}.")


def type_spec_proto(spec: TypeSpec) -> bytes:
    """A spec of values made of several tensors as the message TypeSpecProto."""
    return dict(_fields(encoded(spec)))[TYPE_SPEC]


def type_spec_of_proto(data: bytes) -> TypeSpec:
    """The spec in a message TypeSpecProto.

    Raises:
      DecodeError: it is of no known class.
    """
    return _type_spec(data)


def _registered_name(spec) -> str | None:
    """The name of a spec's class if a program has registered it, or if it has no number of its own; else None."""
    kind = type(spec)
    return _type_spec_registry.get_name(kind) if kind is NoneTensorSpec else _type_spec_registry.registered_name(kind)


def _encoded_spec(spec, number: int, name: str) -> bytes:
    state = encoded(tuple(spec._serialize()))
    flat = len(nest.flatten(spec._component_specs, expand_composites=True))
    count = _int_field(4, flat) if flat else b""
    return delimited(TYPE_SPEC, _int_field(1, number) + delimited(2, state) + delimited(3, name.encode()) + count)


def _fields(data: bytes) -> list:
    return [(number, value) for number, _, value, _ in fields_of(data)]


def shape_from_proto(data: bytes) -> TensorShape:
    """The shape in a message TensorShapeProto."""
    sizes = []
    for number, value in _fields(data):
        if number == 3 and value:
            return TensorShape(None)
        if number == 2:
            size = next((signed(n) for field, n in _fields(value) if field == 1), 0)
            sizes.append(None if size == -1 else size)
    return TensorShape(sizes)


def _type_spec(data: bytes):
    parts = dict(_fields(data))
    if parts.get(1) in (_REGISTERED_CLASS, _EXTENSION_TYPE) and 2 in parts:
        name = parts.get(3, b"").decode()
        try:
            registered = _type_spec_registry.lookup(name)
        except ValueError as error:
            raise ValueError(
                f"The type '{name}' has not been registered. It must be registered before you load this object "
                "(typically by importing its module)."
            ) from error
        return registered._deserialize(decoded(parts[2]))
    kind = next((name for name, number in _CLASSES.items() if number == parts.get(1)), None)
    if kind is None or 2 not in parts:
        raise DecodeError("a type of elements is not known")
    return _spec_class(kind)._deserialize(decoded(parts[2]))


def _spec_class(kind: str):
    if kind == "SparseTensorSpec":
        from tracefn.ops.sparse.tensor import SparseTensorSpec  # start-up time: few datasets are sparse

        return SparseTensorSpec
    if kind == "RaggedTensorSpec":
        from tracefn.ops.ragged.spec import RaggedTensorSpec  # start-up time: few datasets are ragged

        return RaggedTensorSpec
    if kind == "OptionalSpec":
        from tracefn.ops.optional import OptionalSpec  # start-up time: few datasets hold optionals

        return OptionalSpec
    if kind == "DatasetSpec":
        from tracefn.data._base import DatasetSpec  # start-up time: few specs are of datasets

        return DatasetSpec
    if kind == "IteratorSpec":
        from tracefn.data._iterator import IteratorSpec  # start-up time: few functions take iterators

        return IteratorSpec
    if kind == "RowPartitionSpec":
        from tracefn.ops.ragged.row_partition import RowPartitionSpec  # start-up time: few functions take them

        return RowPartitionSpec
    if kind == "VariableSpec":
        return VariableSpec
    if kind == "IndexedSlicesSpec":
        return IndexedSlicesSpec
    return TensorArraySpec


def _bounded_spec(parts: dict):
    dtype = as_dtype(parts[3])
    with _core.TargetContext(None):
        minimum, maximum = (_parse_tensor(serialized=parts[field], out_type=dtype).numpy() for field in (4, 5))
    name = parts.get(1, b"").decode() or None
    return BoundedTensorSpec(shape_from_proto(parts.get(2, b"")), dtype, minimum, maximum, name)


def decoded(data: bytes):
    """The nest of specs of a message.

    Raises:
      DecodeError: the bytes are no such message.
      ValueError: a class of specs that it names is not registered.
    """
    fields = _fields(data)
    if len(fields) != 1:
        raise DecodeError(f"a value has {len(fields)} fields")
    number, value = fields[0]
    if number == _NONE:
        return None
    if number == _BOOL:
        return bool(value)
    if number == _FLOAT:
        return struct.unpack("<d", value)[0]
    if number == _INT:
        return (value >> 1) ^ -(value & 1)
    if number == _STRING:
        return value.decode()
    if number == _SHAPE:
        return shape_from_proto(value)
    if number == _DTYPE:
        return as_dtype(value)
    if number == _TENSOR_SPEC:
        parts = dict(_fields(value))
        name = parts.get(1, b"").decode() or None
        return TensorSpec(shape_from_proto(parts.get(2, b"")), as_dtype(parts[3]), name)
    if number == _BOUNDED_SPEC:
        return _bounded_spec(dict(_fields(value)))
    if number == TYPE_SPEC:
        return _type_spec(value)
    if number in (_LIST, _TUPLE):
        items = [decoded(item) for field, item in _fields(value) if field == 1]
        return items if number == _LIST else tuple(items)
    if number == _DICT:
        entries = [dict(_fields(entry)) for field, entry in _fields(value) if field == 1]
        return {entry[1].decode(): decoded(entry[2]) for entry in entries}
    if number == _NAMED_TUPLE:
        name = next(item for field, item in _fields(value) if field == 1).decode()
        pairs = [dict(_fields(item)) for field, item in _fields(value) if field == 2]
        return namedtuple(name, [pair[1].decode() for pair in pairs])(*[decoded(pair[2]) for pair in pairs])
    raise DecodeError(f"a value has the unknown field {number}")
