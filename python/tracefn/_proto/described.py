"""Protobuf's classes for the files of messages that the package tensorboard lacks, made from the definitions of this package."""

from __future__ import annotations

import functools
import types

from tracefn._proto.definitions import DEFINITIONS, DESCRIBED, ENUMS, FILE_OF_ENUM, Field
from tracefn._proto_modules import add_file, message_in, module_of, package_of, path_of, proto_module

_ENUM, _MESSAGE = 14, 11
_NUMBERS = {"double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "bool": 8, "string": 9, "bytes": 12, "uint32": 13}


@functools.cache
def described_module(name: str) -> types.ModuleType:
    """The module of a file's classes, all of whose messages stand in the definitions.

    Raises:
      ModuleNotFoundError: tensorboard or protobuf is not installed.
    """
    # optional: protobuf
    from google.protobuf import descriptor_pb2  # type: ignore[import-untyped, unused-ignore]

    file = descriptor_pb2.FileDescriptorProto(name=path_of(name), package=package_of(name), syntax="proto3")
    messages: dict = {}
    used = set()
    for path, definition in DEFINITIONS.items():
        if definition.file == name:
            outer, _, inner = path.rpartition(".")
            messages[path] = messages[outer].nested_type.add(name=inner) if outer else file.message_type.add(name=inner)
            for field in definition.fields.values():
                _add_field(messages[path], path, field)
                if field.kind not in _NUMBERS:
                    used.add(_file_of(field.kind))
    for enum, numbers in ENUMS.items():
        if FILE_OF_ENUM.get(enum) == name:
            made = file.enum_type.add(name=enum)
            for number, label in numbers.items():
                made.value.add(name=label, number=number)
    for other in sorted(used - {name}):
        # which adds it to the files that protobuf knows
        described_module(other) if other in DESCRIBED else proto_module(other)
        file.dependency.append(path_of(other))
    return module_of(name, add_file(file), _unpickled)


def _unpickled(file: str, path: str, serialized: bytes):
    return message_in(described_module(file), path, serialized)


def _file_of(kind: str) -> str:
    return FILE_OF_ENUM[kind] if kind in ENUMS else DEFINITIONS[kind].file


def _add_field(message, path: str, field: Field) -> None:
    if field.key is None:
        _add(message, field.name, field.number, field.kind, field.is_repeated)
        return
    entry = message.nested_type.add(name=f"{field.name.title().replace('_', '')}Entry")
    entry.options.map_entry = True
    _add(entry, "key", 1, field.key, False)
    _add(entry, "value", 2, field.kind, False)
    package = package_of(DEFINITIONS[path].file)
    message.field.add(name=field.name, number=field.number, label=3, type=_MESSAGE, type_name=f".{package}.{path}.{entry.name}")


def _add(message, name: str, number: int, kind: str, is_repeated: bool) -> None:
    made = message.field.add(name=name, number=number, label=3 if is_repeated else 1)
    if kind in _NUMBERS:
        made.type = _NUMBERS[kind]
    else:
        made.type = _ENUM if kind in ENUMS else _MESSAGE
        made.type_name = f".{package_of(_file_of(kind))}.{kind}"
