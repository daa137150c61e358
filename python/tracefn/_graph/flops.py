"""How many floating point operations nodes take, as TensorFlow counts them: a rule per type of op.

A rule is given the NodeDef, and a function from a name of a tensor in it to its shape, which raises ValueError if a size is unknown.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

Shapes = Callable[[str], list[int]]
Rule = Callable[[Any, Shapes], float]


def known_shape(graph, name: str) -> list[int]:
    """The sizes of the dimensions of a tensor of a graph, or of the first output of a node.

    Raises:
      ValueError: one of them is not known.
    """
    shape = graph.get_tensor_by_name(name if ":" in name else f"{name}:0").shape
    shape.assert_is_fully_defined()
    return shape.as_list()


def per_input(operations: int, constant: int = 0) -> Rule:
    """So many for each element of the first input."""
    return lambda node, shape: operations * math.prod(shape(node.input[0])) + constant


def per_output(operations: int) -> Rule:
    """So many for each element of the first output."""
    return lambda node, shape: operations * math.prod(shape(node.name))


def reduction(node, shape: Shapes, reduce_flops: int = 1, finalize_flops: int = 0) -> int:
    """So many for each element that is reduced, and so many for each result."""
    elements, results = math.prod(shape(node.input[0])), math.prod(shape(node.name))
    return elements * reduce_flops + results * (finalize_flops - reduce_flops)


def _convolution(node, shape: Shapes, filter_dimensions: int) -> int:
    """A product and a sum for each element of the result and of that part of the filter."""
    shape(node.input[0])  # which must be known too
    area = math.prod(shape(node.input[1])[:filter_dimensions])
    return 2 * area * math.prod(shape(node.name))


def _convolution_gradient(node, shape: Shapes, image: Callable[[Any], str], kernel: Callable[[Any], str]) -> float:
    check_layout(node)
    pixels, weights = shape(image(node)), shape(kernel(node))
    strides = node.attr["strides"].list.i
    return 2 * math.prod(pixels) * math.prod(weights) / (pixels[-1] * strides[1] * strides[2])


def _product(node, shape: Shapes, rows: int, columns: int) -> int:
    """Of matrices, of which the first has its rows and columns in these dimensions."""
    depth = shape(node.input[0])[rows if node.attr["transpose_a"].b else columns]
    return 2 * depth * math.prod(shape(node.name))


def pooling(node, shape: Shapes, tensor: Callable[[Any], str], factor: int = 1, extra: int = 0) -> int:
    """So many for each element of a tensor and of its window."""
    check_layout(node)
    window = math.prod(node.attr["ksize"].list.i)
    return (factor * window + extra) * math.prod(shape(tensor(node)))


def check_layout(node) -> None:
    if node.attr["data_format"].s != b"NHWC":
        raise ValueError("Only NHWC format is supported in flops computations")


def _sum_of_tensors(node, shape: Shapes) -> int:
    return math.prod(shape(node.input[0])) * (len(node.input) - 1) if node.input else 0


def result(node) -> str:
    return node.name


def _first(node) -> str:
    return node.input[0]


def _second(node) -> str:
    return node.input[1]


_matmul = functools.partial(_product, rows=0, columns=1)
_batch_matmul = functools.partial(_product, rows=-2, columns=-1)

RULES: dict[str, Rule] = {
    **dict.fromkeys(("AssignAdd", "AssignSub", "BiasAdd", "Log", "Neg", "Reciprocal", "Square"), per_input(1)),
    "L2Loss": per_input(3, -1),
    "Rsqrt": per_input(2),
    "Softmax": per_input(5),
    **dict.fromkeys(
        ("Add", "AddV2", "Equal", "Greater", "GreaterEqual", "Less", "LessEqual", "Maximum", "Minimum", "Mul", "NotEqual", "Pow",
         "RealDiv", "Sub"),
        per_output(1),
    ),
    "RsqrtGrad": per_output(4),
    "SquaredDifference": per_output(2),
    **dict.fromkeys(("ArgMax", "ArgMin", "BiasAddGrad", "Sum"), reduction),
    "Mean": functools.partial(reduction, finalize_flops=1),
    "AddN": _sum_of_tensors,
    "AvgPool": functools.partial(pooling, tensor=result),
    "AvgPoolGrad": functools.partial(pooling, tensor=_second, factor=2),
    "MaxPool": functools.partial(pooling, tensor=result),
    "MaxPoolGrad": functools.partial(pooling, tensor=_second, extra=1),
    **dict.fromkeys(("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"), _batch_matmul),
    "MatMul": _matmul,
    "Conv2D": functools.partial(_convolution, filter_dimensions=3),
    "Conv2DBackpropFilter": functools.partial(_convolution_gradient, image=_first, kernel=result),
    "Conv2DBackpropInput": functools.partial(_convolution_gradient, image=result, kernel=_second),
    "Conv3D": functools.partial(_convolution, filter_dimensions=4),
    "DepthwiseConv2dNative": functools.partial(_convolution, filter_dimensions=2),
    "Dilation2D": functools.partial(_convolution, filter_dimensions=2),
}  # fmt: skip


def float_operations(graph, node, rule: Rule) -> float:
    """How many a node of a graph takes by a rule.

    Args:
      graph: the tf.Graph.
      node: NodeDef.
      rule: the rule, such as one of `RULES`.

    Raises:
      ValueError: a shape is not known, or the layout of images is one that no rule counts.
    """
    return rule(node, functools.partial(known_shape, graph))
