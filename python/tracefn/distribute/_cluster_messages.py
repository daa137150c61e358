"""`tf.train.ClusterDef`, `JobDef` and `ServerDef`: protobuf's classes, from the package tensorboard and made after TensorFlow's."""

from __future__ import annotations

import functools
import importlib

NAMES = ("ClusterDef", "JobDef", "ServerDef")
_PROTOS = "tensorboard.compat.proto"


def message_class(name: str):
    """The class of a message; None if there is none, or if tensorboard is not installed."""
    if name not in NAMES:
        return None
    try:
        return _server_def() if name == "ServerDef" else getattr(_module("cluster_pb2"), name)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] in ("tensorboard", "google"):
            return None
        raise


def _module(name: str):
    return importlib.import_module(f"{_PROTOS}.{name}")  # optional: tensorboard


# The fields of the messages that tensorboard lacks: number, type of protobuf or message, and whether there are many.
_FIELDS = {
    "TaskDeviceFilters": {"device_filters": (1, "string", True)},
    "TasksEntry": {"key": (1, "int32", False), "value": (2, "TaskDeviceFilters", False)},
    "JobDeviceFilters": {"name": (1, "string", False), "tasks": (2, "JobDeviceFilters.TasksEntry", True)},
    "ClusterDeviceFilters": {"jobs": (1, "JobDeviceFilters", True)},
    "ServerDef": {
        "cluster": (1, "ClusterDef", False),
        "job_name": (2, "string", False),
        "replica": (8, "int32", False),
        "task_index": (3, "int32", False),
        "default_session_config": (4, "ConfigProto", False),
        "protocol": (5, "string", False),
        "port": (6, "int32", False),
        "cluster_device_filters": (7, "ClusterDeviceFilters", False),
    },
}


@functools.cache
def _server_def():
    # optional: protobuf
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # type: ignore[import-untyped, unused-ignore]

    theirs = {
        name: _module(f"{file}_pb2").DESCRIPTOR for name, file in (("ClusterDef", "cluster"), ("ConfigProto", "config"))
    }
    file = descriptor_pb2.FileDescriptorProto(name="tracefn/server.proto", package="tracefn", syntax="proto3")
    file.dependency.extend(their_file.name for their_file in theirs.values())
    for owner, fields in _FIELDS.items():
        if owner == "TasksEntry":  # the entry of a map is a message in the one that has the map
            continue
        message = file.message_type.add(name=owner)
        if owner == "JobDeviceFilters":
            entry = message.nested_type.add(name="TasksEntry")
            entry.options.map_entry = True
            _add_fields(entry, _FIELDS["TasksEntry"], theirs)
        _add_fields(message, fields, theirs)
    pool = descriptor_pool.Default()  # that of the messages that it holds
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("tracefn.ServerDef"))


def _add_fields(message, fields: dict, theirs: dict) -> None:
    for name, (number, kind, many) in fields.items():
        field = message.field.add(name=name, number=number, label=3 if many else 1)
        if kind[0].isupper():
            package = theirs[kind].package if kind in theirs else "tracefn"
            field.type, field.type_name = field.TYPE_MESSAGE, f".{package}.{kind}"
        else:
            field.type = getattr(field, f"TYPE_{kind.upper()}")
