"""`tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops`: matrices in compressed sparse rows, and the raw ops on
them, whose arguments may be given by position."""

from __future__ import annotations

import inspect

from tracefn import raw_ops
from tracefn.python.ops.linalg.sparse._matrices import CSRSparseMatrix, SparseMatrix, matmul

__all__ = ["CSRSparseMatrix", "SparseMatrix", "matmul"]
_OPS = {
    "csr_sparse_matrix_components": "CSRSparseMatrixComponents",
    "csr_sparse_matrix_to_dense": "CSRSparseMatrixToDense",
    "csr_sparse_matrix_to_sparse_tensor": "CSRSparseMatrixToSparseTensor",
    "dense_to_csr_sparse_matrix": "DenseToCSRSparseMatrix",
    "sparse_matrix_mat_mul": "SparseMatrixMatMul",
    "sparse_matrix_nnz": "SparseMatrixNNZ",
    "sparse_matrix_ordering_amd": "SparseMatrixOrderingAMD",
    "sparse_matrix_sparse_cholesky": "SparseMatrixSparseCholesky",
    "sparse_matrix_sparse_mat_mul": "SparseMatrixSparseMatMul",
    "sparse_matrix_transpose": "SparseMatrixTranspose",
    "sparse_tensor_to_csr_sparse_matrix": "SparseTensorToCSRSparseMatrix",
}


def __getattr__(name: str):
    if name not in _OPS:
        raise AttributeError(name)
    op = getattr(raw_ops, _OPS[name])
    signature = inspect.signature(op)
    parameters = [p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in signature.parameters.values()]
    signature = signature.replace(parameters=_required_first(parameters))

    def call(*args, **kwargs):
        return op(**signature.bind(*args, **kwargs).arguments)

    call.__name__ = name
    call.__signature__ = signature  # type: ignore[attr-defined]
    globals()[name] = call
    return call


def _required_first(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    return sorted(parameters, key=lambda p: p.default is not p.empty)
