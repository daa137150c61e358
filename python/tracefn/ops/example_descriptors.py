"""What protobuf says of `tf.train.Example` and the messages in it: for its functions that take any message, as text_format and
json_format do. Only these need protobuf."""

from __future__ import annotations

import functools
import sys

from tracefn._proto_modules import add_file

# Fields by message: the name, the number, the type, which is a message or the type of a list's values.
_FIELDS: dict[str, dict[str, tuple]] = {
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


_EXAMPLES = ("Example", "SequenceExample")  # in example.proto; the others are in feature.proto


def _files() -> list:
    """The FileDescriptorProtos of feature.proto and example.proto, under TensorFlow's names."""
    # optional: protobuf
    from google.protobuf import descriptor_pb2  # type: ignore[import-untyped, unused-ignore]

    feature, example = (
        descriptor_pb2.FileDescriptorProto(name=f"tensorflow/core/example/{name}.proto", package="tensorflow", syntax="proto3")
        for name in ("feature", "example")
    )
    example.dependency.append(feature.name)
    for owner in _FIELDS:
        _add_message(example if owner in _EXAMPLES else feature, owner)
    return [feature, example]


def _add_message(file, owner: str) -> None:
    message = file.message_type.add(name=owner)
    if owner == "Feature":
        message.oneof_decl.add(name="kind")
    for name, (number, kind) in _FIELDS[owner].items():
        if isinstance(kind, set):  # a map from str
            (value,) = kind
            entry = message.nested_type.add(name=f"{name.title().replace('_', '')}Entry")
            entry.options.map_entry = True
            _add_field(entry, "key", 1, "string", False)
            _add_field(entry, "value", 2, value, False)
            _add_field(message, name, number, f"{owner}.{entry.name}", True)
        elif isinstance(kind, list):
            _add_field(message, name, number, kind[0], True)
        else:
            field = _add_field(message, name, number, kind, kind not in _FIELDS)
            if owner == "Feature":
                field.oneof_index = 0


def _add_field(message, name, number, kind, repeated):
    field = message.field.add(name=name, number=number, label=3 if repeated else 1)
    if kind in _FIELDS or "." in kind:
        field.type, field.type_name = field.TYPE_MESSAGE, f".tensorflow.{kind}"
    else:
        field.type = getattr(field, f"TYPE_{kind.upper()}")
    return field


@functools.lru_cache
def _pool():
    # optional: protobuf
    from google.protobuf import descriptor_pool  # type: ignore[import-untyped, unused-ignore]

    pool = descriptor_pool.DescriptorPool()  # the default pool may get TensorFlow's own file from another package
    for file in _files():
        pool.AddSerializedFile(file.SerializeToString())
    return pool


def add_to_default_pool() -> None:
    """Lets files of other packages that import example.proto or feature.proto be loaded.

    Raises:
      ModuleNotFoundError: protobuf is not installed.
    """
    for file in _files():
        add_file(file)


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
        try:
            return descriptor(owner.__name__)
        except KeyError:
            raise AttributeError(f"{owner.__name__} is no message") from None
