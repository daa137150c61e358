"""`tensorflow.python.ops.linalg.sparse`: sparse matrices, as far as libraries import from there."""

from tracefn.python.ops.linalg.sparse import sparse, sparse_csr_matrix_ops

__all__ = ["sparse", "sparse_csr_matrix_ops"]
