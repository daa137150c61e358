"""`tf.train.ClusterDef`, `JobDef` and `ServerDef`: protobuf's classes, from the package tensorboard and made after TensorFlow's."""

from __future__ import annotations

import functools

from tracefn._proto_modules import add_file, is_lacking, proto_module

NAMES = ("ClusterDef", "JobDef", "ServerDef")


def message_class(name: str):
    """The class of a message; None if there is none, or if tensorboard is not installed."""
    if name not in NAMES:
        return None
    try:
        return _server_def() if name == "ServerDef" else getattr(proto_module("cluster"), name)
    except ModuleNotFoundError as error:
        if is_lacking(error):
            return None
        raise


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
    from google.protobuf import descriptor_pb2, message_factory  # type: ignore[import-untyped, unused-ignore]

    for needed in ("cluster", "config"):
        proto_module(needed)
    for name, owners, dependencies in (
        ("device_filters", ("TaskDeviceFilters", "JobDeviceFilters", "ClusterDeviceFilters"), ()),
        ("tensorflow_server", ("ServerDef",), ("cluster", "config", "device_filters")),
    ):
        file = descriptor_pb2.FileDescriptorProto(name=_path(name), package="tensorflow", syntax="proto3")
        file.dependency.extend(_path(other) for other in dependencies)
        for owner in owners:
            message = file.message_type.add(name=owner)
            if owner == "JobDeviceFilters":
                entry = message.nested_type.add(name="TasksEntry")
                entry.options.map_entry = True
                _add_fields(entry, _FIELDS["TasksEntry"])
            _add_fields(message, _FIELDS[owner])
        added = add_file(file)
    return message_factory.GetMessageClass(added.message_types_by_name["ServerDef"])


def _path(name: str) -> str:
    return f"tensorflow/core/protobuf/{name}.proto"


def _add_fields(message, fields: dict) -> None:
    for name, (number, kind, many) in fields.items():
        field = message.field.add(name=name, number=number, label=3 if many else 1)
        if kind[0].isupper():
            field.type, field.type_name = field.TYPE_MESSAGE, f".tensorflow.{kind}"
        else:
            field.type = getattr(field, f"TYPE_{kind.upper()}")
