"""`tensorflow.python.eager.wrap_function`: functions made of GraphDefs."""

from __future__ import annotations

from tracefn import nest
from tracefn.compat.v1.wrap_function import wrap_function
from tracefn.ops.graph_import import import_graph_def

__all__ = ["function_from_graph_def", "wrap_function"]


def function_from_graph_def(graph_def, inputs, outputs, captures=None):
    """A function of the part of a graph between some tensors.

    Args:
      graph_def: GraphDef.
      inputs, outputs: nests of names of tensors ("x:0").
      captures: dict from the name of a placeholder in the graph to the tensor that it stands for; None: there are none.

    Returns:
      ConcreteFunction, called with tensors by position, as `prune` of `tf.compat.v1.wrap_function` returns it.

    Raises:
      KeyError: a name is not in the graph.
      UnliftableError: an output depends on a placeholder that is no input.

    Example:
      >>> import tracefn as tf
      >>> f = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([None], name="x"))
      >>> graph_def, result = f.graph.as_graph_def(), f.graph.outputs[0].name
      >>> g = tf.python.eager.wrap_function.function_from_graph_def(graph_def, "x:0", result)
      >>> g(tf.constant([1.0, 2.0])).numpy().tolist()
      [2.0, 3.0]
    """
    given = {f"{name}:0": tensor for name, tensor in (captures or {}).items()}

    def imports():
        import_graph_def(graph_def, input_map=given, name="")

    wrapped = wrap_function(imports, [])
    element = wrapped.graph.as_graph_element
    return wrapped.prune(nest.map_structure(element, inputs), nest.map_structure(element, outputs))
