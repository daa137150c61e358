"""Checks where a Variable may be created, and its initial value and shape."""

from __future__ import annotations

from tracefn import _core
from tracefn._node_attributes import colocated, of_variable
from tracefn._variable.sessions import GraphNodes
from tracefn._variable.traces import creation_of_thread, scope_for_new_variable
from tracefn.framework import control_dependencies, current_scope, executing_eagerly, name_scope
from tracefn.tensor_shape import TensorShape


class NoVariablesHereError(NotImplementedError):
    """A Variable was created where none can be."""


def creation_scope():
    """The CreationScope that records a Variable created now; None outside of functions, and in a tf.Graph inside of one."""
    if _in_graph():
        return None
    scope = scope_for_new_variable()
    if scope is None and not executing_eagerly() and graph_around() is None:
        raise NoVariablesHereError("A tf.Variable cannot be created here: in a branch or loop that is traced by itself.")
    return scope


def is_in_function() -> bool:
    """Whether a function that is being traced would own a Variable created now."""
    return creation_of_thread() is not None and not _in_graph()


def _in_graph() -> bool:
    """Whether a tf.Graph is being built, outside of the functions that are traced in it."""
    graph = _core.current_graph()
    while graph is not None and graph.is_function and not getattr(graph, "_is_function_root", False):
        graph = graph._outer
    return graph is not None and not graph.is_function


def graph_around():
    """The tf.Graph that the current branches and loops are in; None if there is none."""
    graph = _core.current_graph()
    while graph is not None and graph.is_function:
        graph = graph._outer
    return graph


def nodes_in_graph(initial_value, dtype, shape, name: str, validate_shape: bool):
    """Adds a Variable to the tf.Graph being built, outside of its branches and loops: its handle, initial value, initializer
    and value.

    Args:
      initial_value, dtype, shape: as for tf.Variable.
      name: its name; it is made unique.
      validate_shape: whether all values have the shape of the initial value.

    Returns:
      The handle, the shape, the unique name, and the GraphNodes.
    """
    if _core.current_graph().is_function:
        # The names in a branch or loop begin with those of what is around it.
        scope = current_scope().removeprefix(_core.current_graph()._outer.scope)
        with _core.TargetContext(graph_around()), _core.ScopeOf(graph_around(), scope):
            return nodes_in_graph(initial_value, dtype, shape, name, validate_shape)
    graph = _core.current_graph()
    op = _core.raw_op
    with control_dependencies(None), _core.OpScope(name) as scope:
        unique = scope.removesuffix("/")
        with of_variable(graph, unique.encode()), name_scope("Initializer"):
            value = initial_tensor(initial_value, dtype, shape, "initial_value")
        shape = checked_shape(shape, value) if validate_shape else TensorShape(shape)
        with of_variable(graph, unique.encode()):
            handle = op("VarHandleOp")(dtype=value.dtype, shape=shape, shared_name=unique, name=scope)
        with name_scope("IsInitialized"):
            op("VarIsInitializedOp")(resource=handle)
        with colocated(graph, [], alone=True):
            initializer = op("AssignVariableOp")(resource=handle, value=value, name="Assign")
        with name_scope("Read"):
            element = op("ReadVariableOp")(resource=handle, dtype=value.dtype)
    return handle, shape, unique, GraphNodes(graph, value, initializer, element)


def initial_tensor(initial_value, dtype, shape, name=None):
    if callable(initial_value) and not getattr(type(initial_value), "is_tensor_like", False):
        initial_value = initial_value()
    try:
        return _core.convert_to_tensor(initial_value, dtype=dtype, name=name)
    except ValueError as error:
        if str(error).startswith("Tensor conversion requested"):
            raise ValueError(f"initial_value: {error}") from None
        raise


def checked_shape(shape, value) -> TensorShape:
    """The given shape, or the shape of the value if that is None.

    Raises:
      ValueError: the value does not fit the shape.
    """
    if shape is None:
        return value.shape
    given = TensorShape(shape)
    if not given.is_compatible_with(value.shape):
        raise ValueError(
            f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is not compatible with the "
            f"explicitly supplied `shape` argument ({shape})."
        )
    return given
