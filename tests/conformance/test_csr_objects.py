"""Matrices in compressed sparse rows as the objects of `tensorflow.python.ops.linalg.sparse.sparse`, and their products."""

import importlib

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

ROWS = [[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]
COMPLEX = [[1 + 2j, 0], [0, 3j]]


@pytest.fixture
def sparse(tf):
    return importlib.import_module(f"{tf.__name__}.python.ops.linalg.sparse.sparse")


@pytest.mark.parametrize("dense", [False, True])
def test_made_and_read(tf, sparse, dense):
    matrix = sparse.CSRSparseMatrix(tf.constant(ROWS) if dense else tf.sparse.from_dense(ROWS))
    assert isinstance(matrix, sparse.SparseMatrix)
    assert matrix.shape == [2, 3] and matrix.dtype == tf.float32
    assert matrix.to_dense().numpy().tolist() == ROWS
    assert matrix.to_sparse_tensor().values.numpy().tolist() == [1, 2, 3]
    assert matrix.sorted_indices().numpy().tolist() == [[0, 0], [0, 2], [1, 1]]
    assert matrix.nnz().numpy() == matrix.nonzero().numpy() == 3
    assert matrix.transpose().to_dense().numpy().tolist() == np.transpose(ROWS).tolist()


def test_places_that_are_stored(tf, sparse):
    matrix = sparse.CSRSparseMatrix(ROWS, indices=[[0, 0], [0, 1], [1, 1]])
    assert matrix.nnz().numpy() == 3 and matrix.to_dense().numpy().tolist() == [[1, 0, 0], [0, 3, 0]]
    with pytest.raises(ValueError, match="indices must be None if value is a SparseTensor"):
        sparse.CSRSparseMatrix(tf.sparse.from_dense(ROWS), indices=[[0, 0]])
    with pytest.raises(TypeError, match="abstract class SparseMatrix"):
        sparse.SparseMatrix()
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have rank == 2 or 3"):
        sparse.CSRSparseMatrix([1.0, 2.0])


def test_batches(tf, sparse):
    values = np.arange(12.0).reshape(2, 2, 3)
    matrices = sparse.CSRSparseMatrix(values)
    assert matrices.shape == [2, 2, 3] and matrices.nnz().numpy().tolist() == [5, 6]
    product = sparse.matmul(matrices, matrices, transpose_b=True)
    assert product.shape == [2, 2, 2]
    np.testing.assert_array_equal(product.to_dense(), values @ values.transpose(0, 2, 1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Inner product dimensions of A and B do not agree"):
        sparse.matmul(matrices, matrices)


def test_products_of_two_sparse(sparse):
    matrix = sparse.CSRSparseMatrix(ROWS)
    product = sparse.matmul(matrix, matrix.transpose())
    assert isinstance(product, sparse.CSRSparseMatrix) and product.dtype == matrix.dtype
    assert product.to_dense().numpy().tolist() == [[5, 0], [0, 9]]
    assert sparse.matmul(matrix, matrix, transpose_a=True).shape == [3, 3]


OPERANDS = {"plain": (False, False), "transposed": (True, False), "adjoint": (False, True)}


@pytest.mark.parametrize("left", OPERANDS)
@pytest.mark.parametrize("right", OPERANDS)
@pytest.mark.parametrize("which", ["first", "second", "both", "neither"])
def test_products(tf, sparse, left, right, which):
    a, b = np.array(COMPLEX, np.complex64), np.array([[1 + 1j, 2], [0, 1 - 1j]], np.complex64)
    given = [
        sparse.CSRSparseMatrix(value) if which in (place, "both") else tf.constant(value)
        for value, place in ((a, "first"), (b, "second"))
    ]
    (transpose_a, adjoint_a), (transpose_b, adjoint_b) = OPERANDS[left], OPERANDS[right]
    product = sparse.matmul(
        *given, transpose_a=transpose_a, transpose_b=transpose_b, adjoint_a=adjoint_a, adjoint_b=adjoint_b
    )
    change = {"plain": lambda x: x, "transposed": np.transpose, "adjoint": lambda x: x.conj().T}
    found = product.to_dense() if which == "both" else product
    np.testing.assert_array_equal(found, change[left](a) @ change[right](b))


def test_conjugates(sparse):
    matrix = sparse.CSRSparseMatrix(np.array(COMPLEX, np.complex64))
    np.testing.assert_array_equal(matrix.conj().to_dense(), np.conj(COMPLEX))
    np.testing.assert_array_equal(matrix.hermitian_transpose().to_dense(), np.conj(COMPLEX).T)


def test_traced(tf, sparse):
    @tf.function
    def squared(places, values, shape):
        matrix = sparse.CSRSparseMatrix(tf.SparseTensor(places, values, shape))
        assert matrix.graph is tf.compat.v1.get_default_graph()
        assert matrix.transpose().shape == [3, 2] and sparse.matmul(matrix, matrix, transpose_b=True).shape == [2, 2]
        return sparse.matmul(matrix, matrix.transpose()).to_dense()

    given = tf.sparse.from_dense(ROWS)
    assert squared(given.indices, given.values, [2, 3]).numpy().tolist() == [[5, 0], [0, 9]]


def test_gradients(tf, sparse):
    given = tf.sparse.from_dense(ROWS)
    with tf.GradientTape() as tape:
        tape.watch(given.values)
        result = sparse.matmul(sparse.CSRSparseMatrix(given), tf.constant([[1.0], [2.0], [4.0]]))
    assert tape.gradient(result, given.values).numpy().tolist() == [1, 4, 2]
