"""Batch rules of ops along axes: reductions, sums so far, places of extremes, softmax, concatenation and splitting."""

from __future__ import annotations

from tracefn import _core
from tracefn._vectorized import sizes
from tracefn._vectorized.rules import Node, rule

_op = _core.raw_op


def after_rows(axis: int) -> int:
    """The axis of a stacked tensor for one of a row: one from the end stays."""
    return axis + 1 if axis >= 0 else axis


def moved(node: Node, i: int):
    """Input i, axes of a row, as axes of the stacked tensor."""
    axes = node.same(i)
    known = _core.constant_value(node.operation.inputs[i])
    if known is not None:
        values = known.numpy().tolist()
        found = [after_rows(a) for a in values] if isinstance(values, list) else after_rows(values)
        return _core.convert_to_tensor(found, dtype=axes.dtype)
    zero = _core.convert_to_tensor(0, dtype=axes.dtype)
    one = _core.convert_to_tensor(1, dtype=axes.dtype)
    return _op("SelectV2")(condition=_op("GreaterEqual")(x=axes, y=zero), t=_op("AddV2")(x=axes, y=one), e=axes)


@rule("Sum Prod Mean Max Min All Any EuclideanNorm ArgMax ArgMin Cumsum Cumprod CumulativeLogsumexp ReverseV2")
def _along(node: Node) -> list:
    return node.emit(node.stack(0), moved(node, 1))


@rule("Roll")
def _roll(node: Node) -> list:
    return node.emit(node.stack(0), node.same(1), moved(node, 2))


@rule("Softmax LogSoftmax")
def _last(node: Node) -> list:
    return node.emit(node.stack(0))


@rule("TopKV2")
def _largest(node: Node) -> list:
    return node.emit(node.stack(0), node.same(1))


@rule("SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits")
def _cross_entropy(node: Node) -> list:
    if node.row_shape(0)[:1] != node.row_shape(1)[:1] or len(node.row_shape(0)) != 2:
        raise node.refuse()
    logits, labels = node.stack(0), node.stack(1)
    return [sizes.parted(x, logits) for x in node.emit(sizes.merged(logits), sizes.merged(labels))]


@rule("L2Loss")
def _half_of_squares(node: Node) -> list:
    x = node.stack(0)
    (squares,) = node.emit(x, op="Square")
    (total,) = node.emit(squares, sizes.ints(range(1, 1 + len(node.row_shape(0)))), op="Sum")
    return node.emit(total, _core.convert_to_tensor(0.5, dtype=x.dtype), op="Mul")


@rule("BiasAddGrad")
def _sums_by_channel(node: Node) -> list:
    rank = len(node.row_shape(0))
    channel = 1 if node.attr("data_format") in (b"NCHW", "NCHW") else rank - 1
    return node.emit(node.stack(0), sizes.ints([1 + a for a in range(rank) if a != channel]), op="Sum")


@rule("ConcatV2")
def _concat(node: Node) -> list:
    last = len(node.inputs) - 1
    return node.emit(*[node.stack(i) for i in range(last)], moved(node, last))


@rule("Concat Split")
def _axis_first(node: Node) -> list:
    return node.emit(moved(node, 0), *[node.stack(i) for i in range(1, len(node.inputs))])


@rule("SplitV")
def _split_by_sizes(node: Node) -> list:
    return node.emit(node.stack(0), node.same(1), moved(node, 2))


@rule("Pack Unpack")
def _pack(node: Node) -> list:
    return node.emit(*[node.stack(i) for i in range(len(node.inputs))], axis=after_rows(node.attr("axis")))
