"""Traces branch and loop bodies into graphs of their own."""

from __future__ import annotations

import itertools

from tracefn import _core, nest
from tracefn._value_text import dtype_in_graph
from tracefn.composite import CompositeTensor
from tracefn.errors import InvalidArgumentError
from tracefn.tensor_array import TensorArray

_serial = itertools.count(1)


def new_graph(kind: str, scope: str = ""):
    """A graph inside the current one, named as in TensorFlow: cond_true_12, loss_while_body_13.

    It continues the current name scope.

    Args:
      kind: what the graph is: "true", "body".
      scope: the name scope of the node that holds it: "loss/while/".
    """
    outer = _core.current_graph()
    graph = _core.Graph(f"{scope}{kind}_{next(_serial)}".replace("/", "_"), is_function=True, with_outer=True)
    if outer is not None and outer.scope:
        graph.enter_scope(outer.scope)
    return graph


def convert_result(value, graph, op_value):
    """The result of a body, with numbers and arrays converted to tensors.

    Args:
      value: nest of tensors, numbers, arrays, Operations and None.
      graph: the body's graph, which is current.
      op_value: the value that replaces an Operation (a body run for its side effects only).
    """

    def convert(leaf):
        if leaf is None:
            return None
        if isinstance(leaf, _core.Operation):
            return op_value
        return _core.convert_to_tensor(leaf)

    del graph
    if isinstance(value, _core.Operation):
        return op_value
    result = nest.map_structure(convert, value, expand_composites=True)
    if any(leaf is not None and leaf.dtype.name == "variant" for leaf in nest.flatten(result, expand_composites=True)):
        continue_arrays(value, result)
    return result


def continue_arrays(before, after) -> None:
    """Connects the type information of rebuilt TensorArrays with that of the originals."""
    for old, new in zip(nest.flatten(before), nest.flatten(after), strict=True):
        if type(old) is TensorArray and type(new) is TensorArray:
            new.continue_from(old)


def check_bool(truth, argument: str, node: str, op: str) -> None:
    """Checks the dtype of what decides a branch or a loop.

    Args:
      truth: tensor.
      argument, node, op: the input, node and op that refuse it in TensorFlow's text, which comes when the graph first runs.

    Raises:
      InvalidArgumentError: it is not of type bool.
    """
    if truth.dtype.name != "bool":
        text = f"Input '{argument}' passed {dtype_in_graph(truth.dtype)} expected bool while building NodeDef '{node}' using Op<name={op}>"
        raise InvalidArgumentError(None, None, f"{text}; got {truth}")


def flatten(structure) -> list:
    """The tensors of a nest, in order; None leaves are dropped."""
    return [leaf for leaf in nest.flatten(structure, expand_composites=True) if leaf is not None]


def pack(structure, tensors):
    """`structure` with `tensors` in place of its leaves; None leaves are kept."""
    remaining = iter(tensors)
    leaves = nest.flatten(structure, expand_composites=True)
    packed = nest.pack_sequence_as(
        structure, [None if leaf is None else next(remaining) for leaf in leaves], expand_composites=True
    )
    if any(leaf is not None and leaf.dtype.name == "variant" for leaf in leaves):
        continue_arrays(structure, packed)
    return packed


def is_composite(leaf) -> bool:
    """Whether a leaf is a composite value that its spec can rebuild; an array keeps what it knows of its elements."""
    return isinstance(leaf, CompositeTensor) and type(leaf) is not TensorArray


def merged_structure(first, others):
    """The first of structures that match, with what all have in common, a spec, in place of a composite value."""

    def merge(leaf, *rest):
        if not is_composite(leaf):
            return leaf
        spec = leaf._type_spec
        common = spec.most_specific_common_supertype([other._type_spec for other in rest])
        return leaf if common is None or common == spec else common

    if not any(is_composite(leaf) for leaf in nest.flatten(first)):
        return first
    return nest.map_structure(merge, first, *others)


def loop_structure(structure):
    """A structure with specs in place of composite values: their parts may change as far as these say."""
    if not any(is_composite(leaf) for leaf in nest.flatten(structure)):
        return structure
    return nest.map_structure(lambda leaf: leaf._type_spec if is_composite(leaf) else leaf, structure)


def shapes_in(structure) -> list:
    """The static shapes of the tensors, and of those that specs stand for, in order."""
    return [leaf.shape for leaf in flatten(structure)]
