"""Converts the graph of a function of one row to nodes that compute all rows."""

from __future__ import annotations

from tracefn import _core
from tracefn._vectorized import axes, elementwise, images, indexing, matrices, products, random, shapes, sizes
from tracefn._vectorized.rules import RULES, Node, NoRuleError, Value, signature

__all__ = ["Rows", "convert"]
FAMILIES = (axes, elementwise, images, indexing, matrices, products, random, shapes)  # they register their rules
_op = _core.raw_op


class Rows:
    """How many rows there are.

    Args:
      count: int, or scalar int32 tensor.
    """

    def __init__(self, count) -> None:
        self.count = count

    def numbers(self):
        """The numbers of the rows, a vector of int32."""
        return _op("Range")(start=0, limit=self.count, delta=1)

    def repeated(self, tensor, row_shape: list):
        """A tensor repeated for each row."""
        own = row_shape if None not in row_shape else sizes.of(tensor)
        if any(not isinstance(size, int) for size in own):
            return _op("BroadcastTo")(input=tensor, shape=sizes.prepended(self.count, _op("Shape")(input=tensor)))
        return _op("BroadcastTo")(input=tensor, shape=sizes.vector([self.count, *own]))


def _key(tensor):
    return tensor.op._id, tensor.value_index


def convert(graph, row_number, results, count, values=None) -> list:
    """Converts a function of the number of a row.

    Args:
      graph: its graph; it is not current.
      row_number: the tensor in it with the number, a scalar of int32.
      results: its results, tensors of the graph.
      count: how many rows there are: an int above 0, or a scalar int32 tensor.
      values: dict that keeps what nodes were converted to, for the next conversion of a graph that grows; None for one only.

    Returns:
      For each result a tensor with one more axis in front, the rows.

    Raises:
      NoRuleError: a node that is needed, or has an effect, cannot be converted; before anything with an effect is emitted.
    """
    outside = {_key(inner): outer for outer, inner in graph.captures_and_constants}
    wanted = _needed(graph, results, outside)
    _check(wanted)
    rows = Rows(count)
    values = {} if values is None else values
    if _key(row_number) not in values:
        values[_key(row_number)] = Value(rows.numbers(), stacked=True)
    for operation in wanted:
        if all(_key(output) in values for output in operation.outputs) and operation.outputs:
            continue
        inside = [_key(output) for output in operation.outputs]
        if inside and inside[0] in outside:
            values[inside[0]] = Value(outside[inside[0]], stacked=False)
            continue
        inputs = [values[_key(x)] for x in operation.inputs]
        for key, value in zip(inside, _converted(Node(operation, inputs, rows), row_number), strict=True):
            values[key] = value
    return [_stacked(values[_key(result)], result, rows) for result in results]


def _needed(graph, results, outside) -> list:
    """The nodes that results or effects need, in order."""
    pending = [result.op for result in results]
    pending += [operation for operation in graph.get_operations() if _has_effect(operation)]
    found = {}
    while pending:
        operation = pending.pop()
        if operation._id in found:
            continue
        found[operation._id] = operation
        if not (operation.outputs and _key(operation.outputs[0]) in outside):
            pending += [tensor.op for tensor in operation.inputs]
    return [found[i] for i in sorted(found)]


def _has_effect(operation) -> bool:
    kind = operation.type
    return kind != "Placeholder" and signature(kind).stateful


def _check(operations) -> None:
    """Refuses what has an effect and no rule, before anything is emitted."""
    for operation in operations:
        kind = operation.type
        if kind in ("Placeholder", "Const"):
            continue
        rule = RULES.get(kind)
        refused = kind == "IdentityN" or signature(kind).holds_functions  # an identity of several may hide a gradient
        if refused or (signature(kind).stateful and not (rule and rule.effect)):
            raise NoRuleError(operation)


def _converted(node: Node, row_number) -> list:
    """The outputs of a node, as Values."""
    kind = node.type
    rule = RULES.get(kind)
    if any(value.stacked for value in node.inputs):
        if rule is None:
            raise node.refuse()
        if gathered := indexing.all_rows(node, row_number):
            return [Value(tensor, stacked=True) for tensor in gathered]
    elif rule is None or not rule.always:
        return [Value(tensor, stacked=False) for tensor in _same_for_all(node)]
    return [x if isinstance(x, Value) else Value(x, stacked=True) for x in rule.convert(node)]


def _same_for_all(node: Node) -> list:
    known = [_core.constant_value(output) for output in node.operation.outputs]
    if known and all(value is not None for value in known):
        return known
    return node.emit(*[value.tensor for value in node.inputs])


def _stacked(value: Value, result, rows: Rows):
    if value.stacked:
        tensor = value.tensor
        if _core.current_graph() is not None:
            shape = result.shape
            if shape.rank is not None:
                tensor.set_shape([rows.count if isinstance(rows.count, int) else None, *shape.as_list()])
        return tensor
    return rows.repeated(value.tensor, result.shape.as_list() if result.shape.rank is not None else [None])
