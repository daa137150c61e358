"""What protobuf says of `tf.train.Example` and the messages in it: for its functions that take any message, as text_format and
json_format do. Only these need protobuf."""

from __future__ import annotations

import functools
import sys

# Fields by message: the name, the number, the type, which is a message or the type of a list's values.
_FIELDS = {
    "BytesList": {"value": (1, "bytes")},
    "FloatList": {"value": (1, "float")},
    "Int64List": {"value": (1, "int64")},
    "Feature": {"bytes_list": (1, "BytesList"), "float_list": (2, "FloatList"), "int64_list": (3, "Int64List")},
    "Features": {"feature": (1, {"Feature"})},
    "FeatureList": {"feature": (1, ["Feature"])},
    "FeatureLists": {"feature_list": (1, {"FeatureList"})},
    "Example": {"features": (1, "Features")},
    "SequenceExample": {"context": (1, "Features"), "feature_lists": (2, "FeatureLists")},
}


@functools.lru_cache
def _pool():
    # optional: protobuf
    from google.protobuf import descriptor_pb2, descriptor_pool  # type: ignore[import-untyped, unused-ignore]

    def add(message, name, number, kind, repeated):
        field = message.field.add(name=name, number=number, label=3 if repeated else 1)
        if kind in _FIELDS or "." in kind:
            field.type, field.type_name = field.TYPE_MESSAGE, f".tensorflow.{kind}"
        else:
            field.type = getattr(field, f"TYPE_{kind.upper()}")
        return field

    file = descriptor_pb2.FileDescriptorProto(name="tensorflow/core/example/example.proto", package="tensorflow")
    file.syntax = "proto3"
    for owner, fields in _FIELDS.items():
        message = file.message_type.add(name=owner)
        if owner == "Feature":
            message.oneof_decl.add(name="kind")
        for name, (number, kind) in fields.items():
            if isinstance(kind, set):  # a map from str
                (value,) = kind
                entry = message.nested_type.add(name=f"{name.title().replace('_', '')}Entry")
                entry.options.map_entry = True
                add(entry, "key", 1, "string", False)
                add(entry, "value", 2, value, False)
                add(message, name, number, f"{owner}.{entry.name}", True)
            elif isinstance(kind, list):
                add(message, name, number, kind[0], True)
            else:
                field = add(message, name, number, kind, kind not in _FIELDS)
                if owner == "Feature":
                    field.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()  # the default pool may get TensorFlow's own file from another package
    pool.AddSerializedFile(file.SerializeToString())
    return pool


def descriptor(name: str):
    """Protobuf's Descriptor of a message.

    Raises:
      ModuleNotFoundError: protobuf is not installed.
    """
    return _pool().FindMessageTypeByName(f"tensorflow.{name}")


def field_descriptors(name: str):
    """Protobuf's FieldDescriptors of a message by name, once a program has imported protobuf; None before."""
    return descriptor(name).fields_by_name if "google.protobuf" in sys.modules else None


def map_entry(owner: str, field: str, key: str = "", value=None):
    """Protobuf's own message for an entry of a map; without a value, an empty one."""
    # optional: protobuf
    from google.protobuf import message_factory  # type: ignore[import-untyped, unused-ignore]

    entry = message_factory.GetMessageClass(descriptor(owner).fields_by_name[field].message_type)(key=key)
    if value is not None:
        entry.value.MergeFromString(value.SerializeToString())
    return entry


class DescriptorOfClass:
    """The attribute DESCRIPTOR of a message and of its class."""

    def __get__(self, message, owner):
        return descriptor(owner.__name__)
