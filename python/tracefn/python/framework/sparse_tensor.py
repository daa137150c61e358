"""`tensorflow.python.framework.sparse_tensor`: whether a value is sparse."""

from __future__ import annotations

from tracefn.ops.sparse.tensor import SparseTensor, SparseTensorValue

__all__ = ["is_sparse"]


def is_sparse(x) -> bool:
    """Whether a value is a SparseTensor or a SparseTensorValue.

    Example:
      >>> import tracefn as tf
      >>> tf.python.framework.sparse_tensor.is_sparse(tf.sparse.from_dense([0, 1]))
      True
    """
    return isinstance(x, (SparseTensor, SparseTensorValue))
