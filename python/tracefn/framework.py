"""Graphs, name scopes, control dependencies and devices: what surrounds the ops of a program."""

from __future__ import annotations

import threading
from contextlib import contextmanager

from tracefn import _core
from tracefn._core import Graph, Operation

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


class _Thread(threading.local):
    """What belongs to one thread outside of graphs: the eager name scope and the device."""

    scope = ""
    device = ""


_thread = _Thread()


def current_scope() -> str:
    """The name scope in force, "" or ending in "/"."""
    graph = _core.current_graph()
    return _thread.scope if graph is None else graph.scope


class name_scope:
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

    __slots__ = ("_graphs", "_name")

    def __init__(self, name: str | None) -> None:
        if name is not None and not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._graphs: list = []

    @property
    def name(self) -> str | None:
        return self._name

    def __enter__(self) -> str:
        name = self._name or ""
        graph = _core.current_graph()
        if graph is not None:
            self._graphs.append((graph, graph.enter_scope(name)))
            return graph.scope
        self._graphs.append((None, _thread.scope))
        if not name or name.endswith("/"):
            _thread.scope = name
        else:
            _thread.scope = _thread.scope + name + "/"
        return _thread.scope

    def __exit__(self, *exc: object) -> None:
        graph, previous = self._graphs.pop()
        if graph is None:
            _thread.scope = previous
        else:
            graph.leave_scope(previous)


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
        previous, _thread.scope = _thread.scope, scope
        try:
            yield
        finally:
            _thread.scope = previous


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


def get_static_value(tensor, partial: bool = False):
    """The numpy value of a tensor where it is known without running anything, else None.

    Args:
      tensor: a tensor.
      partial: accepted; a value is given only when all of it is known.

    Example:
      >>> import tracefn as tf
      >>> int(tf.get_static_value(tf.constant(3)))
      3
    """
    del partial
    value = _core.constant_value(tensor)
    return None if value is None else value.numpy()


_CPU_NAMES = {"", "CPU", "CPU:0"}


def _device_type(name: str) -> str:
    """The part of a device name that says which kind: "/device:CPU:0", "/CPU:0", "cpu:0" give "CPU:0"."""
    last = name.split("/")[-1].upper()
    return last.removeprefix("DEVICE:")


@contextmanager
def device(device_name):
    """A context for a device; the CPU is the only one here.

    Args:
      device_name: str, a device object, a function of an Operation (ignored), or None.

    Raises:
      InvalidArgumentError: the device is not a CPU and soft placement is off.

    Example:
      >>> import tracefn as tf
      >>> with tf.device("/CPU:0"):
      ...     print(int(tf.constant(1)))
      1
    """
    from tracefn import config, errors

    name = getattr(device_name, "name", device_name)
    if isinstance(name, str) and _device_type(name) not in _CPU_NAMES and not config.get_soft_device_placement():
        raise errors.InvalidArgumentError(
            None, None, f"{name} unknown device. Available devices: /job:localhost/replica:0/task:0/device:CPU:0."
        )
    yield


def _as_default(self: Graph):
    """A context in which this graph receives the ops that are made."""
    return _core.TargetContext(self)


def _get_operations(self: Graph) -> list:
    """The Operations of the graph, in the order in which they were made."""
    return [self.operation(i) for i in range(len(self))]


def _get_operation_by_name(self: Graph, name: str) -> Operation:
    """The Operation of that name.

    Raises:
      TypeError: `name` is not a str.
      KeyError: there is none.
    """
    if not isinstance(name, str):
        raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
    index = self.find(name)
    if index < 0:
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
    return self.operation(index)


def _get_tensor_by_name(self: Graph, name: str):
    """The tensor of that name, "op:0".

    Raises:
      TypeError, ValueError: `name` is no tensor's name.
      KeyError: there is none.
    """
    if not isinstance(name, str):
        raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
    op_name, colon, index = name.rpartition(":")
    if not colon or not index.isdigit():
        raise ValueError(
            f'The name {name!r} looks like an (invalid) Operation name, not a Tensor. Tensor names must be of the form "<op_name>:<output_index>".'
        )
    found = self.find(op_name)
    outputs = self.operation(found).outputs if found >= 0 else []
    if int(index) >= len(outputs):
        raise KeyError(
            f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, does not exist in the graph."
        )
    return outputs[int(index)]


@contextmanager
def _graph_name_scope(self: Graph, name: str):
    """The graph's own name scope, whether or not it is current."""
    previous = self.enter_scope(name or "")
    try:
        yield self.scope
    finally:
        self.leave_scope(previous)


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
Graph.name_scope = _graph_name_scope
Graph.building_function = property(lambda self: self.is_function)
Graph.__repr__ = _graph_repr  # type: ignore[method-assign, assignment]
