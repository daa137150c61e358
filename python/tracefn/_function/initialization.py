"""Initial values of the Variables that a function creates in its first call."""

from __future__ import annotations

from tracefn import _core
from tracefn._function.tracing import finish
from tracefn._graph.parts import UnliftableError, needed
from tracefn._variable.traces import REFUSED
from tracefn.framework import init_scope
from tracefn.tensor_spec import TensorSpec


def initialize(concrete, creation, leaves) -> None:
    """Runs the Assign operations of a first trace once, except for Variables that got a value during tracing.

    Args:
      concrete: ConcreteFunction of the first trace.
      creation: CreationScope with the created Variables and their Assign operations.
      leaves: tensors of the call, or None if there was no call (get_concrete_function).

    Raises:
      UnliftableError: an initial value depends on an argument and there was no call.
    """
    with init_scope():
        due = [assign for variable, assign in creation.initializers if not variable.is_initialized()]
    if not due:
        return
    if leaves is None:
        needed(concrete.graph, [], [assign.inputs[1] for assign in due])
    _core.run_nodes(concrete, due, leaves)


def initializer(concrete, creation):
    """A function without arguments that does the same when it is called.

    Raises:
      UnliftableError: an initial value depends on an argument.
    """
    needed(concrete.graph, [], [assign.inputs[1] for _, assign in creation.initializers])
    return lambda: initialize(concrete, creation, None)


def value_outside(tensor, leaves=None):
    """The value of a tensor of a branch or loop, computed outside of the function that is being traced.

    Args:
      tensor: symbolic tensor.
      leaves: tensors of the call, or None if there was no call.

    Raises:
      ValueError: it depends on a variable of a loop, or on an argument without a value.
    """
    try:
        return value_around(tensor, leaves)
    except UnliftableError:
        raise ValueError(REFUSED) from None


def value_around(tensor, leaves=None):
    """The same for any tensor of a function; in a tf.Graph, it is a tensor of that graph.

    Args:
      tensor: symbolic tensor.
      leaves: tensors of the call, or None if there was no call.

    Raises:
      UnliftableError: it depends on an argument without a value.
    """
    graph = tensor.graph
    if not graph.is_function:
        return tensor
    fed, values = [], []
    if leaves is not None and getattr(graph, "_is_function_root", False):
        captured = {inner.ref() for _, inner in graph.captures}
        arguments = [x for x in graph.inputs if x.ref() not in captured]
        for argument, value in zip(arguments, leaves, strict=False):
            if isinstance(value, _core.EagerTensor):
                fed.append(argument)
                values.append(value)
    nodes = set(needed(graph, fed, [tensor]))
    for outer, inner in graph.captures:  # those that were made eagerly are known
        if isinstance(outer, _core.SymbolicTensor) and graph.find(inner.op.name) in nodes:
            fed.append(inner)
            values.append(value_around(outer, leaves))

    def initial_value(*args):
        raise TypeError("An initial value is part of another function and has no Python function of its own.")

    with init_scope():
        part = _core.Graph(initial_value.__name__, is_function=True, with_outer=True)
        part._is_function_root = True
        specs = tuple(TensorSpec(t.shape, t.dtype, t.op.name) for t in fed)
        key = _core.Binder(initial_value, None, False).bind(specs, {}).key
        with _core.TargetContext(part):
            (copy,) = graph.copy_part(fed, needed(graph, fed, [tensor]), [tensor], [], part)
            concrete = finish(part, initial_value, key, initial_value.__name__, copy)
        return concrete(*values)
