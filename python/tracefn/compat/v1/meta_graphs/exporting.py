"""`tf.compat.v1.train.export_meta_graph`."""

from __future__ import annotations

import os

from tracefn import _core
from tracefn._checkpoint.saver import set_export_meta_graph
from tracefn._export import export
from tracefn._graph.edits import remove_devices, with_nodes
from tracefn._proto import message_class
from tracefn._saved_model.messages import encoded
from tracefn.compat.v1.meta_graphs.importing import NO_GRAPH
from tracefn.compat.v1.meta_graphs.records import meta_graph_of
from tracefn.compat.v1.meta_graphs.scoped import Scoped
from tracefn.framework import default_graph, executing_eagerly


@export("compat.v1.train.export_meta_graph")
def export_meta_graph(
    filename=None,
    meta_info_def=None,
    graph_def=None,
    saver_def=None,
    collection_list=None,
    as_text=False,
    graph=None,
    export_scope=None,
    clear_devices=False,
    clear_extraneous_savers=False,
    strip_default_attrs=False,
    save_debug_info=False,
    **kwargs,
):
    """Writes a graph with its collections to a file, for `import_meta_graph`.

    Args:
      filename: str, or None: nothing is written.
      meta_info_def: must be None.
      graph_def: GraphDef whose nodes are written in place of the graph's; None: all.
      saver_def: the SaverDef of a Saver (`as_saver_def()`), or None.
      collection_list: list of the names of collections; None: all.
      as_text: bool, whether the file is text, which only people read.
      graph: tf.Graph; None: the default one.
      export_scope: str, a name scope, of which the nodes are written with names from there on; None: all. Inputs from outside
        are named "$unbound_inputs_" and the name of a node; `import_meta_graph` takes them in `input_map`.
      clear_devices: bool, whether nodes lose their devices.
      clear_extraneous_savers, strip_default_attrs, save_debug_info, **kwargs: accepted, without effect.

    Returns:
      The message MetaGraphDef.

    Raises:
      RuntimeError: ops run eagerly.
      NotImplementedError: `meta_info_def` is given.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     x = tf.constant(1.0, name="x")
      ...     tf.compat.v1.add_to_collection("kept", x)
      ...     made = tf.compat.v1.train.export_meta_graph()
      >>> [node.name for node in made.graph_def.node], made.collection_def["kept"].node_list.value
      (['x'], ['x:0'])
    """
    del clear_extraneous_savers, strip_default_attrs, save_debug_info, kwargs
    if executing_eagerly():
        raise RuntimeError(NO_GRAPH)
    if meta_info_def is not None:
        raise NotImplementedError("export_meta_graph: `meta_info_def` is not supported.")
    graph = default_graph() if graph is None else graph
    record, nodes = meta_graph_of(graph, saver_def), graph.as_graph_def() if graph_def is None else with_nodes(graph_def, graph_def.node)
    if export_scope:
        part = Scoped(nodes, record.collection_def, export_scope)
        nodes, record.collection_def = part.graph_def, part.collections
    if clear_devices:
        remove_devices(nodes)
    record.graph_def = nodes.SerializeToString()
    if collection_list is not None:
        record.collection_def = {name: found for name, found in record.collection_def.items() if name in collection_list}
    made = message_class("MetaGraphDef").FromString(encoded(record))
    if filename:
        with open(_core.local_path(os.fsencode(filename)), "wb") as file:
            file.write(str(made).encode() if as_text else made.SerializeToString())
    return made


set_export_meta_graph(export_meta_graph)
