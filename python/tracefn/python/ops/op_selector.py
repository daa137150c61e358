"""`tensorflow.python.ops.op_selector`: walks over the operations of graphs."""

from __future__ import annotations

import collections

from tracefn._core import SymbolicTensor
from tracefn._namespaces import root
from tracefn.framework import Graph, Operation
from tracefn.ops.gradient_registry import function_of, own_kind

__all__ = [
    "check_graphs",
    "concatenate_unique",
    "get_backward_walk_ops",
    "get_consuming_ops",
    "get_generating_ops",
    "get_tensors",
    "get_unique_graph",
    "graph_inputs",
    "is_differentiable",
    "is_iterable",
    "make_list_of_op",
    "make_list_of_t",
]


def is_iterable(obj) -> bool:
    """Whether an object can be iterated over."""
    try:
        iter(obj)
    except Exception:  # a symbolic tensor refuses it with errors of its own
        return False
    return True


def is_differentiable(op) -> bool:
    """Whether gradients flow through an Operation, by its type or by the gradient that its node names.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     x = tf.constant(1.0)
      ...     [tf.python.ops.op_selector.is_differentiable(y.op) for y in (tf.exp(x), tf.stop_gradient(x))]
      [True, False]
    """
    if not op.inputs:
        return False
    try:
        name = op.get_attr("_gradient_op_type").decode()
    except ValueError:
        name = op.type
    try:
        return function_of(name) is not None
    except LookupError:
        return own_kind(name) == "rule"


def concatenate_unique(la: list, lb: list) -> list:
    """Adds those elements of `lb` to the list `la` that are not in it, and returns it."""
    have = set(la)
    for element in lb:
        if element not in have:
            have.add(element)
            la.append(element)
    return la


def _public_tensor() -> type:
    return root().Tensor


def get_tensors(graph) -> list:
    """The results of all operations of a graph.

    Raises:
      TypeError: `graph` is no graph.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [tensor for op in graph.get_operations() for tensor in op.outputs]


def _flat(tops) -> list:
    return list(tops) if is_iterable(tops) else [tops]


def get_unique_graph(tops, check_types=None, none_if_empty=False):
    """The graph of all given tensors and Operations.

    Args:
      tops: a tensor or Operation, or an iterable of them.
      check_types: classes that are allowed; None: tensors and Operations.
      none_if_empty: whether the graph of nothing is None.

    Raises:
      TypeError: an element is of another class.
      ValueError: they are of several graphs, or there are none.
    """
    if isinstance(tops, Graph):
        return tops
    allowed = (Operation, _public_tensor()) if check_types is None else tuple(_flat(check_types))
    found = None
    for element in _flat(tops):
        if not isinstance(element, allowed):
            names = ", ".join(str(cls) for cls in allowed)
            raise TypeError(f"Expected a type in ({names}), got: {type(element)}")
        if found is None:
            found = element.graph
        elif found is not element.graph:
            raise ValueError(f"Operation {element} does not belong to given graph")
    if found is None and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return found


def check_graphs(*args) -> None:
    """Checks that all groups of operations are of one graph.

    Raises:
      ValueError: they are not.
    """
    graph = None
    for i, group in enumerate(args):
        theirs = get_unique_graph(group, none_if_empty=True)
        if graph is None and theirs is not None:
            graph = theirs
        elif graph is not None and theirs is not None and graph is not theirs:
            raise ValueError(f"args[{i}] does not belong to the same graph as the other arguments.")


def make_list_of_op(tops, check_graph=True, allow_graph=True, ignore_ts=False) -> list:
    """Operations as a list.

    Args:
      tops: an Operation, an iterable of them, or a graph: all of its operations.
      check_graph: whether it is checked that they are of one graph.
      allow_graph: whether a graph is allowed.
      ignore_ts: whether tensors are left out.

    Raises:
      TypeError: an element is no Operation.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     x = tf.constant(1, name="x")
      ...     print([op.name for op in tf.python.ops.op_selector.make_list_of_op(x.op)])
      ['x']
    """
    if isinstance(tops, Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return tops.get_operations()
    found = _flat(tops)
    if not found:
        return []
    if check_graph:
        get_unique_graph(found, check_types=None if ignore_ts else Operation)
    return [element for element in found if isinstance(element, Operation)]


def make_list_of_t(tops, check_graph=True, allow_graph=True, ignore_ops=False) -> list:
    """Tensors as a list; as `make_list_of_op`, of a graph the results of all operations.

    Raises:
      TypeError: an element is no tensor.
    """
    if isinstance(tops, Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return get_tensors(tops)
    found = _flat(tops)
    if not found:
        return []
    if check_graph:
        get_unique_graph(found, check_types=None if ignore_ops else _public_tensor())
    return [element for element in found if isinstance(element, SymbolicTensor)]


def get_generating_ops(ts) -> list:
    """The operations whose results the tensors are."""
    return [tensor.op for tensor in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts) -> list:
    """The operations that take one of the tensors, each once."""
    found: dict = {}
    for tensor in make_list_of_t(ts, allow_graph=False):
        for op in tensor.consumers():
            found.setdefault(op, None)
    return list(found)


def graph_inputs(op) -> list:
    """The operations whose results an operation takes or after which it runs."""
    return [tensor.op for tensor in op.inputs] + list(op.control_inputs)


def get_backward_walk_ops(
    seed_ops,
    inclusive=True,
    within_ops=None,
    within_ops_fn=None,
    stop_at_ts=(),
    control_inputs=False,
    only_differentiable=None,
) -> list:
    """The operations that others depend on, breadth first.

    Args:
      seed_ops: Operations or tensors to begin with.
      inclusive: whether they are part of the result.
      within_ops: Operations outside which the walk does not go; None: no limit.
      within_ops_fn: a function of an Operation that says whether the walk goes there.
      stop_at_ts: tensors beyond which the walk does not go.
      control_inputs: whether the walk follows control dependencies, too.
      only_differentiable: whether the walk goes only through operations that have a gradient.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     x = tf.constant(1, name="x")
      ...     y = tf.add(x, x, name="y")
      ...     print([op.name for op in tf.python.ops.op_selector.get_backward_walk_ops(y)])
      ['y', 'x']
    """
    seeds = _flat(seed_ops)
    if seeds and isinstance(seeds[0], SymbolicTensor):
        seeds = get_generating_ops(seeds)
    else:
        seeds = make_list_of_op(seeds, allow_graph=False)
    stopped = {(tensor.op.name, tensor.value_index) for tensor in make_list_of_t(stop_at_ts)}
    within = None if within_ops is None else set(make_list_of_op(within_ops, allow_graph=False))

    def goes_to(op) -> bool:
        if within is not None and op not in within or within_ops_fn is not None and not within_ops_fn(op):
            return False
        return not only_differentiable or is_differentiable(op)

    found: dict = {}
    waiting = collections.deque(seeds)
    while waiting:
        op = waiting.popleft()
        if op in found:
            continue
        found[op] = None
        before = [tensor.op for tensor in op.inputs if (tensor.op.name, tensor.value_index) not in stopped]
        if control_inputs:
            before.extend(op.control_inputs)
        waiting.extend(other for other in before if other not in found and goes_to(other))
    return [op for op in found if inclusive or op not in seeds]
