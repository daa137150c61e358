"""`tensorflow.python.profiler.internal.flops_registry`: what libraries count the operations of further ops with."""

from __future__ import annotations

import functools
import math

from tracefn._graph.flops import (
    RULES,
    Rule,
    check_layout,
    float_operations,
    per_input,
    per_output,
    pooling,
    reduction,
    result,
)
from tracefn._graph.statistics import OpStats

IMPLEMENTED_OPS = set(RULES) - {"BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "Conv3D"}  # as TensorFlow lists them


def _list_product(lst):
    return math.prod(lst)


def _verify_conv_data_format(node) -> None:
    check_layout(node)


def _zero_flops(graph, node) -> OpStats:
    del graph, node
    return OpStats("flops", 0)


def _stats(graph, node, rule: Rule) -> OpStats:
    return OpStats("flops", float_operations(graph, node, rule))


def _unary_op_flops(graph, node, ops_per_element=1) -> OpStats:
    return _stats(graph, node, per_input(ops_per_element))


def _binary_per_element_op_flops(graph, node, ops_per_element=1) -> OpStats:
    return _stats(graph, node, per_output(ops_per_element))


def _reduction_op_flops(graph, node, reduce_flops=1, finalize_flops=0) -> OpStats:
    return _stats(graph, node, functools.partial(reduction, reduce_flops=reduce_flops, finalize_flops=finalize_flops))


def _pool_flops(graph, node) -> OpStats:
    return _stats(graph, node, functools.partial(pooling, tensor=result))
