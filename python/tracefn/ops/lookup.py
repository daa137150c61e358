"""Lookups: unique elements, positions in sorted rows, unraveled indices, top classes."""

from __future__ import annotations

from collections import namedtuple

from tracefn._export import export
from tracefn.ops._build import convert, name_scope, op

Unique = namedtuple("Unique", ["y", "idx"])
UniqueWithCounts = namedtuple("UniqueWithCounts", ["y", "idx", "count"])


@export("unique")
def unique(x, out_idx="int32", name=None):
    """The distinct elements of a vector, in order of first occurrence.

    Args:
      x: vector.
      out_idx: int32 or int64, the dtype of `idx`.
      name: name of the node.

    Returns:
      (y, idx): the distinct elements, and for each element of `x` its index in `y`.

    Raises:
      InvalidArgumentError: `x` is not a vector.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.unique([3, 1, 3])]
      [[3, 1], [0, 1, 0]]
    """
    return Unique(*op("Unique")(x=x, out_idx=out_idx, name=name))


@export("unique_with_counts")
def unique_with_counts(x, out_idx="int32", name=None):
    """`tf.unique`, and how often each element occurs.

    Args:
      x: vector.
      out_idx: int32 or int64, the dtype of `idx` and `count`.
      name: name of the node.

    Returns:
      (y, idx, count).

    Raises:
      InvalidArgumentError: `x` is not a vector.

    Example:
      >>> import tracefn as tf
      >>> tf.unique_with_counts([3, 1, 3]).count.numpy().tolist()
      [2, 1]
    """
    return UniqueWithCounts(*op("UniqueWithCounts")(x=x, out_idx=out_idx, name=name))


@export("searchsorted")
def searchsorted(sorted_sequence, values, side="left", out_type="int32", name=None):
    """The indices at which values can be inserted into sorted rows.

    Args:
      sorted_sequence: tensor [..., n], sorted along the last axis.
      values: tensor [..., m] with the same dimensions before the last.
      side: "left": before equal elements; "right": after them.
      out_type: int32 or int64.
      name: name of the ops.

    Returns:
      Tensor of the shape of `values`.

    Raises:
      ValueError: `side` has another value.

    Example:
      >>> import tracefn as tf
      >>> tf.searchsorted([1, 3, 5], [0, 3, 9]).numpy().tolist()
      [0, 1, 3]
    """
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
    rows, values = convert(sorted_sequence), convert(values)
    kind = "LowerBound" if side == "left" else "UpperBound"
    found = op(kind)(sorted_inputs=_as_matrix(rows), values=_as_matrix(values), out_type=out_type, name=name)
    result = op("Reshape")(tensor=found, shape=op("Shape")(input=values))
    result.set_shape(values.shape)
    return result


def _as_matrix(tensor):
    """[..., n] as [rows, n], also if there are no elements, so that -1 would not tell the number of rows."""
    sizes = op("Shape")(input=tensor)
    rows = op("Prod")(input=sizes[:-1], reduction_indices=[0])
    return op("Reshape")(tensor=tensor, shape=op("Pack")(values=[rows, sizes[-1]]))


@export("unravel_index")
def unravel_index(indices, dims, name=None):
    """Converts flat indices to indices along each dimension.

    Args:
      indices: integer scalar or vector.
      dims: vector of the same dtype, the shape that the flat indices refer to.
      name: name of the node.

    Returns:
      Tensor [number of dimensions] or [number of dimensions, number of indices].

    Raises:
      InvalidArgumentError: an index is out of range, there are none, a dimension is zero or negative, or the product
        of the dimensions does not fit the dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.unravel_index([5, 7], [3, 4]).numpy().tolist()
      [[1, 1], [1, 3]]
    """
    return op("UnravelIndex")(indices=indices, dims=dims, name=name)


@export("math.in_top_k", "nn.in_top_k")
def in_top_k(targets, predictions, k, name=None):
    """Whether each target class is among the k largest predictions of its row.

    Args:
      targets: integer tensor [rows].
      predictions: float tensor [rows, classes].
      k: int or scalar integer tensor.
      name: name of the ops.

    Returns:
      bool tensor [rows]; False where the prediction of the target is not finite. A tie counts as being among the k largest.

    Example:
      >>> import tracefn as tf
      >>> tf.math.in_top_k([0, 1], [[1.0, 2.0], [3.0, 4.0]], 1).numpy().tolist()
      [False, True]
    """
    with name_scope(name or "in_top_k"):
        return op("InTopKV2")(predictions=predictions, targets=targets, k=k)
