"""`switch` and `merge` of `tensorflow.python.ops.control_flow_ops`: values that only one side of a condition goes on with.

TensorFlow sends dead tensors through the side that is not taken. Here a switch is a mark on a tensor, and `merge` makes a
conditional: it copies what stands between the marks and each of its inputs into a branch. The nodes themselves stay, and
sessions leave out what nobody fetches; functions run each node with an effect, so that there these are refused.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from tracefn import _core, nest
from tracefn._control_flow.conditional import cond
from tracefn._function.impl import Impl, Options
from tracefn._function.tracing import finish
from tracefn._vectorized.rules import signature
from tracefn.composite import CompositeTensor
from tracefn.dtypes import resource
from tracefn.framework import executing_eagerly
from tracefn.indexed_slices import IndexedSlices
from tracefn.ops._build import name_scope, op
from tracefn.tensor_spec import TensorSpec


class Switch(NamedTuple):
    """The two results of a switch."""

    output_false: Any
    output_true: Any


class Merge(NamedTuple):
    """The input that was taken, and its position."""

    output: Any
    value_index: Any


class _Mark(NamedTuple):
    pred: Any
    value: bool


def switch(data, pred, dtype=None, name=None) -> Switch:
    """A value for each side of a condition: what is computed from one of them runs only if `merge` takes its result.

    Args:
      data: tensor, or value made of tensors.
      pred: scalar bool tensor.
      dtype: dtype of `data`, or None.
      name: name of the ops, or None.

    Returns:
      (output_false, output_true).

    Raises:
      RuntimeError: ops run eagerly.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.control_flow_ops import merge, switch
      >>> @tf.function
      ... def halve_or_add(x):
      ...     odd, even = switch(x, x % 2 == 0)
      ...     return merge([odd * 3 + 1, even // 2]).output
      >>> int(halve_or_add(tf.constant(6))), int(halve_or_add(tf.constant(7)))
      (3, 22)
    """
    if executing_eagerly():
        raise RuntimeError("A switch needs a graph: use tf.cond, or call this in a tf.function.")
    pred = _core.convert_to_tensor(pred, name="pred")
    with name_scope(name or "Switch"):
        if isinstance(data, CompositeTensor):
            sides = [_switched(part, pred) for part in nest.flatten(data, expand_composites=True)]
            return Switch(*(nest.pack_sequence_as(data, side, expand_composites=True) for side in zip(*sides, strict=True)))
        return _switched(_core.convert_to_tensor(data, dtype=dtype, name="data"), pred)


def _switched(tensor, pred) -> Switch:
    found = []
    for value in (False, True):
        found.append(op("Identity")(input=tensor))
        _marks(found[-1].graph)[found[-1].op._id] = _Mark(pred, value)
    return Switch(*found)


def _marks(graph) -> dict:
    """The switches of a graph: the ids of their nodes, and for which value of which condition they are."""
    if not hasattr(graph, "_switches"):
        graph._switches = {}
    return graph._switches


def merge(inputs, name=None) -> Merge:
    """The first of some values whose switches are all taken.

    Args:
      inputs: list of tensors, or of values made of tensors in one way, that were computed from results of `switch`.
      name: name of the ops, or None.

    Returns:
      (output, value_index): the value, and its position in the list, a scalar int32 tensor.

    Raises:
      ValueError: an input is None; two are made of tensors in different ways.
      TypeError: two have different dtypes.
      NotImplementedError: in a function, a node after a switch has an effect.
      RuntimeError: ops run eagerly.
    """
    if any(one is None for one in inputs):
        raise ValueError(f"At least one of the merge inputs is None: {inputs}")
    if executing_eagerly():
        raise RuntimeError("A merge needs a graph: use tf.cond, or call this in a tf.function.")
    inputs = [one if isinstance(one, CompositeTensor) else _core.convert_to_tensor(one) for one in inputs]
    if any(isinstance(one, IndexedSlices) for one in inputs):
        inputs = [one if isinstance(one, IndexedSlices) else _slices_of(one) for one in inputs]
    for one in inputs[1:]:
        nest.assert_same_structure(inputs[0], one, expand_composites=True)
    graph = _core.current_graph()
    flat = [nest.flatten(one, expand_composites=True) for one in inputs]
    conditions = [_conditions(graph, tensors) for tensors in flat]
    shared = set.intersection(*(set(one) for one in conditions))
    branches = [_branch(graph, tensors) for tensors in flat]

    def taken(i: int):
        if i == len(branches) - 1:
            return (*branches[i](), i)
        wanted = [mark for key, mark in conditions[i].items() if key not in shared]
        alive = [mark.pred if mark.value else op("LogicalNot")(x=mark.pred) for mark in wanted]
        if not alive:
            return (*branches[i](), i)
        both = functools.reduce(lambda a, b: op("LogicalAnd")(x=a, y=b), alive)
        return cond(both, lambda: (*branches[i](), i), lambda: taken(i + 1))

    before = [one for tensors in flat for one in _waited_for(graph, tensors)]
    with name_scope(name or "Merge"), graph.control_dependencies(before):
        *tensors, index = taken(0)
    return Merge(nest.pack_sequence_as(inputs[0], tensors, expand_composites=True), _core.convert_to_tensor(index))


def _slices_of(tensor) -> IndexedSlices:
    rows = op("Shape")(input=tensor)
    return IndexedSlices(tensor, op("Range")(start=0, limit=op("GatherV2")(params=rows, indices=0, axis=0), delta=1), rows)


def _conditions(graph, tensors) -> dict:
    """The switches before tensors, each by its condition and value."""
    marks, found, seen = _marks(graph), {}, set()
    pending = [tensor.op for tensor in tensors]
    while pending:
        operation = pending.pop()
        if operation._id in seen:
            continue
        seen.add(operation._id)
        mark = marks.get(operation._id)
        if mark is not None:
            found[mark.pred.ref(), mark.value] = mark
        pending += _before(operation)
    return found


def _branch(graph, tensors):
    """A callable without arguments that runs what stands between switches and some tensors, in the current graph."""
    marks = _marks(graph)
    inside = _after_switches(graph, tensors)
    inner, outer, nodes, seen = [], [], [], set()

    def give(tensor, value) -> None:
        if tensor.ref() not in seen:
            seen.add(tensor.ref())
            inner.append(tensor)
            outer.append(value)

    for operation in inside:
        if operation._id in marks:
            give(operation.outputs[0], operation.inputs[0])
            continue
        _check_effect(graph, operation)
        nodes.append(operation._id)
        for x in operation.inputs:
            if x.op not in inside:
                give(x, x)
    for tensor in tensors:
        if tensor.op not in inside:
            give(tensor, tensor)

    part = _core.Graph("switched", is_function=True, with_outer=True)
    part._is_function_root = True
    with _core.TargetContext(part):
        copies = list(graph.copy_part(inner, sorted(nodes), tensors, [], part))
        concrete = finish(part, _branch, _key(inner), "switched", copies)
    return lambda: concrete(*outer) if outer else concrete()


def _check_effect(graph, operation) -> None:
    """Refuses a node that a function runs on either side."""
    if not graph.is_function or not signature(operation.type).stateful:
        return
    if not operation.outputs or any(x.dtype == resource for x in operation.inputs):
        raise NotImplementedError(
            f"{operation.name} ({operation.type}) has an effect and stands after a switch in a function, which runs it on either "
            "side: use tf.cond."
        )


def _before(operation) -> list:
    return [*(x.op for x in operation.inputs), *operation.control_inputs]


def _waited_for(graph, tensors) -> list:
    """The operations before no switch that those after one wait for."""
    inside = _after_switches(graph, tensors)
    return [one for operation in inside for one in operation.control_inputs if one not in inside]


def _after_switches(graph, tensors) -> dict:
    """The nodes that tensors need back to the nearest switches, these among them; none that no switch stands before."""
    marks, order = _marks(graph), []
    depends: dict[int, bool] = {}
    pending = [(tensor.op, False) for tensor in tensors]
    while pending:
        operation, is_left = pending.pop()
        if is_left:
            depends[operation._id] = any(depends[one._id] for one in _before(operation))
            order.append(operation)
        elif operation._id not in depends:
            depends[operation._id] = operation._id in marks
            if depends[operation._id]:
                order.append(operation)
            else:
                pending.append((operation, True))
                pending += [(one, False) for one in _before(operation) if one._id not in depends]
    return {operation: None for operation in order if depends[operation._id]}


def _key(tensors):
    specs = tuple(TensorSpec(x.shape, x.dtype, f"x{i}") for i, x in enumerate(tensors))
    return Impl(lambda *args: None, "switched", Options(autograph=False)).binder.bind(specs, {}).key
