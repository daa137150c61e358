"""`tf.__internal__.saved_model`: parts of saved models, and their messages as protobuf has them, from the package tensorboard."""

from __future__ import annotations

import os
from typing import NamedTuple

from tracefn._saved_model.messages import encoded
from tracefn._saved_model.partial import load_partial
from tracefn._saved_model.reading import read_saved_model
from tracefn.as_tensorflow.message_modules import required_message_module
from tracefn.python.saved_model.nested_structure_coder import decode_proto, encode_structure

__all__ = ["decode_proto", "encode_structure", "load_partial", "parse_saved_model"]


class SavedModel(NamedTuple):
    """What a file saved_model.pb says: the number of its format, and a list of messages MetaGraphDef."""

    saved_model_schema_version: int
    meta_graphs: list


def parse_saved_model(export_dir) -> SavedModel:
    """The message in the file saved_model.pb of a directory.

    Raises:
      OSError: there is none.
      ValueError: it cannot be read.
      ModuleNotFoundError: tensorboard, which has the classes of messages, is not installed.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> path = tempfile.mkdtemp()
      >>> tf.saved_model.save(tf.Module(), path)
      >>> graph = tf.__internal__.saved_model.parse_saved_model(path).meta_graphs[0]
      >>> graph.object_graph_def.nodes[0].WhichOneof("kind")
      'user_object'
    """
    module = required_message_module("core.protobuf.meta_graph_pb2", "parse_saved_model", "MetaGraphDef")
    model = read_saved_model(os.fspath(export_dir))
    graphs = [module.MetaGraphDef.FromString(encoded(graph)) for graph in model.meta_graphs]
    return SavedModel(model.saved_model_schema_version or 0, graphs)
