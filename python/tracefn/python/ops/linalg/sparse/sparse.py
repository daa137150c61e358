"""`tensorflow.python.ops.linalg.sparse.sparse`: sparse matrices, their ops, and the method of conjugate gradients."""

from __future__ import annotations

from tracefn.ops.conjugate_gradient import conjugate_gradient
from tracefn.python.ops.linalg.sparse import sparse_csr_matrix_ops
from tracefn.python.ops.linalg.sparse._matrices import CSRSparseMatrix, SparseMatrix, matmul

__all__ = ["CSRSparseMatrix", "SparseMatrix", "conjugate_gradient", "matmul"]


def __getattr__(name: str):
    return getattr(sparse_csr_matrix_ops, name)
