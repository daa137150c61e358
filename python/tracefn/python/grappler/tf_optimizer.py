"""`tensorflow.python.grappler.tf_optimizer`: GraphDefs that compute the same with fewer nodes."""

from __future__ import annotations

from tracefn import _core
from tracefn._graph.edits import source, without_unused_functions
from tracefn._graph.folding import folded_graph_def, needed_graph_def
from tracefn._graph.inlining import inlined_graph_def
from tracefn._namespaces import root

__all__ = ["OptimizeGraph"]

_OFF = 2


def OptimizeGraph(
    config_proto, metagraph, verbose=True, graph_id=b"graph_to_optimize", cluster=None, strip_default_attributes=False
):
    """The graph of a MetaGraphDef as a GraphDef with what its fetches need, calls inlined and constants folded.

    What to fetch are the outputs of its signatures and the names in the collection `train_op`.

    Args:
      config_proto: ConfigProto, whose `rewrite_options` may name the optimizers, among them "function" and "constfold", or
        turn one or all of them off.
      metagraph: MetaGraphDef.
      verbose, graph_id, cluster, strip_default_attributes: accepted, without effect.

    Raises:
      TypeError: `config_proto` is no ConfigProto.
      ValueError: there is nothing to fetch, or it is not in the graph.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.grappler.tf_optimizer import OptimizeGraph
      >>> with tf.Graph().as_default() as graph:
      ...     y = tf.identity(tf.constant(2.0) * tf.constant(3.0), name="y")
      ...     meta_graph = tf.compat.v1.train.export_meta_graph(graph=graph)
      >>> meta_graph.signature_def["main"].outputs["y"].name = "y:0"
      >>> [node.op for node in OptimizeGraph(tf.compat.v1.ConfigProto(), meta_graph).node]
      ['Const']
    """
    del verbose, graph_id, cluster, strip_default_attributes
    if type(config_proto).__name__ != "ConfigProto":
        raise TypeError(f"Argument `config_proto` should be a tf.ConfigProto, received type: {type(config_proto).__name__}")
    fetches, made = _fetches(metagraph), metagraph.graph_def
    names = {node.name for node in made.node}
    if not fetches or any(source(name) not in names for name in fetches):
        raise ValueError("Failed to import metagraph, check error log for more info.")
    chosen = _chosen(config_proto)
    if "function" in chosen:
        made = inlined_graph_def(made)
    if "constfold" in chosen:
        made = needed_graph_def(made, fetches)
        made = folded_graph_def(made, _imported(made), fetches)
    if chosen - {"function"}:
        made = needed_graph_def(made, fetches)
    return without_unused_functions(made) if chosen else made


def _chosen(config_proto) -> set[str]:
    """The names of the optimizers that run; those that do nothing here are among them."""
    every = {"function", "constfold", "pruning"}
    if not hasattr(config_proto, "SerializeToString"):
        return every  # not a message: its options are without effect
    options = config_proto.graph_options.rewrite_options
    if options.disable_meta_optimizer:
        return set()
    off = {"function": options.function_optimization, "constfold": options.constant_folding}
    return {name for name in options.optimizers or every if off.get(name) != _OFF}


def _fetches(metagraph) -> list[str]:
    outputs = [info.name for signature in metagraph.signature_def.values() for info in signature.outputs.values()]
    collections = metagraph.collection_def
    return [*outputs, *(collections["train_op"].node_list.value if "train_op" in collections else ())]


def _imported(graph_def):
    graph = _core.Graph()
    with graph.as_default():
        root().import_graph_def(graph_def, name="")
    return graph
