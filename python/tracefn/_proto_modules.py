"""TensorFlow's modules of protobuf's classes, such as `graph_pb2`, made from the package tensorboard, which has the same messages
under its own name. Protobuf's default pool has their files under TensorFlow's names, so that files of other packages that
import these can be loaded."""

from __future__ import annotations

import copyreg
import functools
import importlib
import types
from collections.abc import Callable

_THEIRS = "tensorboard.compat.proto"
# Where TensorFlow has the files that tensorboard has in one folder.
_FOLDERS = {
    "tensorflow/core/framework": """
        allocation_description api_def attr_value cost_graph cpp_shape_inference full_type function graph graph_debug_info
        node_def op_def resource_handle step_stats summary tensor tensor_description tensor_shape types variable versions
    """,
    "tensorflow/core/profiler": "tfprof_log tfprof_output",
    "tensorflow/core/util": "event",
    "xla/tsl/protobuf": "coordination_config error_codes histogram rpc_options",
}
_FOLDER_OF = {name: folder for folder, names in _FOLDERS.items() for name in names.split()}
_PACKAGES = {
    "cpp_shape_inference": "tensorflow.core",
    "error_codes": "tensorflow.error",
    "tfprof_log": "tensorflow.tfprof",
    "tfprof_output": "tensorflow.tfprof",
}


_made: dict[str, types.ModuleType] = {}


def proto_module(name: str) -> types.ModuleType:
    """The module of a file's classes.

    Args:
      name: the file's, without folder and ending: "graph" for `tensorflow.core.framework.graph_pb2`.

    Raises:
      ModuleNotFoundError: tensorboard or protobuf is not installed, or tensorboard has no such file.
    """
    if name in _made:
        return _made[name]
    theirs = importlib.import_module(f"{_THEIRS}.{name}_pb2").DESCRIPTOR  # optional: tensorboard
    for other in theirs.dependencies:
        if _is_theirs(other):
            proto_module(_name(other))  # else protobuf makes the classes of its messages, which have no module
    _made[name] = module_of(name, _file(theirs), _unpickled)
    return _made[name]


def module_of(name: str, file, unpickled: Callable) -> types.ModuleType:
    """A module with protobuf's classes for the messages of a file.

    Args:
      name: the file's, without folder and ending.
      file: protobuf's FileDescriptor.
      unpickled: function of the name of a file, the path of a class in it and bytes, which makes a message; pickle finds it.
    """
    # optional: protobuf
    from google.protobuf.internal import builder  # type: ignore[import-untyped, unused-ignore]

    path = path_of(name).removesuffix(".proto").replace("/", ".") + "_pb2"
    module = types.ModuleType(path, f"The classes of the messages in {path_of(name)}.")
    vars(module)["DESCRIPTOR"] = file
    builder.BuildMessageAndEnumDescriptors(file, vars(module))
    builder.BuildTopDescriptorsAndMessages(file, path, vars(module))
    for message in file.message_types_by_name.values():
        _make_picklable(name, vars(module)[message.name], unpickled)
    return module


def _make_picklable(file: str, kind: type, unpickled: Callable, outer: str = "") -> None:
    """Lets pickle find the class of a message: nobody can import its module by name."""
    path = f"{outer}{kind.__name__}"
    copyreg.pickle(kind, lambda message: (unpickled, (file, path, message.SerializeToString())))
    for inner in vars(kind).values():
        if isinstance(inner, type) and hasattr(inner, "DESCRIPTOR"):
            _make_picklable(file, inner, unpickled, f"{path}.")


def _unpickled(file: str, path: str, serialized: bytes):
    return message_in(proto_module(file), path, serialized)


def message_in(module: types.ModuleType, path: str, serialized: bytes):
    """A message of bytes, by the path of its class in a module."""
    return functools.reduce(getattr, path.split("."), module).FromString(serialized)


def is_lacking(error: ModuleNotFoundError) -> bool:
    """Whether the error of `proto_module` says that tensorboard, the file in it or protobuf is not there."""
    return error.name is not None and error.name.partition(".")[0] in ("tensorboard", "google")


def add_file(file):
    """Protobuf's FileDescriptor for a FileDescriptorProto in its default pool; that of its name if there is one already."""
    # optional: protobuf
    from google.protobuf import descriptor_pool  # type: ignore[import-untyped, unused-ignore]

    pool = descriptor_pool.Default()
    try:
        return pool.FindFileByName(file.name)  # from TensorFlow's own file in another package
    except KeyError:
        pool.AddSerializedFile(file.SerializeToString())
        return pool.FindFileByName(file.name)


def path_of(name: str) -> str:
    """TensorFlow's path of a file."""
    return f"{_FOLDER_OF.get(name, 'tensorflow/core/protobuf')}/{name}.proto"


def _name(file) -> str:
    """The name of one of tensorboard's files, without folder and ending."""
    return file.name.rpartition("/")[2].removesuffix(".proto")


def _is_theirs(file) -> bool:
    return file.name.startswith(f"{_THEIRS.replace('.', '/')}/")


def _file(theirs):
    """The FileDescriptor in TensorFlow's place for one of tensorboard's."""
    # optional: protobuf
    from google.protobuf import descriptor_pb2  # type: ignore[import-untyped, unused-ignore]

    file = descriptor_pb2.FileDescriptorProto()
    theirs.CopyToProto(file)
    file.name, file.package = path_of(_name(theirs)), package_of(_name(theirs))
    file.dependency[:] = [_file(other).name if _is_theirs(other) else other.name for other in theirs.dependencies]
    for message in file.message_type:
        _rename_types(message, theirs.pool)
    return add_file(file)


def package_of(name: str) -> str:
    """TensorFlow's package of the messages in a file."""
    return _PACKAGES.get(name, "tensorflow")


def _rename_types(message, pool) -> None:
    for field in message.field:
        if field.type_name:
            file = pool.FindFileContainingSymbol(field.type_name[1:])
            if _is_theirs(file):
                field.type_name = f".{package_of(_name(file))}{field.type_name.removeprefix('.' + file.package)}"
    for inner in message.nested_type:
        _rename_types(inner, pool)
