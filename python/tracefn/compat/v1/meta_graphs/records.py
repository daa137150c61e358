"""A graph as the message MetaGraphDef: its nodes, its Saver and its collections."""

from __future__ import annotations

from tracefn import _core
from tracefn._graph.collections import collections_of
from tracefn._saved_model.messages import Record, decoded, encoded
from tracefn._wire import as_float32
from tracefn.variable import Variable


def meta_graph_of(graph, saver_def=None, tags=(), signatures=None) -> Record:
    """The message for a graph.

    Args:
      graph: tf.Graph.
      saver_def: SaverDef, or None.
      tags: names that say what the graph is for.
      signatures: dict from name to Record SignatureDef, or None.
    """
    info = Record("MetaInfoDef", tags=list(tags), tensorflow_version="2.21.0", tensorflow_git_version="unknown")
    collections = {
        key: made
        for key, values in collections_of(graph).items()
        if isinstance(key, str) and not key.startswith("__") and (made := _collection(values)) is not None
    }
    return Record(
        "MetaGraphDef",
        meta_info_def=info,
        graph_def=graph.as_graph_def().SerializeToString(),
        saver_def=None if saver_def is None else decoded("SaverDef", saver_def.SerializeToString()),
        collection_def=collections,
        signature_def=dict(signatures or {}),
    )


def _collection(values: list) -> Record | None:
    """A collection as a message; None if it holds what files do not."""
    if not values:
        return None
    if all(isinstance(value, Variable) and value._nodes is not None for value in values):
        return Record("CollectionDef", bytes_list=Record("BytesList", value=[encoded(_variable(v)) for v in values]))
    if all(isinstance(value, (_core.Tensor, _core.Operation)) for value in values):
        return Record("CollectionDef", node_list=Record("TextList", value=[value.name for value in values]))
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return Record("CollectionDef", int64_list=Record("IntList", value=list(values)))
    if all(isinstance(value, float) for value in values):
        return Record("CollectionDef", float_list=Record("Floats", value=[as_float32(value, "value") for value in values]))
    if all(isinstance(value, (str, bytes)) for value in values):
        data = [value.encode() if isinstance(value, str) else value for value in values]
        return Record("CollectionDef", bytes_list=Record("BytesList", value=data))
    return None


def _variable(variable) -> Record:
    nodes = variable._nodes
    return Record(
        "VariableDef",
        variable_name=variable.handle.name,
        initializer_name=nodes.initializer.name,
        snapshot_name=nodes.element.name,
        is_resource=True,
        initial_value_name=nodes.initial_value.name,
        trainable=bool(variable.trainable),
    )
