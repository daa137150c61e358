"""`tensorflow.python.tools.saved_model_utils`: the messages in saved models."""

from __future__ import annotations

import os

from tracefn._for_libraries.models import SavedModel
from tracefn._proto import message_class
from tracefn._saved_model.messages import encoded
from tracefn._saved_model.reading import read_saved_model as read_record

__all__ = ["get_meta_graph_def", "get_saved_model_tag_sets", "read_saved_model"]


def read_saved_model(saved_model_dir):
    """What the file saved_model.pb of a directory says: its `saved_model_schema_version` and its `meta_graphs`.

    Raises:
      OSError: there is no such file, or it cannot be read.
    """
    directory = os.fspath(saved_model_dir)
    if not any(os.path.isfile(os.path.join(directory, f"saved_model.{ending}")) for ending in ("pb", "pbtxt")):
        raise OSError(f"SavedModel file does not exist at: {directory}")
    model = read_record(directory)
    graphs = [message_class("MetaGraphDef").FromString(encoded(graph)) for graph in model.meta_graphs]
    return SavedModel(model.saved_model_schema_version or 0, graphs)


def get_saved_model_tag_sets(saved_model_dir) -> list[list[str]]:
    """The tags of each graph in a saved model.

    Raises:
      OSError: there is no saved model.
    """
    return [list(graph.meta_info_def.tags) for graph in read_saved_model(saved_model_dir).meta_graphs]


def get_meta_graph_def(saved_model_dir, tag_set: str):
    """The message MetaGraphDef of the graph with some tags.

    Args:
      saved_model_dir: path.
      tag_set: all tags of the graph, with commas between them.

    Raises:
      OSError: there is no saved model.
      RuntimeError: it has no graph with these tags.
    """
    wanted = {tag for tag in tag_set.split(",") if tag}
    graphs = read_saved_model(saved_model_dir).meta_graphs
    for graph in graphs:
        if set(graph.meta_info_def.tags) == wanted:
            return graph
    found = [",".join(graph.meta_info_def.tags) for graph in graphs]
    raise RuntimeError(
        f"MetaGraphDef associated with tag-set {tag_set} could not be found in the SavedModel. "
        f"Please use one of the following tag-sets: {found}"
    )
