"""Graphs, name scopes and control dependencies: the context in which ops are created."""

from __future__ import annotations

import threading

from tracefn import _core
from tracefn._contexts import context
from tracefn._core import Graph, Operation
from tracefn._device import device
from tracefn._static_value import get_static_value
from tracefn.indexed_slices import IndexedSlices

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

# The operator of the core, kept before NumPy's behavior or a program puts another one in its place.
matrix_product = _core.Tensor.__matmul__


class _Outermost:
    """The default Graph outside of all `with` blocks, once one was asked for."""

    graph: Graph | None = None


class _Left(threading.local):
    """The graph that the innermost `init_scope` of a thread has left for eager execution."""

    graph: Graph | None = None


_left = _Left()


def default_graph():
    """The graph being built; while ops run eagerly, the one that `init_scope` has left, or a default Graph."""
    return _core.current_graph() or _left.graph or default_graph_outside()


def default_graph_outside():
    """The default Graph outside of all `with` blocks and functions."""
    if _Outermost.graph is None:
        _Outermost.graph = _core.Graph()
    return _Outermost.graph


def new_default_graph() -> None:
    """Makes another Graph the default one while ops run eagerly."""
    _Outermost.graph = None


def executing_eagerly() -> bool:
    """True if ops run eagerly, False while a function or a graph is being built.

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
    """The current name scope: "", or a name ending in "/"."""
    graph = _core.current_graph()
    return _core.eager_scope() if graph is None else graph.scope


class name_scope(_core.NameScope):
    """A context that prefixes the names of the ops created in it.

    Args:
      name: str; "" is the root; a name ending in "/" is a full scope name, which is entered again.

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

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        return super().__new__(cls, name)

    def __reduce__(self):
        return name_scope, (self.name,)


@context
def control_dependencies(control_inputs):
    """A context in which ops run after `control_inputs`; None clears those of the enclosing contexts.

    Args:
      control_inputs: list of tensors, Operations or Variables, or None. Eagerly, callables in it are called, and the
        context has no other effect.

    Raises:
      TypeError: in a graph, an item is none of these.

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
        return None, ()
    return None, (_core.ControlContext(graph, control_elements(graph, control_inputs)),)


def control_elements(graph, control_inputs):
    """The items of `control_inputs` as what the core takes: names as what they name, IndexedSlices as their values.

    Raises:
      TypeError: an item is neither a tensor, Operation or Variable nor the name of one, or there are no items.
      KeyError, ValueError: the graph has nothing of that name.
    """
    return None if control_inputs is None else [_control_element(graph, item) for item in control_inputs]


def _control_element(graph, item):
    if isinstance(item, IndexedSlices):
        return item.values
    if isinstance(item, str):
        return graph.as_graph_element(item)
    if isinstance(item, Operation) or converts_to_tensor(item):
        return item
    if hasattr(item, "_as_graph_element"):
        return item._as_graph_element()
    raise TypeError(f"Can not convert a {type(item).__name__} into a Tensor or Operation.")


@context
def init_scope():
    """A context that lifts ops out of the functions, branches and loops being traced: they run eagerly.

    In a `tf.Graph`, they are added to it, and `tf.control_dependencies` around them do not count.

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def f():
      ...     with tf.init_scope():
      ...         print(tf.executing_eagerly())
      >>> f()
      True
    """
    left = graph = _core.current_graph()
    while graph is not None and graph.is_function:
        graph = graph._outer
    scope = current_scope()
    contexts: tuple = (_core.TargetContext(graph), _core.ScopeOf(graph, scope))
    if graph is not None:
        contexts = (*contexts, _core.ControlContext(graph, None))
    return None, contexts if left is None else (*contexts, _core.Setting(_left, "graph", left))


def is_tensor(x: object) -> bool:
    """True for tensors, Variables, IndexedSlices, SparseTensors and RaggedTensors.

    Example:
      >>> import tracefn as tf
      >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
      (True, False)
    """
    if isinstance(x, _core.Tensor):
        return True
    return getattr(type(x), "is_tensor_like", False) is True


def is_tensor_like(x: object) -> bool:
    """`tf.is_tensor`: the same, and true for an object of a library that has an attribute `is_tensor_like`.

    Example:
      >>> import tracefn as tf
      >>> class Symbol:
      ...     is_tensor_like = True
      >>> tf.is_tensor(Symbol())
      True
    """
    return isinstance(x, _core.Tensor) or hasattr(x, "is_tensor_like")


def converts_to_tensor(x: object) -> bool:
    """Whether `is_tensor(x)`, and it is a tensor or converts to one: true for Variables, false for RaggedTensors."""
    return is_tensor(x) and (isinstance(x, _core.Tensor) or hasattr(type(x), "__tf_tensor__"))
