"""`tensorflow.python.framework.func_graph`: the graphs of functions, without the functions that call them."""

from __future__ import annotations

import functools

from tracefn import _core
from tracefn.framework import control_dependencies
from tracefn.function import function

__all__ = ["func_graph_from_py_func"]


def func_graph_from_py_func(
    name,
    python_func,
    args,
    kwargs,
    signature=None,
    func_graph=None,
    add_control_dependencies=True,
    arg_names=None,
    op_return_value=None,
    collections=None,
    capture_by_value=None,
    create_placeholders=True,
):
    """The graph that a Python function traces, without AutoGraph.

    Args:
      name: str, the name of the traced function.
      python_func: callable.
      args, kwargs: its arguments, or specs of them.
      signature: (args, kwargs) of specs, which go before `args` and `kwargs`.
      op_return_value: what an Operation that `python_func` returns stands for.
      add_control_dependencies, arg_names, collections: accepted, without effect.
      func_graph, capture_by_value, create_placeholders: accepted with their defaults.

    Returns:
      Graph with `inputs`, `outputs`, `structured_outputs` and `structured_input_signature`.

    Raises:
      NotImplementedError: the graph is to be one that exists, or to have the values of what it captures.
      TypeError: `python_func` returns what is no tensor.
      ValueError: it changes its arguments.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.func_graph import func_graph_from_py_func
      >>> graph = func_graph_from_py_func("double", lambda x: x * 2, (tf.TensorSpec([3], name="x"),), {})
      >>> [tensor.name for tensor in graph.inputs], graph.outputs[0].shape
      (['x:0'], TensorShape([3]))
    """
    del add_control_dependencies, arg_names, collections
    if func_graph is not None or capture_by_value or not create_placeholders:
        raise NotImplementedError("func_graph_from_py_func makes a new graph, with placeholders for what it is given and captures.")
    args, kwargs = signature if signature is not None else (args or (), kwargs or {})

    @functools.wraps(python_func)
    def traced(*args, **kwargs):
        result = python_func(*args, **kwargs)
        if op_return_value is None or not isinstance(result, _core.Operation):
            return result
        with control_dependencies([result]):
            return _core.raw_op("Identity")(input=op_return_value)

    traced.__name__ = name
    concrete = function(traced, autograph=False).get_concrete_function(*args, **kwargs)
    graph = concrete.graph
    graph.__dict__["_concrete_function"] = lambda: concrete  # a strong reference: the caller keeps only the graph
    return graph
