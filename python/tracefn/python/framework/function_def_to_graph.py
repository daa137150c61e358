"""`tensorflow.python.framework.function_def_to_graph`: the graphs of functions, from their messages."""

from __future__ import annotations

from tracefn._attr_value import attr_value
from tracefn._graph.edits import called_functions, output_counts, with_inputs
from tracefn._graph_def import op_def_of
from tracefn._namespaces import root
from tracefn._proto import message_class
from tracefn.framework import default_graph
from tracefn.tensor_shape import as_shape

__all__ = ["function_def_to_graph", "function_def_to_graph_def", "is_function"]


def function_def_to_graph(
    fdef,
    structured_input_signature=None,
    structured_outputs=None,
    input_shapes=None,
    propagate_device_spec=False,
    include_library_functions=False,
):
    """The graph of a function; the functions that it calls are those that the default graph calls.

    Args:
      fdef: FunctionDef.
      structured_input_signature, structured_outputs, propagate_device_spec, include_library_functions: accepted, without
        effect.
      input_shapes: list of shapes, one for each argument, of which some may be None. What `fdef` says of an argument goes before.

    Returns:
      Graph with `name`, `inputs` and `outputs`.

    Raises:
      ValueError: there are not as many `input_shapes` as arguments, or a function that it calls is not found.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.function_def_to_graph import function_def_to_graph
      >>> double = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([3], name="x"))
      >>> function_def_to_graph(double.function_def).inputs
      [<tf.Tensor 'x:0' shape=(3,) dtype=float32>]
    """
    del structured_input_signature, structured_outputs, propagate_device_spec, include_library_functions
    tf, signature = root(), fdef.signature
    if input_shapes is None and "_input_shapes" in fdef.attr:
        input_shapes = list(fdef.attr["_input_shapes"].list.shape)
    graph_def, flat = function_def_to_graph_def(fdef, input_shapes)
    for function in default_graph()._functions.values():
        graph_def.library.function.add().CopyFrom(function.definition)
    whole = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph_def, name=""), [])
    feeds = [flat[argument.name] for argument in signature.input_arg]
    fetches = [flat[fdef.ret[result.name]] for result in signature.output_arg]
    ends = [fdef.control_ret[name] for name in signature.control_output]
    return whole.prune(feeds, [*fetches, *ends], name=signature.name).graph


def function_def_to_graph_def(fdef, input_shapes=None, include_library_functions=False):
    """The nodes of a function as a GraphDef with placeholders for the arguments.

    Args:
      fdef: FunctionDef.
      input_shapes: list of shapes, one for each argument, of which some may be None; or None.
      include_library_functions: whether the GraphDef has the functions that the default graph calls.

    Returns:
      (GraphDef, dict from the names of tensors in functions, "node:output:0", to those in graphs, "node:0").

    Raises:
      ValueError: there are not as many `input_shapes` as arguments, or a function that it calls is not found.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.function_def_to_graph import function_def_to_graph_def
      >>> double = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([None], name="x"))
      >>> function_def_to_graph_def(double.function_def)[1]["mul:z:0"]
      'mul:0'
    """
    arguments = fdef.signature.input_arg
    if input_shapes and len(input_shapes) != len(arguments):
        raise ValueError(
            f"Length of `input_shapes` must match the number of `input_arg`s in `fdef`. Got {len(input_shapes)} "
            f"`input_shapes` and {len(arguments)} `input_arg`s."
        )
    library, made = default_graph()._functions, message_class("GraphDef")()
    flat = {}
    for i, argument in enumerate(arguments):
        node = made.node.add(name=argument.name, op="Placeholder")
        node.attr["dtype"].CopyFrom(attr_value(type=argument.type))
        if input_shapes and input_shapes[i] is not None:
            node.attr["shape"].CopyFrom(attr_value(shape=_shape_message(input_shapes[i])))
        for shape in fdef.arg_attr[i].attr["_output_shapes"].list.shape if i in fdef.arg_attr else ():
            node.attr["shape"].CopyFrom(attr_value(shape=shape))
        flat |= {argument.name: f"{argument.name}:0", f"^{argument.name}": f"^{argument.name}"}
    for node in fdef.node_def:
        for name in called_functions(node):
            if name not in library:
                raise ValueError(f"Function {name} was not found. Please make sure the FunctionDef `fdef` is correct.")
        declared = library[node.op].definition.signature if node.op in library else op_def_of(node.op)
        number = 0
        for name, count in output_counts(node, declared):
            flat |= {f"{node.name}:{name}:{i}": f"{node.name}:{number + i}" for i in range(count)}
            number += count
        flat[f"^{node.name}"] = f"^{node.name}"
    made.node.extend(with_inputs(node, [flat[name] for name in node.input]) for node in fdef.node_def)
    if include_library_functions:
        made.library.function.extend(function.definition for function in library.values())
    return made, flat


def is_function(fname, graph) -> bool:
    """Whether a graph calls a function of that name."""
    return graph._is_function(fname)


def _shape_message(shape):
    return as_shape(shape).as_proto()
