"""Batch rules of ops on batches of images, sequences and volumes: the rows' batches become one."""

from __future__ import annotations

from tracefn import _core
from tracefn._vectorized import sizes
from tracefn._vectorized.rules import Node, rule

_op = _core.raw_op

# The number of inputs with a batch, which come first; further ones are the same for all rows.
_BATCHES = {
    1: """Conv2D Conv3D DepthwiseConv2dNative MaxPool MaxPoolV2 AvgPool MaxPool3D AvgPool3D ResizeBilinear
       ResizeNearestNeighbor ResizeBicubic ResizeArea DepthToSpace SpaceToDepth LRN""",
    3: "MaxPoolGrad MaxPool3DGrad",
}
# Inputs: the shape of the result with its batch first, (a filter), a batch.
_BY_SHAPE = "Conv2DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNativeBackpropInput AvgPoolGrad AvgPool3DGrad"


def _with_batches(count: int):
    def convert(node: Node) -> list:
        batches = [node.stack(i) for i in range(count)]
        same = [node.same(i) for i in range(count, len(node.inputs))]
        found = node.emit(*[sizes.merged(batch) for batch in batches], *same)
        return [sizes.parted(x, batches[0]) for x in found]

    return convert


for _count, _names in _BATCHES.items():
    rule(_names)(_with_batches(_count))


@rule(_BY_SHAPE)
def _by_shape(node: Node) -> list:
    *same, last = range(len(node.inputs))
    batch = node.stack(last)
    shape = node.same(0)
    of_all = sizes.vector([sizes.product(sizes.of(batch)[:2])], shape.dtype)
    inner = _op("StridedSlice")(input=shape, begin=[1], end=[0], strides=[1], end_mask=1)
    whole = _op("ConcatV2")(values=[of_all, inner], axis=0)
    if _core.constant_value(shape) is not None and isinstance(sizes.product(sizes.of(batch)[:2]), int):
        known = _core.constant_value(shape).numpy().tolist()
        whole = sizes.ints([sizes.product(sizes.of(batch)[:2]), *known[1:]], shape.dtype)
    found = node.emit(whole, *[node.same(i) for i in same[1:]], sizes.merged(batch))
    return [sizes.parted(x, batch) for x in found]
