"""The file of a saved model: saved_model.pb, or the same message as text."""

from __future__ import annotations

import functools
import os

from tracefn._paths import text_of_path
from tracefn._proto_modules import add_file, is_lacking, proto_module
from tracefn._saved_model.messages import Record, decoded
from tracefn._wire import DecodeError

PB, TEXT = "saved_model.pb", "saved_model.pbtxt"


def read_saved_model(export_dir) -> Record:
    """The message SavedModel of a directory.

    Raises:
      OSError: there is none, or it cannot be read.
      ModuleNotFoundError: it is there as text only, and tensorboard, which has the classes of messages, is not installed.
    """
    directory = text_of_path(export_dir)
    path = os.path.join(directory, PB)
    if os.path.isfile(path):
        with open(path, "rb") as file:
            return _of_bytes(path, file.read())
    path = os.path.join(directory, TEXT)
    if not os.path.isfile(path):
        raise OSError(f"SavedModel file does not exist at: {export_dir}{os.path.sep}{{{TEXT}|{PB}}}")
    with open(path, encoding="utf-8") as file:
        return _of_bytes(path, _bytes_of_text(path, file.read()))


def _of_bytes(path: str, data: bytes) -> Record:
    try:
        return decoded("SavedModel", data)
    except DecodeError as error:
        raise OSError(
            f"Cannot parse file {path.encode()!r}: Error parsing message with type 'tensorflow.SavedModel': Wire format was corrupt."
        ) from error


def _bytes_of_text(path: str, text: str) -> bytes:
    try:
        message = _saved_model_class()()
    except ModuleNotFoundError as error:
        if not is_lacking(error):
            raise
        raise ModuleNotFoundError(
            f"The saved model {path} is text, which the package tensorboard reads; it is not installed. Run "
            "`pip install tensorboard`.",
            name=error.name,
        ) from error
    # optional: protobuf
    from google.protobuf import text_format  # type: ignore[import-untyped, unused-ignore]

    try:
        return text_format.Parse(text, message).SerializeToString()
    except text_format.ParseError as error:
        raise OSError(f"Cannot parse file {path.encode()!r}: {error}.") from error


@functools.cache
def _saved_model_class():
    """Protobuf's class of the message SavedModel, which tensorboard lacks."""
    graphs = proto_module("meta_graph")
    # optional: protobuf
    from google.protobuf import descriptor_pb2, message_factory  # type: ignore[import-untyped, unused-ignore]

    file = descriptor_pb2.FileDescriptorProto(
        name="tensorflow/core/protobuf/saved_model.proto", package="tensorflow", syntax="proto3"
    )
    file.dependency.append(graphs.DESCRIPTOR.name)
    message = file.message_type.add(name="SavedModel")
    version = message.field.add(name="saved_model_schema_version", number=1)
    version.label, version.type = version.LABEL_OPTIONAL, version.TYPE_INT64
    several = message.field.add(name="meta_graphs", number=2, type_name=".tensorflow.MetaGraphDef")
    several.label, several.type = several.LABEL_REPEATED, several.TYPE_MESSAGE
    return message_factory.GetMessageClass(add_file(file).message_types_by_name["SavedModel"])
