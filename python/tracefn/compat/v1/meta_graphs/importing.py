"""`tf.compat.v1.train.import_meta_graph`."""

from __future__ import annotations

import os

from tracefn import _core
from tracefn._checkpoint.saver import Saver
from tracefn._export import export
from tracefn._graph.edits import remove_devices
from tracefn._known_variables import remember
from tracefn._proto import message_class
from tracefn._saved_model.messages import FIELDS, Record, decoded
from tracefn._variable.sessions import GraphNodes
from tracefn._wire import DecodeError
from tracefn.compat.v1.arguments import today
from tracefn.framework import default_graph, executing_eagerly
from tracefn.variable import Variable

NO_GRAPH = (
    "Exporting/importing meta graphs is not supported when eager execution is enabled. No graph exists when eager execution is "
    "enabled."
)

# The collections that hold Variables.
_OF_VARIABLES = frozenset(
    {
        "variables",
        "trainable_variables",
        "local_variables",
        "model_variables",
        "metric_variables",
        "moving_average_variables",
        "global_step",
    }
)


def add_meta_graph(meta: Record, import_scope: str | None, given: dict | None = None, input_map: dict | None = None) -> str:
    """Adds the nodes and collections of a MetaGraphDef to the default graph.

    Args:
      meta: Record MetaGraphDef.
      import_scope: str, the name scope of the nodes, or None.
      given: dict from the names of handles to the Variables that collections hold for them; others are made.
      input_map: as in `tf.import_graph_def`.

    Returns:
      What the names of its nodes begin with now.
    """
    graph = default_graph()
    before = len(graph)
    today("import_graph_def")(meta.graph_def or b"", input_map, name=import_scope or "")
    scope = f"{import_scope}/" if import_scope else ""
    if import_scope and len(graph) > before:  # the scope was made unique
        scope = graph.operation(before).name[: -len(_first_name(meta))]
    made: dict[str, Variable] = dict(given or {})
    for key, collection in meta.collection_def.items():
        for value in _values(graph, key, collection, scope, made):
            graph.add_to_collection(key, value)
    return scope


def _first_name(meta: Record) -> str:
    return decoded("GraphDef", meta.graph_def).node[0].name


def _values(graph, key: str, collection: Record, scope: str, made: dict) -> list:
    if collection.node_list is not None:
        return [graph.as_graph_element(scope + name) for name in collection.node_list.value]
    if collection.int64_list is not None:
        return list(collection.int64_list.value)
    if collection.bytes_list is None:
        return []
    if key not in _OF_VARIABLES:
        return list(collection.bytes_list.value)
    return [_variable(graph, record, scope, made) for record in variables_of(key, collection)]


def variables_of(key: str, collection: Record) -> list[Record]:
    """The VariableDefs of a collection; none if it is no collection of Variables."""
    if key not in _OF_VARIABLES or collection.bytes_list is None:
        return []
    return [decoded("VariableDef", data) for data in collection.bytes_list.value]


def _variable(graph, record: Record, scope: str, made: dict) -> Variable:
    """The Variable of a VariableDef; the same one for the same name."""
    name = scope + record.variable_name
    if name not in made:
        if not record.is_resource:
            raise NotImplementedError(f"The Variable {name!r} is one by reference, which is not supported.")
        handle = graph.as_graph_element(name)
        element = graph.as_graph_element(scope + record.snapshot_name)
        made[name] = variable = Variable._from_handle(
            handle, handle.op.get_attr("shape"), element.dtype, bool(record.trainable), name.removesuffix(":0")
        )
        variable._is_argument = False
        initial = graph.as_graph_element(scope + record.initial_value_name) if record.initial_value_name else element
        initializer = graph.as_graph_element(scope + record.initializer_name, allow_tensor=False)
        variable._nodes = GraphNodes(graph, initial, initializer, element)
        remember(variable)
    return made[name]


def saver_of(meta: Record, scope: str):
    """The Saver whose nodes were added; None if the MetaGraphDef has none, and one of all Variables if it names none."""
    if meta.saver_def is not None and meta.saver_def.restore_op_name:
        return Saver._of_nodes(default_graph(), meta.saver_def, scope)
    if default_graph().get_collection("variables"):
        return Saver()
    return None


@export("compat.v1.train.import_meta_graph")
def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs):
    """Adds a graph from a file ".meta" to the default graph, with its collections.

    Args:
      meta_graph_or_file: path of the file, a message MetaGraphDef, or its bytes.
      clear_devices: bool, whether nodes lose their devices.
      import_scope: str, the name scope of the nodes, or None.
      **kwargs: `input_map`, as in `tf.import_graph_def`; others are accepted, without effect.

    Returns:
      The `tf.compat.v1.train.Saver` of the file; None if there are no Variables.

    Raises:
      RuntimeError: ops run eagerly.
      OSError: there is no such file.
      ValueError: it is no MetaGraphDef, or the inputs of a part of a graph are not in `input_map`.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> v1, path = tf.compat.v1, tempfile.mkdtemp() + "/model"
      >>> with tf.Graph().as_default(), v1.Session() as session:
      ...     w = v1.get_variable("w", [], initializer=v1.ones_initializer())
      ...     session.run(w.initializer)
      ...     _ = v1.train.Saver().save(session, path)
      >>> with tf.Graph().as_default(), v1.Session() as session:
      ...     saver = v1.train.import_meta_graph(path + ".meta")
      ...     saver.restore(session, path)
      ...     print(session.run("w/Read/ReadVariableOp:0"))
      1.0
    """
    if executing_eagerly():
        raise RuntimeError(NO_GRAPH)
    meta, input_map = _read(meta_graph_or_file), kwargs.get("input_map")
    unbound = meta.collection_def.get("unbound_inputs")
    lacking = [] if unbound is None else sorted({name.decode() for name in unbound.bytes_list.value} - set(input_map or ()))
    if lacking:
        raise ValueError(f"Graph contains unbound inputs: {', '.join(lacking)}. Must provide these inputs through input_map.")
    if clear_devices:
        graph_def = message_class("GraphDef").FromString(meta.graph_def or b"")
        remove_devices(graph_def)
        fields = {name: getattr(meta, name) for name, _ in FIELDS["MetaGraphDef"].values()}
        meta = Record("MetaGraphDef", **{**fields, "graph_def": graph_def.SerializeToString()})
    return saver_of(meta, add_meta_graph(meta, import_scope, input_map=input_map))


def _read(given) -> Record:
    if hasattr(given, "SerializeToString"):
        given = given.SerializeToString()
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        if not os.path.exists(_core.local_path(os.fsencode(path))):
            raise OSError(f"File does not exist. Received: {path}.")
        with open(_core.local_path(os.fsencode(path)), "rb") as file:
            given = file.read()
    try:
        return decoded("MetaGraphDef", given)
    except DecodeError as error:
        raise ValueError(f"Cannot parse a MetaGraphDef: {error}.") from None
