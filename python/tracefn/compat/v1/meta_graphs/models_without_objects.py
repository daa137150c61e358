"""`tf.saved_model.load` of models that have graphs and no objects, which programs of TensorFlow 1 write."""

from __future__ import annotations

import os
from typing import Any

from tracefn import _core
from tracefn._graph.edits import with_nodes
from tracefn._graph.parts import UnliftableError
from tracefn._known_variables import remember
from tracefn._proto import message_class
from tracefn._saved_model.messages import Record
from tracefn._saved_model.options import LoadOptions
from tracefn._saved_model.signatures import SignatureMap
from tracefn._tracking.asset import Asset
from tracefn._tracking.auto import AutoTrackable
from tracefn._tracking.resource import TrackableResource
from tracefn.compat.v1.meta_graphs.assets import asset_paths
from tracefn.compat.v1.meta_graphs.importing import add_meta_graph, saver_of, variables_of
from tracefn.compat.v1.meta_graphs.saved_models import graph_with, init_op_name
from tracefn.compat.v1.meta_graphs.signatures import tensors_of
from tracefn.compat.v1.wrap_function import prune, wrap_function
from tracefn.dtypes import as_dtype
from tracefn.framework import init_scope
from tracefn.tensor_spec import TensorSpec
from tracefn.variable import Variable

# Ops that make tables which several nodes share.
_TABLES = ("HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2")


class _Initializer(TrackableResource):
    """What a model does when it is loaded, with the paths of its files; a model that is saved again has it too."""

    def __init__(self, function, paths: list) -> None:
        super().__init__()
        self._function, self._paths = function, paths

    def _create_resource(self):
        return _core.convert_to_tensor(1.0)

    def _initialize(self):
        return self._function(*[asset.asset_path for asset in self._paths])


def _chosen(model: Record, tags) -> Record:
    """The graph with some tags.

    Raises:
      ValueError: no tags are given, and there are several graphs.
      RuntimeError: no graph has these tags.
    """
    if tags is not None:
        return graph_with(model, tags)
    if len(model.meta_graphs) != 1:
        found = [list(graph.meta_info_def.tags) for graph in model.meta_graphs]
        raise ValueError(
            "Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument if there is more than one "
            f"MetaGraph. Got `tags=None`, but there are {len(found)} MetaGraphs in the SavedModel with tag sets: {found}. "
            "Pass a `tags=` argument to load this SavedModel."
        )
    return model.meta_graphs[0]


class _Outside:
    """What lives outside of a graph in a file, so that all functions made from it share it: its Variables and tables.

    Attributes:
      made: dict from the names of handles to Variables.
      graph_def: the nodes without those of the handles.
    """

    def __init__(self, meta: Record) -> None:
        self._records = {
            record.variable_name: record
            for key, collection in sorted(meta.collection_def.items())
            for record in variables_of(key, collection)
            if record.is_resource
        }
        graph_def = message_class("GraphDef").FromString(meta.graph_def or b"")
        self.made = {f"{node.name}:0": self._variable(node) for node in graph_def.node if f"{node.name}:0" in self._records}
        self._handles = {name: variable.handle for name, variable in self.made.items()}
        shared: dict = {}
        for node in graph_def.node:
            if node.op in _TABLES:
                key = node.attr["container"].s, node.attr["shared_name"].s or node.name
                if key not in shared:
                    shared[key] = _table(node)
                self._handles[f"{node.name}:0"] = shared[key]
        self.graph_def = with_nodes(graph_def, [node for node in graph_def.node if f"{node.name}:0" not in self._handles])
        inputs = {name for node in graph_def.node for name in node.input}
        self._orders = [name for name in inputs if name.startswith("^") and f"{name[1:]}:0" in self._handles]
        self._used = {f"{name}:0" if ":" not in name else name for name in inputs}

    def _variable(self, node) -> Variable:
        record = self._records[f"{node.name}:0"]
        dtype, shape = as_dtype(node.attr["dtype"].type), node.attr["shape"].shape
        handle = _core.make_variable(dtype, shape, node.name, bool(record.trainable))
        made = Variable._from_handle(handle, shape, dtype, bool(record.trainable), node.name)
        remember(made)
        return made

    def input_map(self, graph) -> dict:
        """The handles in the graph, by the names that inputs of nodes have for them."""
        inner = {name: graph.capture(handle) for name, handle in self._handles.items()}
        orders = {name: inner[f"{name[1:]}:0"] for name in self._orders}
        return {**{name: handle for name, handle in inner.items() if name in self._used}, **orders}


def _table(node):
    """The table that a node makes, as a handle."""
    types = {name: as_dtype(node.attr[name].type) for name in ("key_dtype", "value_dtype")}
    shape = {"value_shape": node.attr["value_shape"].shape} if "value_shape" in node.attr else {}
    with init_scope():
        return _core.raw_op(node.op)(**types, **shape)


def _imported(meta: Record):
    """(the graph as a function, the Saver whose nodes it has or None)."""
    found = _Outside(meta)
    nodes = Record("MetaGraphDef", graph_def=found.graph_def.SerializeToString(), collection_def=meta.collection_def)
    savers = []

    def add():
        add_meta_graph(nodes, None, found.made, found.input_map(_core.current_graph()))
        savers.append(saver_of(meta, "") if meta.saver_def is not None else None)

    wrapped = wrap_function(add, [])
    wrapped._made_variables = [*found.made.values()]
    return wrapped, savers[0]


def _restorer(wrapped, saver):
    """The function that restores the Variables from the files whose names begin with a path; None without a Saver."""
    if saver is None or saver.saver_def is None:
        return None
    graph, saver_def = wrapped.graph, saver.saver_def
    filename = graph.as_graph_element(saver_def.filename_tensor_name)
    return prune(wrapped, [filename], [filename, graph.as_graph_element(saver_def.restore_op_name)])


def _initializer(wrapped, meta: Record, export_dir) -> _Initializer:
    graph, name, files = wrapped.graph, init_op_name(meta), asset_paths(meta, export_dir)
    if name is not None:
        operations = [graph.as_graph_element(name)]
    else:
        local = meta.collection_def.get("local_variables")
        names = [record.initializer_name for record in variables_of("local_variables", local)] if local else []
        operations = [graph.as_graph_element(one) for one in names] + graph.get_collection("table_initializer")
    feeds = [graph.as_graph_element(tensor) for tensor in files]
    return _Initializer(prune(wrapped, feeds, operations), [Asset(path) for path in files.values()])


def _signature(wrapped, key: str, record: Record):
    """The function of a signature: takes tensors by name, in the order of the names, or by position."""
    graph = wrapped.graph
    specs, feeds = {}, []
    for name in sorted(record.inputs):
        tensors = tensors_of(record.inputs[name], graph)
        for suffix, tensor in tensors.items():
            feeds.append(tensor)
            specs[f"{name}{suffix}"] = TensorSpec(tensor.shape, tensor.dtype, f"{name}{suffix}")
    fetches = {name: graph.as_graph_element(info.name) for name, info in sorted(record.outputs.items())}
    try:
        return prune(wrapped, feeds, fetches, input_signature=((), specs), by_position=True)
    except UnliftableError as error:
        raise UnliftableError(
            "A SavedModel signature needs an input for each placeholder the signature's outputs use. An output for signature "
            f"'{key}' depends on a placeholder which is not an input (i.e. the placeholder is not fed a value).\n\n{error}"
        ) from None


def load_graph(export_dir, model: Record, tags, options: LoadOptions) -> AutoTrackable:
    """The object for a graph of a model.

    Args:
      export_dir: str, its directory.
      model: Record SavedModel.
      tags: str or list of str, those of the graph; None if there is one graph only.
      options: LoadOptions.

    Returns:
      An object with `signatures`, `variables`, `graph`, `prune(feeds, fetches)`, `initializer`, `asset_paths`, and, if there
      are Variables, `restore(path)`.

    Raises:
      ValueError, RuntimeError: see `_chosen`.
    """
    meta = _chosen(model, tags)
    wrapped, saver = _imported(meta)
    restore = _restorer(wrapped, saver)
    if restore is not None and not options.experimental_skip_checkpoint:
        restore(_core.convert_to_tensor(os.path.join(export_dir, "variables", "variables")))
    root: Any = AutoTrackable()
    if restore is not None:
        root.restore = lambda path: restore(_core.convert_to_tensor(path))
    root.initializer = _initializer(wrapped, meta, export_dir)
    root.initializer._initialize()
    root.asset_paths = root.initializer._paths
    root.signatures = SignatureMap()
    for key, record in meta.signature_def.items():
        root.signatures._add_signature(key, _signature(wrapped, key, record))
    root.variables = list(wrapped._made_variables)
    info = meta.meta_info_def or Record("MetaInfoDef")
    root.tensorflow_version, root.tensorflow_git_version = info.tensorflow_version, info.tensorflow_git_version
    root.graph, root.prune, root.graph_debug_info = wrapped.graph, wrapped.prune, None
    return root
