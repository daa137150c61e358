"""`tensorflow.python.framework.meta_graph`: graphs, or what stands in a name scope, with their collections."""

from __future__ import annotations

import os

from tracefn import _core
from tracefn._proto import message_class
from tracefn._wire import DecodeError
from tracefn.compat.v1.meta_graphs.exporting import export_meta_graph
from tracefn.compat.v1.meta_graphs.importing import import_meta_graph
from tracefn.framework import default_graph, executing_eagerly

__all__ = [
    "copy_scoped_meta_graph",
    "export_scoped_meta_graph",
    "import_scoped_meta_graph",
    "ops_used_by_graph_def",
    "read_meta_graph_file",
]
_EAGERLY = "Exporting/importing meta graphs is not supported when {} is enabled."


def _variables(graph, scope: str) -> dict:
    """The Variables of a graph in a name scope, by their names from there on."""
    start = f"{scope.rstrip('/')}/" if scope else ""
    found = graph.get_collection("variables")
    return {v.name.removeprefix(start): v for v in found if v.name.startswith(start)}


def export_scoped_meta_graph(
    filename=None,
    graph_def=None,
    graph=None,
    export_scope=None,
    as_text=False,
    unbound_inputs_col_name="unbound_inputs",
    clear_devices=False,
    saver_def=None,
    clear_extraneous_savers=False,
    strip_default_attrs=False,
    save_debug_info=False,
    **kwargs,
):
    """`tf.compat.v1.train.export_meta_graph`, which returns the Variables, too.

    Args:
      unbound_inputs_col_name: accepted: the collection with the names of inputs from outside is "unbound_inputs".
      the others: as in `tf.compat.v1.train.export_meta_graph`.

    Returns:
      (MetaGraphDef, dict from the names of the Variables, in the scope, to the Variables).

    Raises:
      ValueError: ops run eagerly.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework import meta_graph
      >>> with tf.Graph().as_default():
      ...     with tf.compat.v1.variable_scope("part"):
      ...         v = tf.compat.v1.get_variable("v", [2])
      ...     message, variables = meta_graph.export_scoped_meta_graph(export_scope="part")
      ...     copies = meta_graph.import_scoped_meta_graph(message, import_scope="copy")
      >>> list(variables), [v.name for v in copies.values()]
      (['v:0'], ['copy/v:0'])
    """
    if executing_eagerly() and not (graph_def is not None and graph is not None):
        raise ValueError(_EAGERLY.format("Eager Execution"))
    graph = graph or default_graph()
    with graph.as_default():
        message = export_meta_graph(
            filename,
            graph_def=graph_def,
            saver_def=saver_def,
            as_text=as_text,
            graph=graph,
            export_scope=export_scope,
            clear_devices=clear_devices,
            **kwargs,
        )
    return message, _variables(graph, export_scope or "")


def import_scoped_meta_graph(
    meta_graph_or_file,
    clear_devices=False,
    graph=None,
    import_scope=None,
    input_map=None,
    unbound_inputs_col_name="unbound_inputs",
    restore_collections_predicate=None,
) -> dict:
    """`tf.compat.v1.train.import_meta_graph`, which returns the Variables.

    Args:
      graph: tf.Graph; None: the default one.
      unbound_inputs_col_name: accepted, as in `export_scoped_meta_graph`.
      restore_collections_predicate: must be None: all collections are added.
      the others: as in `tf.compat.v1.train.import_meta_graph`.

    Returns:
      dict from the names of the Variables, in the scope, to the Variables.

    Raises:
      ValueError: ops run eagerly, or as `import_meta_graph`.
      NotImplementedError: a predicate is given.
    """
    if executing_eagerly():
        raise ValueError(_EAGERLY.format("eager execution"))
    if restore_collections_predicate is not None:
        raise NotImplementedError("import_scoped_meta_graph: a restore_collections_predicate is not supported.")
    graph = graph or default_graph()
    with graph.as_default():
        scope = graph.get_name_scope()
        import_meta_graph(meta_graph_or_file, clear_devices, import_scope, input_map=input_map)
    return _variables(graph, "/".join(part for part in (scope, import_scope) if part))


def copy_scoped_meta_graph(from_scope, to_scope, from_graph=None, to_graph=None) -> dict:
    """Copies what stands in a name scope to another scope or graph; returns the Variables as `import_scoped_meta_graph`.

    Raises:
      ValueError: the scopes are one, in one graph.
    """
    from_graph = from_graph or default_graph()
    to_graph = to_graph or default_graph()
    if from_graph is to_graph and from_scope == to_scope:
        raise ValueError(
            "'from_scope' and 'to_scope' need to be different when performing copy in the same graph. Received: 'from_graph': "
            f"{from_graph}, 'to_graph': {to_graph}."
        )
    message, _ = export_scoped_meta_graph(export_scope=from_scope, graph=from_graph)
    return import_scoped_meta_graph(message, graph=to_graph, import_scope=to_scope)


def ops_used_by_graph_def(graph_def) -> list[str]:
    """The names of the ops in a GraphDef: of its nodes, and of those of the functions that they call."""
    functions = {function.signature.name: function for function in graph_def.library.function}
    pending = list(graph_def.node)
    found: set[str] = set()
    while pending:
        node = pending.pop()
        called = [node.attr["f"].func.name] if node.op in ("PartitionedCall", "StatefulPartitionedCall") else []
        for name in {node.op, *called} - found:
            found.add(name)
            pending += functions[name].node_def if name in functions else []
    return [op for op in found if op not in functions]


def read_meta_graph_file(filename):
    """The MetaGraphDef in a file, which is not text.

    Raises:
      OSError: there is no such file, or it holds no MetaGraphDef.
    """
    path = _core.local_path(os.fsencode(filename))
    if not os.path.exists(path):
        raise OSError(f"File does not exist. Received: {filename}.")
    with open(path, "rb") as file:
        contents = file.read()
    try:
        return message_class("MetaGraphDef").FromString(contents)
    except DecodeError as error:
        raise OSError(f"Cannot parse file {filename}: {error}.") from None
