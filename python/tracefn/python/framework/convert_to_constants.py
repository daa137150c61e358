"""`tensorflow.python.framework.convert_to_constants`: functions whose Variables are constants."""

from __future__ import annotations

from tracefn._graph.freezing import frozen_graph_def
from tracefn._graph.inlining import inlined_graph_def
from tracefn._known_variables import variable_of_handle
from tracefn._namespaces import root

__all__ = ["convert_variables_to_constants_v2", "convert_variables_to_constants_v2_as_graph"]


def convert_variables_to_constants_v2(func, lower_control_flow=True, aggressive_inlining=False):
    """A function with the present values of its Variables as constants: a frozen graph.

    Args:
      func: ConcreteFunction.
      lower_control_flow, aggressive_inlining: accepted, without effect: conditionals and loops stay single nodes, calls do not.

    Returns:
      ConcreteFunction without captures. It takes the arguments of `func`, and returns the list of its results.

    Raises:
      ValueError: the function changes a Variable.
      NotImplementedError: it takes a resource from outside that is no Variable.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.convert_to_constants import convert_variables_to_constants_v2
      >>> v = tf.Variable(3.0)
      >>> double = tf.function(lambda x: x * v).get_concrete_function(tf.TensorSpec([], name="x"))
      >>> frozen = convert_variables_to_constants_v2(double)
      >>> v.assign(100.0) is None, [float(y) for y in frozen(tf.constant(2.0))], frozen.graph.captures
      (False, [6.0], [])
    """
    return convert_variables_to_constants_v2_as_graph(func, lower_control_flow, aggressive_inlining)[0]


def convert_variables_to_constants_v2_as_graph(func, lower_control_flow=True, aggressive_inlining=False):
    """`convert_variables_to_constants_v2`, and the GraphDef of the frozen graph.

    Args:
      func: ConcreteFunction.
      lower_control_flow, aggressive_inlining: accepted, without effect.

    Returns:
      (ConcreteFunction, GraphDef).

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.convert_to_constants import convert_variables_to_constants_v2_as_graph
      >>> v = tf.Variable(3.0)
      >>> double = tf.function(lambda x: x * v).get_concrete_function(tf.TensorSpec([], name="x"))
      >>> frozen, graph_def = convert_variables_to_constants_v2_as_graph(double)
      >>> "Const" in [node.op for node in graph_def.node]
      True
    """
    del lower_control_flow, aggressive_inlining
    tf = root()
    arrays = {inner.op.name: _value(outer) for outer, inner in func.graph.captures}
    frozen = inlined_graph_def(frozen_graph_def(func.graph.as_graph_def(), arrays))
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(frozen, name=""), [])
    captured = {inner.op.name for _, inner in func.graph.captures_and_constants}
    feeds = [tensor.name for tensor in func.inputs if tensor.op.name not in captured]
    return wrapped.prune(feeds, [tensor.name for tensor in func.outputs]), frozen


def _value(outer) -> tuple:
    """(the tensor that a capture is or holds, whether it holds it as a Variable)."""
    if outer.dtype.name != "resource":
        return outer, False
    variable = variable_of_handle(outer)
    if variable is None:
        raise NotImplementedError(f"A function that uses {outer!r}, which is no Variable, cannot become one without captures.")
    return variable.read_value(), True
