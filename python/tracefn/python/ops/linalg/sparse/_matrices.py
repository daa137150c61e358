"""Matrices in compressed sparse rows, as objects with a shape and a dtype, and their products."""

from __future__ import annotations

import abc

from tracefn._namespaces import root
from tracefn.dtypes import int64
from tracefn.ops._build import convert, name_scope, op
from tracefn.tensor_shape import TensorShape

tf = root()


class SparseMatrix(metaclass=abc.ABCMeta):
    """What sparse matrices of any kind have."""

    @abc.abstractmethod
    def __init__(self) -> None:
        pass

    @property
    @abc.abstractmethod
    def _matrix(self):
        """The matrix, or batch of them, as a tensor of dtype variant."""

    @abc.abstractmethod
    def _from_matrix(self, matrix, shape):
        """A matrix of this class and dtype."""

    @abc.abstractmethod
    def to_dense(self):
        """The matrix as a Tensor."""

    @abc.abstractmethod
    def to_sparse_tensor(self):
        """The matrix as a SparseTensor."""

    @property
    @abc.abstractmethod
    def shape(self) -> TensorShape:
        """The static shape, of rank 2, or 3 with a batch."""

    @property
    @abc.abstractmethod
    def dtype(self):
        """The DType of the values."""

    @property
    def graph(self):
        """The graph of a symbolic matrix."""
        return self._matrix.graph

    def _transposed(self, conjugate: bool):
        transposed = op("SparseMatrixTranspose")(input=self._matrix, conjugate=conjugate, type=self.dtype)
        return self._from_matrix(transposed, _swapped(self.shape))

    def transpose(self):
        """The matrix with rows and columns exchanged."""
        return self._transposed(conjugate=False)

    def hermitian_transpose(self):
        """The transposed matrix of the conjugated numbers."""
        return self._transposed(conjugate=True)

    def conj(self):
        """The matrix of the conjugated numbers."""
        return self._transposed(conjugate=True).transpose()

    def nnz(self):
        """How many values are stored, zeros among them included; a vector for a batch."""
        return op("SparseMatrixNNZ")(sparse_matrix=self._matrix)

    nonzero = nnz

    def sorted_indices(self):
        """The places of the stored values in row-major order, one in each row."""
        return self.to_sparse_tensor().indices


class CSRSparseMatrix(SparseMatrix):
    """A matrix in compressed sparse rows, or a batch of them.

    Args:
      value: SparseTensor or dense tensor of rank 2 or 3.
      indices: places of a dense tensor's values that are stored; those that are not zero by default.
      name: not used.

    Raises:
      ValueError: `indices` is given for a SparseTensor.

    Example:
      >>> import tracefn as tf
      >>> matrix = tf.python.ops.linalg.sparse.sparse_csr_matrix_ops.CSRSparseMatrix([[0.0, 2.0], [3.0, 0.0]])
      >>> matrix.shape, matrix.transpose().to_dense().numpy().tolist()
      (TensorShape([2, 2]), [[0.0, 3.0], [2.0, 0.0]])
    """

    def __init__(self, value, indices=None, name=None) -> None:
        if isinstance(value, tf.SparseTensor):
            if indices is not None:
                raise ValueError("indices must be None if value is a SparseTensor.")
            self._csr_matrix = op("SparseTensorToCSRSparseMatrix")(
                indices=value.indices, values=value.values, dense_shape=value.dense_shape
            )
        else:
            value = convert(value)
            places = tf.where(value) if indices is None else convert(indices, dtype=int64)
            self._csr_matrix = op("DenseToCSRSparseMatrix")(dense_input=value, indices=places)
        self._dtype, self._shape = value.dtype, value.shape

    @property
    def _matrix(self):
        return self._csr_matrix

    def _from_matrix(self, matrix, shape):
        made = type(self).__new__(type(self))
        made._csr_matrix, made._dtype, made._shape = matrix, self._dtype, shape
        return made

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self):
        return self._dtype

    def to_dense(self):
        return op("CSRSparseMatrixToDense")(sparse_input=self._matrix, type=self.dtype)

    def to_sparse_tensor(self):
        return tf.SparseTensor(*op("CSRSparseMatrixToSparseTensor")(sparse_matrix=self._matrix, type=self.dtype))


def _swapped(shape: TensorShape) -> TensorShape:
    return shape if shape.rank is None else shape[:-2].concatenate([shape[-1], shape[-2]])


def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, name=None):
    """The product of two matrices, or of batches of them, of which one or both may be sparse.

    Args:
      a, b: Tensors or SparseMatrix, of rank 2 or 3.
      transpose_a, transpose_b: whether rows and columns are exchanged first.
      adjoint_a, adjoint_b: the same, with conjugated numbers.
      name: of the ops.

    Returns:
      SparseMatrix of a's class if both are sparse, otherwise Tensor.

    Raises:
      TypeError: the sparse matrices are of different kinds.

    Example:
      >>> import tracefn as tf
      >>> ops = tf.python.ops.linalg.sparse.sparse_csr_matrix_ops
      >>> ops.matmul(ops.CSRSparseMatrix([[0.0, 2.0], [3.0, 0.0]]), [[1.0], [4.0]]).numpy().tolist()
      [[8.0], [3.0]]
    """
    if not isinstance(a, SparseMatrix) and not isinstance(b, SparseMatrix):
        return tf.matmul(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b, name=name)
    with name_scope(name or "SparseMatrixMatMul"):
        if not isinstance(b, SparseMatrix):
            return op("SparseMatrixMatMul")(
                a=a._matrix, b=b, transpose_a=transpose_a, transpose_b=transpose_b, adjoint_a=adjoint_a, adjoint_b=adjoint_b
            )
        if not isinstance(a, SparseMatrix):
            return _dense_times_sparse(convert(a), b._matrix, transpose_a, transpose_b, adjoint_a, adjoint_b)
        if not (isinstance(a, type(b)) or isinstance(b, type(a))):
            raise TypeError(f"SparseMatrix types don't inherit from each other: {type(a)} and {type(b)}")
        product = op("SparseMatrixSparseMatMul")(
            a=a._matrix, b=b._matrix, transpose_a=transpose_a, transpose_b=transpose_b, adjoint_a=adjoint_a,
            adjoint_b=adjoint_b, type=a.dtype,
        )  # fmt: skip
        left = _swapped(a.shape) if transpose_a or adjoint_a else a.shape
        right = _swapped(b.shape) if transpose_b or adjoint_b else b.shape
        known = left.rank is not None and right.rank is not None
        return a._from_matrix(product, left[:-1].concatenate(right[-1:]) if known else TensorShape(None))


def _dense_times_sparse(a, b, transpose_a: bool, transpose_b: bool, adjoint_a: bool, adjoint_b: bool):
    """A B as the transpose of B^T A^T: the op multiplies by a sparse matrix from the left."""
    product = op("SparseMatrixMatMul")
    if not adjoint_a and not adjoint_b:
        return product(a=b, b=a, transpose_a=not transpose_b, transpose_b=not transpose_a, transpose_output=True)
    if not transpose_a and not transpose_b:
        return product(
            a=b, b=a, adjoint_a=not adjoint_b, adjoint_b=not adjoint_a, transpose_output=True, conjugate_output=True
        )
    return product(a=b, b=tf.math.conj(a), transpose_output=True, conjugate_output=adjoint_b)
