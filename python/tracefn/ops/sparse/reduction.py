"""Reductions of SparseTensors."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import ints, op
from tracefn.ops.sparse.tensor import SparseTensor, parts


def _axes(sp_input, axis):
    if axis is not None:
        return axis
    rank = sp_input.dense_shape.shape
    if rank.is_fully_defined():
        return ints(range(rank[0]))
    return op("Range")(start=0, limit=op("Size")(input=sp_input.dense_shape), delta=1)


def reduced(kind: str, sp_input, axis, keepdims, output_is_sparse: bool, name=None):
    """A SparseTensor reduced by SparseReduceSum or SparseReduceMax, or their sparse variants."""
    axes = _axes(sp_input, axis)
    arguments = {**parts("input_", sp_input), "reduction_axes": axes, "keep_dims": bool(keepdims), "name": name}
    if output_is_sparse:
        return SparseTensor(*op(kind + "Sparse")(**arguments))
    return op(kind)(**arguments)


@export("sparse.reduce_sum")
def reduce_sum(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """The sums of the values over dimensions.

    Args:
      sp_input: SparseTensor of numbers.
      axis: int or ints, the dimensions; None: all.
      keepdims: whether reduced dimensions stay, with size 1.
      output_is_sparse: whether the result is a SparseTensor.
      name: name of the node.

    Returns:
      Tensor, or SparseTensor.

    Raises:
      InvalidArgumentError: a dimension is out of range.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1, 2, 4], [2, 3])
      >>> tf.sparse.reduce_sum(sp, 1).numpy().tolist(), int(tf.sparse.reduce_sum(sp))
      ([3, 4], 7)
    """
    return reduced("SparseReduceSum", sp_input, axis, keepdims, output_is_sparse, name)


@export("sparse.reduce_max")
def reduce_max(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """The largest given values over dimensions; zero where no value is given.

    Args:
      sp_input: SparseTensor of real numbers.
      axis: int or ints, the dimensions; None: all.
      keepdims: whether reduced dimensions stay, with size 1.
      output_is_sparse: whether the result is a SparseTensor, which has no zeros for missing values.
      name: name of the node.

    Returns:
      Tensor, or SparseTensor.

    Raises:
      InvalidArgumentError: a dimension is out of range.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.SparseTensor([[0, 0], [0, 2], [2, 1]], [-1, -2, 4], [3, 3])
      >>> tf.sparse.reduce_max(sp, 1).numpy().tolist()
      [-1, 0, 4]
    """
    return reduced("SparseReduceMax", sp_input, axis, keepdims, output_is_sparse, name)
