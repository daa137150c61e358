"""Batch rules of ops that change or report shapes."""

from __future__ import annotations

from tracefn import _core
from tracefn._vectorized import sizes
from tracefn._vectorized.axes import after_rows, moved
from tracefn._vectorized.rules import Node, Value, rule

_op = _core.raw_op


@rule("Reshape")
def _reshape(node: Node) -> list:
    shape = node.same(1)
    result = node.operation.outputs[0].shape
    if result.is_fully_defined():
        return [sizes.reshape(node.stack(0), [node.rows.count, *result.as_list()])]
    return node.emit(node.stack(0), sizes.prepended(node.rows.count, shape))


@rule("ExpandDims")
def _expand_dims(node: Node) -> list:
    return node.emit(node.stack(0), moved(node, 1))


@rule("Squeeze")
def _squeeze(node: Node) -> list:
    axes = node.attr("squeeze_dims")
    if not axes:
        row = node.row_shape(0)
        if None in row:
            raise node.refuse()
        axes = [i for i, size in enumerate(row) if size == 1]
        if not axes:
            return [node.stack(0)]
    return node.emit(node.stack(0), squeeze_dims=[after_rows(axis) for axis in axes])


@rule("Transpose ConjugateTranspose")
def _transpose(node: Node) -> list:
    order = node.same(1)
    known = _core.constant_value(node.operation.inputs[1])
    rank = len(node.row_shape(0))
    if known is not None:
        order = sizes.ints([0, *[axis % rank + 1 for axis in known.numpy().tolist()]], order.dtype)
    else:
        one = _core.convert_to_tensor(1, dtype=order.dtype)
        size = _core.convert_to_tensor(rank, dtype=order.dtype)
        order = sizes.prepended(0, _op("AddV2")(x=_op("FloorMod")(x=order, y=size), y=one))
    return node.emit(node.stack(0), order)


def _shape_of_row(node: Node, i: int, dtype):
    row = node.operation.inputs[i].shape
    if row.is_fully_defined():
        return sizes.ints(row.as_list(), dtype)
    shape = _op("Shape")(input=node.inputs[i].tensor, out_type=dtype)
    return _op("StridedSlice")(input=shape, begin=[1], end=[0], strides=[1], end_mask=1)


def _same(*tensors) -> list:
    return [Value(tensor, stacked=False) for tensor in tensors]


@rule("Shape")
def _shape(node: Node) -> list:
    return _same(_shape_of_row(node, 0, node.attr("out_type")))


@rule("ShapeN")
def _shapes(node: Node) -> list:
    kind = node.attr("out_type")
    return _same(
        *[
            _shape_of_row(node, i, kind) if value.stacked else _op("Shape")(input=value.tensor, out_type=kind)
            for i, value in enumerate(node.inputs)
        ]
    )


@rule("Size")
def _size(node: Node) -> list:
    return _same(_op("Prod")(input=_shape_of_row(node, 0, node.attr("out_type")), reduction_indices=0))


@rule("Rank")
def _rank(node: Node) -> list:
    return _same(_core.convert_to_tensor(len(node.row_shape(0)), dtype="int32"))


@rule("Tile")
def _tile(node: Node) -> list:
    return node.emit(node.stack(0), sizes.prepended(1, node.same(1)))


@rule("Pad PadV2 MirrorPad MirrorPadGrad")
def _pad(node: Node) -> list:
    paddings = node.same(1)
    none = _core.convert_to_tensor([[0, 0]], dtype=paddings.dtype)
    paddings = _op("ConcatV2")(values=[none, paddings], axis=0)
    return node.emit(node.stack(0), paddings, *[node.same(i) for i in range(2, len(node.inputs))])


@rule("BroadcastTo")
def _broadcast_to(node: Node) -> list:
    shape = node.same(1)
    return node.emit(node.aligned(0, len(node.result_shape())), sizes.prepended(node.rows.count, shape))


@rule("Fill")
def _fill(node: Node) -> list:
    value = sizes.reshape(node.stack(1), [node.rows.count, *[1] * len(node.result_shape())])
    return node.emit(value, sizes.prepended(node.rows.count, node.same(0)), op="BroadcastTo")


@rule("StridedSlice")
def _strided_slice(node: Node) -> list:
    if node.inputs[1].stacked or node.inputs[2].stacked:
        return _element_by_row(node)
    return node.emit(node.stack(0), *_bounds(node, 1), **_masks(node))


@rule("StridedSliceGrad")
def _strided_slice_grad(node: Node) -> list:
    shape = sizes.prepended(node.rows.count, node.same(0))
    return node.emit(shape, *[sizes.cast(x, shape.dtype) for x in _bounds(node, 1)], node.stack(4), **_masks(node))


def _bounds(node: Node, first: int) -> list:
    begin, end, strides = (node.same(first + i) for i in range(3))
    return [sizes.prepended(0, begin), sizes.prepended(0, end), sizes.prepended(1, strides)]


def _masks(node: Node) -> dict:
    whole = {name: node.attr(name) << 1 | 1 for name in ("begin_mask", "end_mask")}
    return whole | {name: node.attr(name) << 1 for name in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")}


def _element_by_row(node: Node) -> list:
    """x[i], where i differs between rows."""
    masks = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask")
    if node.row_shape(1) != [1] or node.attr("shrink_axis_mask") != 1 or any(node.attr(name) for name in masks):
        raise node.refuse()
    index = sizes.reshape(node.stack(1), [node.rows.count])
    x = node.stack(0)
    size = _core.convert_to_tensor(sizes.of(x)[1], dtype="int32")
    size, zero = sizes.cast(size, index.dtype), _core.convert_to_tensor(0, dtype=index.dtype)
    index = _op("SelectV2")(condition=_op("Less")(x=index, y=zero), t=_op("AddV2")(x=index, y=size), e=index)
    return node.emit(x, index, _core.convert_to_tensor(1), op="GatherV2", batch_dims=1)


@rule("Slice")
def _slice(node: Node) -> list:
    begin, size = node.same(1), node.same(2)
    return node.emit(node.stack(0), sizes.prepended(0, begin), sizes.prepended(-1, size))
