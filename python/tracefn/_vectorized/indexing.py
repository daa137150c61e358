"""Batch rules of ops that read and write at indices."""

from __future__ import annotations

from tracefn import _core
from tracefn._vectorized import sizes
from tracefn._vectorized.axes import after_rows
from tracefn._vectorized.rules import Node, rule

_op = _core.raw_op


def all_rows(node: Node, row_number):
    """[the tensor] if the node reads, with the row's number, what has as many rows as there are; else None."""
    if node.type not in ("GatherV2", "Gather") or node.inputs[0].stacked:
        return None
    index = node.operation.inputs[1]
    if index.op._id != row_number.op._id or node.operation.inputs[0].shape.rank in (None, 0):
        return None
    if node.type == "GatherV2" and (node.attr("batch_dims") != 0 or node.number(2) != 0):
        return None
    count = node.rows.count
    tensor = node.inputs[0].tensor
    return [tensor] if isinstance(count, int) and tensor.shape.as_list()[0] == count else None


@rule("GatherV2")
def _gather_v2(node: Node) -> list:
    batch = node.attr("batch_dims")
    rank, places = len(node.row_shape(0)), len(node.row_shape(1))
    axis = node.number(2) % rank if rank else 0
    batch = batch % places if batch < 0 else batch
    return _gather(node, axis, batch)


@rule("Gather")
def _gather_v1(node: Node) -> list:
    return _gather(node, 0, 0)


def _gather(node: Node, axis: int, batch: int) -> list:
    params, indices = node.inputs[:2]
    if params.stacked and not indices.stacked and batch == 0:
        return node.emit(params.tensor, indices.tensor, _axis(axis + 1), op="GatherV2")
    if not params.stacked and batch == 0:
        (found,) = node.emit(params.tensor, indices.tensor, _axis(axis), op="GatherV2")
        if axis == 0:
            return [found]
        rank = len(node.result_shape()) + 1
        order = [axis, *[i for i in range(rank) if i != axis]]
        return [_op("Transpose")(x=found, perm=sizes.ints(order))]
    return node.emit(node.stack(0), node.stack(1), _axis(axis + 1), op="GatherV2", batch_dims=batch + 1)


def _axis(axis: int):
    return _core.convert_to_tensor(axis, dtype="int32")


@rule("ResourceGather", effect=True)
def _gather_of_variable(node: Node) -> list:
    if node.attr("batch_dims") != 0:
        raise node.refuse()
    return node.emit(node.same(0), node.stack(1))


@rule("OneHot")
def _one_hot(node: Node) -> list:
    return node.emit(node.stack(0), *[node.same(i) for i in (1, 2, 3)], axis=after_rows(node.attr("axis")))


def _with_row_numbers(node: Node, i: int):
    """Input i, tuples of indices, with the row's number in front of each."""
    tuples = node.stack(i)
    places = sizes.of(tuples)[:-1]
    numbers = sizes.cast(node.rows.numbers(), tuples.dtype)
    numbers = sizes.reshape(numbers, [node.rows.count, *[1] * len(places)])
    numbers = _op("BroadcastTo")(input=numbers, shape=sizes.vector([*places, 1]))
    return _op("ConcatV2")(values=[numbers, tuples], axis=-1)


@rule("GatherNd")
def _gather_nd(node: Node) -> list:
    if not node.inputs[0].stacked:
        return node.emit(node.inputs[0].tensor, node.inputs[1].tensor)
    return node.emit(node.inputs[0].tensor, _with_row_numbers(node, 1))


@rule("ScatterNd")
def _scatter_nd(node: Node) -> list:
    shape = sizes.prepended(node.rows.count, node.same(2))
    return node.emit(_with_row_numbers(node, 0), node.stack(1), shape)


@rule("TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin")
def _tensor_scatter(node: Node) -> list:
    return node.emit(node.stack(0), _with_row_numbers(node, 1), node.stack(2))


@rule("UnsortedSegmentSum UnsortedSegmentProd UnsortedSegmentMax UnsortedSegmentMin")
def _segments(node: Node) -> list:
    data, ids = node.stack(0), node.stack(1)
    count = node.same(2)
    own = sizes.of(ids)
    rows = sizes.reshape(sizes.cast(node.rows.numbers(), ids.dtype), [node.rows.count, *[1] * (len(own) - 1)])
    of_row = _op("AddV2")(x=ids, y=_op("Mul")(x=rows, y=sizes.cast(count, ids.dtype)))
    none = _core.convert_to_tensor(0, dtype=ids.dtype)
    ids = _op("SelectV2")(condition=_op("Less")(x=ids, y=none), t=ids, e=of_row)  # a negative one is left out
    total = _op("Mul")(x=count, y=sizes.cast(_core.convert_to_tensor(node.rows.count, dtype="int32"), count.dtype))
    (found,) = node.emit(data, ids, total)
    number = node.result_shape()[0]
    number = sizes.cast(count, "int32") if number is None else number
    return [sizes.reshape(found, [node.rows.count, number, *sizes.of(found)[1:]])]
