"""Isotonic regression, and the largest or smallest elements by `tf.math.approx_max_k`."""

from __future__ import annotations

from typing import Any, NamedTuple

from tracefn._export import export
from tracefn.ops._build import convert, ints, no_such_axis, op

_SMALL = {"float32": "float32", "float16": "float16", "bfloat16": "bfloat16", "int8": "float32", "int16": "float32"}


def _last(tensor, axis: int):
    """The tensor with `axis` last, and a function that puts the last axis of a tensor there again."""
    rank = tensor.shape.rank
    if rank is None:
        raise ValueError("The tensor must have a known rank.")
    if not -max(rank, 1) <= axis < max(rank, 1):
        raise no_such_axis(axis, rank)
    order = list(range(rank))
    if rank:
        order[axis % rank], order[-1] = order[-1], order[axis % rank]
    if order == sorted(order):
        return tensor, lambda t: t
    return op("Transpose")(x=tensor, perm=ints(order)), lambda t: op("Transpose")(x=t, perm=ints(order))


@export("nn.isotonic_regression")
def isotonic_regression(inputs, decreasing=True, axis=-1):
    """The monotonous sequence with the least squared distance from the input, along an axis.

    Args:
      inputs: tensor of real numbers, rank at least 1.
      decreasing: whether the result does not increase; otherwise it does not decrease.
      axis: int.

    Returns:
      (output, segments): tensor of the inputs' shape, in float64 for wide integers and float32 for narrow ones; and the
      int32 numbers of the runs of equal values.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.nn.isotonic_regression([3.0, 1.0, 2.0])]
      [[3.0, 1.5, 1.5], [0, 1, 1]]

    Source: Best and Chakravarti, "Active set algorithms for isotonic regression", 1990.
    """
    inputs = convert(inputs)
    dtype = _SMALL.get(inputs.dtype.name, "float64")
    rows, back = _last(inputs, axis)
    found = op("IsotonicRegression")(input=rows if decreasing else -rows, output_dtype=dtype)
    if decreasing and rows is inputs:
        return found  # with the names of its parts, as in TensorFlow
    output, segments = found
    return back(output if decreasing else -output), back(segments)


def _k_of(operand, k, dimension, largest: bool, name, **hints):
    operand = convert(operand, name="operand")
    rows, back = _last(operand, dimension)
    found = op("ApproxTopK")(input=rows if largest else op("Neg")(x=rows), k=k, name=name, **hints)
    if largest and rows is operand:
        return found
    values, indices = found
    return ApproxTopK(back(values if largest else op("Neg")(x=values)), back(indices))


class ApproxTopK(NamedTuple):
    """The largest or smallest elements, and their indices."""

    values: Any
    indices: Any


@export("math.approx_max_k", "nn.approx_max_k")
def approx_max_k(
    operand,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
    name=None,
):
    """The k largest elements along an axis, and their indices. Here the result is exact, in descending order.

    Args:
      operand: tensor of float32, float16 or bfloat16.
      k: int.
      reduction_dimension: int, the axis.
      recall_target, reduction_input_size_override, aggregate_to_topk: accepted, without effect: nothing is approximated.
      name: name of the node.

    Returns:
      (values, indices): tensors of the operand's shape with k elements along the axis.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.math.approx_max_k([1.0, 5.0, 3.0], 2)]
      [[5.0, 3.0], [1, 2]]
    """
    return _k_of(
        operand, k, reduction_dimension, True, name, recall_target=recall_target,
        reduction_input_size_override=reduction_input_size_override, aggregate_to_topk=aggregate_to_topk,
    )  # fmt: skip


@export("math.approx_min_k", "nn.approx_min_k")
def approx_min_k(
    operand,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
    name=None,
):
    """The k smallest elements along an axis, and their indices. Here the result is exact, in ascending order.

    Arguments and results are those of `tf.math.approx_max_k`.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.math.approx_min_k([1.0, 5.0, 3.0], 2)]
      [[1.0, 3.0], [0, 2]]
    """
    return _k_of(
        operand, k, reduction_dimension, False, name, recall_target=recall_target,
        reduction_input_size_override=reduction_input_size_override, aggregate_to_topk=aggregate_to_topk,
    )  # fmt: skip


@export("approx_top_k")
def approx_top_k(
    input,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    is_max_k=True,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
    name=None,
):
    """`tf.math.approx_max_k`, or with `is_max_k=False` `tf.math.approx_min_k`.

    Example:
      >>> import tracefn as tf
      >>> tf.approx_top_k([1.0, 5.0, 3.0], 1, is_max_k=False)[0].numpy().tolist()
      [1.0]
    """
    return _k_of(
        input, k, reduction_dimension, is_max_k, name, recall_target=recall_target,
        reduction_input_size_override=reduction_input_size_override, aggregate_to_topk=aggregate_to_topk,
    )  # fmt: skip
