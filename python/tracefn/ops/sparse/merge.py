"""Values placed by ids: those of a `tf.io.SparseFeature`, and `tf.sparse.to_indicator`."""

from __future__ import annotations

import numbers
from collections.abc import Iterable

from tracefn import _core
from tracefn._export import export
from tracefn.ops._build import name_scope, op
from tracefn.ops.casting import cast
from tracefn.ops.sparse.arrays import reorder
from tracefn.ops.sparse.creation import to_dense
from tracefn.ops.sparse.tensor import SparseTensor, SparseTensorValue, require_sparse


@export("sparse.to_indicator")
def to_indicator(sp_input, vocab_size, name=None):
    """A dense bool tensor that is true where the last dimension's index is one of the row's ids.

    Args:
      sp_input: SparseTensor of integers; its last dimension is replaced.
      vocab_size: int scalar, the new size of the last dimension: more than each id.
      name: name of the scope.

    Returns:
      Bool tensor.

    Raises:
      InvalidArgumentError: an id is negative or too large.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [2, 0, 2], [2, 2])
      >>> tf.sparse.to_indicator(sp, 3).numpy().tolist()
      [[False, False, True], [True, False, True]]
    """
    sp_input = require_sparse(sp_input)
    with name_scope(name or "SparseToIndicator") as scope:
        count = op("Shape")(input=sp_input.indices)[0]
        trues = op("Fill")(dims=op("ExpandDims")(input=count, dim=0), value=True)
        marks = SparseTensor(sp_input.indices, trues, sp_input.dense_shape)
        merged = merge(sp_input, marks, vocab_size, scope)
        # An id may occur twice in a row.
        return to_dense(merged, default_value=False, validate_indices=False, name=scope)


def merge(sp_ids, sp_values, vocab_size, name=None, already_sorted=False):
    """A SparseTensor of values whose last dimensions are indexed by ids.

    Args:
      sp_ids: SparseTensor of integers, or a list of them: the last indices of the values, instead of their own.
      sp_values: SparseTensor with the same indices.
      vocab_size: int scalar, or a list of them: the size of each last dimension.
      name: name of the scope.
      already_sorted: whether the ids increase in each row, so that the result is in row-major order.

    Returns:
      SparseTensor.

    Raises:
      TypeError: an argument is of another type.
      ValueError: there are not as many sizes as ids.
    """
    if isinstance(sp_ids, (SparseTensor, SparseTensorValue)):
        sp_ids, sizes = [sp_ids], [vocab_size]
        if not isinstance(vocab_size, (_core.Tensor, numbers.Integral)):
            raise TypeError(f"vocab_size has to be a Tensor or Python int. Found {type(vocab_size)}")
    else:
        if not isinstance(sp_ids, Iterable):
            raise TypeError(f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}")
        if not isinstance(vocab_size, Iterable):
            raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}")
        sizes = list(vocab_size)
        for size in sizes:
            if not isinstance(size, (_core.Tensor, numbers.Integral)):
                raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {type(size)}")
    if len(sp_ids) != len(sizes):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    with name_scope(name or "SparseMerge"):
        ids = [require_sparse(sp) for sp in sp_ids]
        sp_values = require_sparse(sp_values)
        columns = [op("ExpandDims")(input=cast(sp.values, "int64"), dim=1) for sp in ids]
        indices = op("ConcatV2")(values=[ids[0].indices[:, :-1], *columns], axis=1)
        last = op("Pack")(values=[cast(size, "int64") for size in sizes])
        shape = op("ConcatV2")(values=[ids[0].dense_shape[:-1], last], axis=0)
        merged = SparseTensor(indices, sp_values.values, shape)
        return merged if already_sorted else reorder(merged)
