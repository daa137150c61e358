"""Batch rules of ops that compute each element by itself."""

from __future__ import annotations

from tracefn import _core
from tracefn._vectorized import sizes
from tracefn._vectorized.rules import RULES, Node, Rule, rule
from tracefn.tensor_shape import TensorShape

# Ops that keep the shape of their only input, or of inputs of one shape, whatever it is.
_OF_ONE_SHAPE = """
Identity StopGradient PreventGradient DebugGradientIdentity Snapshot CheckNumerics ZerosLike OnesLike LeakyRelu LeakyReluGrad
SigmoidGrad ApproximateEqual Cross Bucketize AddN InvGrad
"""


def _broadcasting(node: Node) -> list:
    rank = max(len(node.row_shape(i)) for i in range(len(node.inputs)))
    return node.emit(*[node.aligned(i, rank) for i in range(len(node.inputs))])


for _name in _core.op_names():
    if _core.op_record(_name)["elementwise"]:
        RULES[_name] = Rule(_broadcasting)


@rule(" ".join(name for name in _OF_ONE_SHAPE.split() if name in _core.op_names()))
def _of_one_shape(node: Node) -> list:
    return node.emit(*[node.stack(i) for i in range(len(node.inputs))])


@rule("Betainc Quantize")
def _with_scalars(node: Node) -> list:
    """Inputs of one shape, but for scalars, which stay what they are if they are the same for all rows."""
    is_shared = [not value.stacked and not node.row_shape(i) for i, value in enumerate(node.inputs)]
    if len({len(node.row_shape(i)) for i, shared in enumerate(is_shared) if not shared}) > 1:
        raise node.refuse()
    return node.emit(*[node.same(i) if shared else node.stack(i) for i, shared in enumerate(is_shared)])


@rule("EnsureShape")
def _ensure_shape(node: Node) -> list:
    wanted = TensorShape(node.attr("shape"))
    return node.emit(node.stack(0), shape=TensorShape([None]).concatenate(wanted))


@rule("Select")
def _select(node: Node) -> list:
    rank = len(node.row_shape(0))
    if rank not in (0, len(node.row_shape(1))) and node.inputs[0].stacked:
        raise node.refuse()
    condition = node.inputs[0].tensor
    if node.inputs[0].stacked and rank == 0:
        condition = node.aligned(0, len(node.row_shape(1)))
    if rank == 1 != len(node.row_shape(1)):
        raise node.refuse()
    return node.emit(condition, node.stack(1), node.stack(2), op="SelectV2")


@rule("ClipByValue")
def _clip(node: Node) -> list:
    rank = len(node.row_shape(0))
    lower, upper = (node.aligned(i, rank) for i in (1, 2))
    (below,) = node.emit(node.stack(0), upper, op="Minimum")
    return node.emit(below, lower, op="Maximum")


@rule("BiasAdd")
def _bias_add(node: Node) -> list:
    value, of_channels = node.stack(0), len(node.row_shape(0))
    first = node.attr("data_format") in (b"NCHW", "NCHW")
    if not node.inputs[1].stacked and not first:
        return node.emit(value, node.same(1))
    if node.inputs[1].stacked:
        rows, channels = sizes.of(node.inputs[1].tensor)
        ones = of_channels - 2
        shape = [rows, 1, channels, *[1] * ones] if first else [rows, *[1] * (ones + 1), channels]
        return node.emit(value, sizes.reshape(node.inputs[1].tensor, shape), op="AddV2")
    (added,) = node.emit(sizes.merged(value), node.same(1))
    return [sizes.parted(added, value)]


@rule("Assert", effect=True)
def _assert(node: Node) -> list:
    condition = node.inputs[0].tensor
    if node.inputs[0].stacked:
        axes = sizes.ints(range(1 + len(node.row_shape(0))))
        condition = node.emit(condition, axes, op="All")[0]
    return node.emit(condition, *[value.tensor for value in node.inputs[1:]])


@rule("ReadVariableOp VariableShape", effect=True)
def _read(node: Node) -> list:
    raise node.refuse()  # only a variable that differs between rows comes here
