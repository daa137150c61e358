"""Traces branch and loop bodies into graphs of their own."""

from __future__ import annotations

import itertools

from tracefn import _core, nest
from tracefn.composite import CompositeTensor
from tracefn.tensor_array import TensorArray

_serial = itertools.count(1)


def new_graph(kind: str):
    """A graph inside the current one, named as in TensorFlow: cond_true_12, while_body_13. It continues the current name scope."""
    outer = _core.current_graph()
    graph = _core.Graph(f"{kind}_{next(_serial)}", is_function=True, with_outer=True)
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


def flatten(structure) -> list:
    """The tensors of a nest, in order; None leaves are dropped."""
    return [leaf for leaf in nest.flatten(structure, expand_composites=True) if leaf is not None]


def common_structure(structures):
    """The first of several alike structures; composite values whose specs differ become the spec that holds them all."""
    flat = [nest.flatten(structure) for structure in structures]
    leaves = []
    for values in zip(*flat, strict=True):
        if isinstance(values[0], CompositeTensor):
            spec, *others = (value._type_spec for value in values)
            leaves.append(values[0] if all(spec == other for other in others) else spec.most_specific_common_supertype(others))
        else:
            leaves.append(values[0])
    return nest.pack_sequence_as(structures[0], leaves)


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
