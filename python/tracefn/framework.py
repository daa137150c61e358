"""Graphs, name scopes and control dependencies: what surrounds the ops of a program."""

from __future__ import annotations

from contextlib import contextmanager

from tracefn import _core
from tracefn._core import Graph, Operation
from tracefn._device import device
from tracefn._static_value import get_static_value

__all__ = [
    "Graph",
    "Operation",
    "control_dependencies",
    "device",
    "executing_eagerly",
    "get_static_value",
    "init_scope",
    "inside_function",
    "is_tensor",
    "name_scope",
]


def executing_eagerly() -> bool:
    """True where ops run at once, False while a function or graph is being built.

    Example:
      >>> import tracefn as tf
      >>> tf.executing_eagerly()
      True
    """
    return _core.current_graph() is None


def inside_function() -> bool:
    """True while the body of a `tf.function` (or of a branch or loop in one) is traced.

    Example:
      >>> import tracefn as tf
      >>> tf.inside_function()
      False
    """
    graph = _core.current_graph()
    return graph is not None and graph.is_function


def current_scope() -> str:
    """The name scope in force, "" or ending in "/"."""
    graph = _core.current_graph()
    return _core.eager_scope() if graph is None else graph.scope


class name_scope(_core.NameScope):
    """A context that prefixes the names of the ops made in it.

    Args:
      name: str; "" or None is the root, a name ending in "/" is entered again as it is.

    Yields:
      str: the scope's full name, ending in "/".

    Raises:
      ValueError: `name` is not a str.

    Example:
      >>> import tracefn as tf
      >>> with tf.name_scope("layer") as scope:
      ...     print(scope)
      layer/
    """

    __slots__ = ()

    def __reduce__(self):
        return name_scope, (self.name,)


@contextmanager
def control_dependencies(control_inputs):
    """A context in which ops run after `control_inputs`; None forgets those of the contexts around it.

    Args:
      control_inputs: list of tensors, Operations or Variables, or None. Callables in it are called when executing
        eagerly, where there is nothing else to do.

    Example:
      >>> import tracefn as tf
      >>> with tf.control_dependencies([tf.constant(1)]):
      ...     print(int(tf.constant(2)))
      2
    """
    graph = _core.current_graph()
    if graph is None:
        for item in control_inputs or ():
            if callable(item) and not is_tensor(item):
                item()
        yield
        return
    if control_inputs is not None:
        control_inputs = [getattr(item, "op", item) if isinstance(item, Operation) else item for item in control_inputs]
    graph.enter_control_dependencies(control_inputs)
    try:
        yield
    finally:
        graph.leave_control_dependencies()


@contextmanager
def init_scope():
    """A context that lifts ops out of functions, branches and loops being traced: they run eagerly.

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def f():
      ...     with tf.init_scope():
      ...         print(tf.executing_eagerly())
      >>> f()
      True
    """
    graph = _core.current_graph()
    while graph is not None and graph.is_function:
        graph = graph.outer_graph
    scope = current_scope()
    with _core.TargetContext(graph):
        previous = _core.eager_scope()
        _core.set_eager_scope(scope)
        try:
            yield
        finally:
            _core.set_eager_scope(previous)


def is_tensor(x: object) -> bool:
    """True for tensors, Variables and composite tensors.

    Example:
      >>> import tracefn as tf
      >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
      (True, False)
    """
    if isinstance(x, _core.Tensor):
        return True
    return getattr(type(x), "is_tensor_like", False) is True


def _as_default(self: Graph):
    """A context in which this graph receives the ops that are made."""
    return _core.TargetContext(self)


def _get_operations(self: Graph) -> list:
    """The Operations of the graph, in the order in which they were made."""
    return [self.operation(i) for i in range(len(self))]


def _as_graph_element(self: Graph, obj, allow_tensor: bool = True, allow_operation: bool = True):
    """The tensor or Operation of this graph that an object or a name stands for.

    Args:
      obj: a tensor or Operation of the graph, a Variable, or a name: "op", "op:0".
      allow_tensor, allow_operation: which of the two it may be.

    Raises:
      TypeError: it is none of these, or of the kind that is not allowed.
      ValueError: it is of another graph, or the name is no such name.
      KeyError: there is none of that name.
    """
    wanted = " or ".join(["Tensor"] * bool(allow_tensor) + ["Operation"] * bool(allow_operation))
    if not wanted:
        raise ValueError("allow_tensor and allow_operation can't both be False.")
    if isinstance(obj, str):
        return _element_by_name(self, obj, allow_tensor, allow_operation)
    obj = getattr(obj, "handle", obj)
    classes = (Operation,) * bool(allow_operation) + (_core.SymbolicTensor,) * bool(allow_tensor)
    if isinstance(obj, classes):
        if obj.graph is not self:
            raise ValueError(f"{type(obj).__name__} {obj!r} is not an element of this graph.")
        return obj
    raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")


def _element_by_name(graph: Graph, name: str, allow_tensor: bool, allow_operation: bool):
    form = 'Tensor names must be of the form "<op_name>:<output_index>".'
    op_name, colon, index = name.partition(":")
    found = graph.find(op_name)
    if colon and allow_tensor:
        if not index.isdigit():
            raise ValueError(f"The name {name!r} looks a like a Tensor name, but is not a valid one. {form}")
        if found < 0:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, does not exist in "
                "the graph."
            )
        outputs = graph.operation(found).outputs
        if int(index) >= len(outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, exists but only "
                f"has {len(outputs)} outputs."
            )
        return outputs[int(index)]
    if colon:
        raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
    if allow_operation:
        if found < 0:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return graph.operation(found)
    if found >= 0:
        raise ValueError(f"The name {name!r} refers to an Operation, not a Tensor. {form}")
    raise ValueError(f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. {form}")


def _get_operation_by_name(self: Graph, name: str) -> Operation:
    """The Operation of that name.

    Raises:
      TypeError: `name` is not a str.
      ValueError: it is a tensor's name.
      KeyError: there is none.
    """
    if not isinstance(name, str):
        raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
    return _element_by_name(self, name, False, True)


def _get_tensor_by_name(self: Graph, name: str):
    """The tensor of that name, "op:0".

    Raises:
      TypeError, ValueError: `name` is no tensor's name.
      KeyError: there is none.
    """
    if not isinstance(name, str):
        raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
    return _element_by_name(self, name, True, False)


@contextmanager
def _graph_name_scope(self: Graph, name: str):
    """The graph's own name scope, whether or not it is current."""
    previous = self.enter_scope(name or "")
    try:
        yield self.scope
    finally:
        self.leave_scope(previous)


def _as_graph_def(self: Graph, from_version=None, add_shapes: bool = False):
    """The graph as a `tf.compat.v1.GraphDef`, the form in which TensorFlow stores graphs.

    Args:
      from_version, add_shapes: accepted; all nodes are given, with the shapes that are part of them.
    """
    from tracefn._graph_def import GraphDef

    del from_version, add_shapes
    return GraphDef(self)


def _gradient_override_map(self: Graph, op_type_map: dict):
    """A context in which nodes of some types get gradient functions registered by `tf.RegisterGradient`.

    Args:
      op_type_map: type of a node -> name under which the function is registered.

    Raises:
      TypeError: it is no dict of strings.
    """
    from tracefn.ops.gradient_registry import gradient_override_map

    return gradient_override_map(self, op_type_map)


def _graph_repr(self: Graph) -> str:
    return (
        f"FuncGraph(name={self.name}, id={id(self)})"
        if self.is_function
        else f"<tracefn.Graph object at {id(self):#x}>"
    )


Graph.as_default = _as_default
Graph.get_operations = _get_operations
Graph.get_operation_by_name = _get_operation_by_name
Graph.get_tensor_by_name = _get_tensor_by_name
Graph.as_graph_element = _as_graph_element
Graph.as_graph_def = _as_graph_def
Graph.name_scope = _graph_name_scope
Graph.gradient_override_map = _gradient_override_map
Graph.version = property(len)
Graph.seed = property(lambda self: getattr(self, "_random_seed", None))
Graph.building_function = property(lambda self: self.is_function)
Graph.__repr__ = _graph_repr  # type: ignore[method-assign, assignment]
