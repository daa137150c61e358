"""Initial values of the Variables that a function creates in its first call."""

from __future__ import annotations

from tracefn import _core
from tracefn._function.tracing import finish
from tracefn._graph.parts import UnliftableError, needed
from tracefn._variable.traces import REFUSED, creation_of_thread
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
      ValueError: the call is in another function, outside of which its arguments have no value.
    """
    with init_scope():
        due = [assign for variable, assign in creation.initializers if not variable.is_initialized()]
    if leaves is None:
        needed(concrete.graph, [], [assign.inputs[1] for assign in due])
    if due and leaves is not None:
        leaves = arguments_outside(leaves, creation_of_thread())
    _core.run_nodes(concrete, due, leaves)


def arguments_outside(leaves, around) -> list:
    """The arguments of a first call that is made while another function is traced, as they are in that function's call.

    Args:
      leaves: tensors of the call.
      around: CreationScope of the function around it, or None.

    Raises:
      ValueError: an argument has no value there.
    """

    def outside(leaf):
        if not isinstance(leaf, _core.SymbolicTensor):
            return leaf
        if around is None or around.evaluate is None:
            raise ValueError(REFUSED)
        return around.evaluate(leaf)

    return [outside(leaf) for leaf in leaves]


def value_outside(tensor, leaves=None):
    """The value of a tensor of a branch or loop, computed outside of the function that is being traced.

    Args:
      tensor: symbolic tensor.
      leaves: tensors of the call, or None if there was no call.

    Raises:
      ValueError: it depends on a variable of a loop, or on an argument without a value.
    """
    graph = tensor.graph
    fed, values = [], []
    if leaves is not None and getattr(graph, "_is_function_root", False):
        captured = {inner.ref() for _, inner in graph.captures}
        arguments = [x for x in graph.inputs if x.ref() not in captured]
        for argument, value in zip(arguments, leaves, strict=False):
            if isinstance(value, _core.EagerTensor):
                fed.append(argument)
                values.append(value)
    try:
        nodes = set(needed(graph, fed, [tensor]))
    except UnliftableError:
        raise ValueError(REFUSED) from None
    for outer, inner in graph.captures:  # those that were made eagerly are known
        if isinstance(outer, _core.SymbolicTensor) and graph.find(inner.op.name) in nodes:
            fed.append(inner)
            values.append(value_outside(outer, leaves))

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
