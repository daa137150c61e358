"""Sparse matrices in compressed rows: raw ops on variants."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

PLACES = [[0, 0], [0, 2], [1, 1], [2, 0], [2, 2]]
DTYPES = ["float32", "float64", "complex64", "complex128"]


def numbers(shape, dtype):
    values = np.cos(np.arange(1, np.prod(shape) + 1)).reshape(shape)
    return (values + 1j * np.sin(values * 3) if dtype.startswith("complex") else values).astype(dtype)


def csr(tf, dense):
    """The matrix without its zeros."""
    places = np.argwhere(dense)
    return tf.raw_ops.SparseTensorToCSRSparseMatrix(indices=places, values=dense[dense != 0], dense_shape=np.array(dense.shape))


def dense_of(tf, matrix, dtype):
    return tf.raw_ops.CSRSparseMatrixToDense(sparse_input=matrix, type=dtype).numpy()


def holey(shape, dtype):
    values = numbers(shape, dtype)
    values[values.real < 0] = 0
    return values


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (0, 3), (1, 0), (4, 1)])
def test_there_and_back(tf, dtype, shape):
    dense = holey(shape, dtype)
    matrix = csr(tf, dense)
    np.testing.assert_array_equal(dense_of(tf, matrix, dtype), dense)
    indices, values, size = tf.raw_ops.CSRSparseMatrixToSparseTensor(sparse_matrix=matrix, type=dtype)
    np.testing.assert_array_equal(indices, np.argwhere(dense))
    np.testing.assert_array_equal(values, dense[dense != 0])
    assert size.numpy().tolist() == list(shape)
    counted = [np.count_nonzero(m) for m in dense] if len(shape) == 3 else np.count_nonzero(dense)
    np.testing.assert_array_equal(tf.raw_ops.SparseMatrixNNZ(sparse_matrix=matrix), counted)


def test_components(tf):
    dense = holey((2, 3, 4), "float32")
    rows, columns, values = tf.raw_ops.CSRSparseMatrixComponents(csr_sparse_matrix=csr(tf, dense), index=1, type="float32")
    assert rows.numpy().tolist() == [0, *np.cumsum([np.count_nonzero(row) for row in dense[1]])]
    np.testing.assert_array_equal(columns, np.argwhere(dense[1])[:, 1])
    np.testing.assert_array_equal(values, dense[1][dense[1] != 0])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("conjugate", [False, True])
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
def test_transposition(tf, dtype, conjugate, shape):
    dense = holey(shape, dtype)
    found = tf.raw_ops.SparseMatrixTranspose(input=csr(tf, dense), type=dtype, conjugate=conjugate)
    expected = np.swapaxes(dense, -1, -2)
    np.testing.assert_array_equal(dense_of(tf, found, dtype), expected.conj() if conjugate else expected)


def form(x, transpose, adjoint):
    return np.swapaxes(x, -1, -2).conj() if adjoint else np.swapaxes(x, -1, -2) if transpose else x


FORMS = [(False, False), (True, False), (False, True)]


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("a_form", FORMS)
@pytest.mark.parametrize("b_form", FORMS)
@pytest.mark.parametrize("out", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_products_with_dense_matrices(tf, dtype, a_form, b_form, out, batch):
    a, b = form(holey((*batch, 3, 4), dtype), *a_form), form(numbers((*batch, 4, 2), dtype), *b_form)
    found = tf.raw_ops.SparseMatrixMatMul(
        a=csr(tf, a), b=b, transpose_a=a_form[0], adjoint_a=a_form[1], transpose_b=b_form[0], adjoint_b=b_form[1],
        transpose_output=out[0], conjugate_output=out[1],
    )  # fmt: skip
    expected = form(a, *a_form) @ form(b, *b_form)
    expected = np.swapaxes(expected, -1, -2) if out[0] else expected
    np.testing.assert_allclose(found, expected.conj() if out[1] else expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
@pytest.mark.parametrize("a_form", FORMS)
@pytest.mark.parametrize("b_form", FORMS)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_products_of_sparse_matrices(tf, dtype, a_form, b_form, batch):
    a, b = form(holey((*batch, 3, 4), dtype), *a_form), form(holey((*batch, 4, 2), dtype), *b_form)
    found = tf.raw_ops.SparseMatrixSparseMatMul(
        a=csr(tf, a), b=csr(tf, b), type=dtype, transpose_a=a_form[0], adjoint_a=a_form[1], transpose_b=b_form[0],
        adjoint_b=b_form[1],
    )  # fmt: skip
    np.testing.assert_allclose(dense_of(tf, found, dtype), form(a, *a_form) @ form(b, *b_form), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [3, 0, 4, 2, 1], None])
def test_cholesky(tf, dtype, order):
    half = holey((5, 5), dtype)
    dense = half @ half.T.conj() + 2 * np.eye(5, dtype=dtype)
    matrix = csr(tf, dense)
    if order is None:
        order = tf.raw_ops.SparseMatrixOrderingAMD(input=matrix).numpy()
        assert sorted(order) == list(range(5))
    order = np.array(order, np.int32)
    found = tf.raw_ops.SparseMatrixSparseCholesky(input=matrix, permutation=order, type=dtype)
    expected = np.linalg.cholesky(dense[order][:, order])
    np.testing.assert_allclose(dense_of(tf, found, dtype), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("a_form", FORMS)
@pytest.mark.parametrize("b_form", FORMS)
@pytest.mark.parametrize("transpose_output", [False, True])
def test_gradients_of_products(tf, a_form, b_form, transpose_output):
    if any(a_form) and any(b_form) and a_form != b_form:
        pytest.skip("TensorFlow's gradient function has no case for it")
    a, b = form(holey((3, 4), "float32"), *a_form), form(numbers((4, 2), "float32"), *b_form)
    places = np.argwhere(a)
    values, right = tf.constant(a[a != 0]), tf.constant(b)

    def product(values, right, sparse):
        if sparse:
            left = tf.raw_ops.SparseTensorToCSRSparseMatrix(indices=places, values=values, dense_shape=np.array(a.shape))
            return tf.raw_ops.SparseMatrixMatMul(
                a=left, b=right, transpose_a=a_form[0], adjoint_a=a_form[1], transpose_b=b_form[0], adjoint_b=b_form[1],
                transpose_output=transpose_output,
            )  # fmt: skip
        left = tf.scatter_nd(places, values, a.shape)
        found = tf.matmul(left, right, transpose_a=any(a_form), transpose_b=any(b_form))
        return tf.transpose(found) if transpose_output else found

    def gradients(sparse):
        with tf.GradientTape() as tape:
            tape.watch([values, right])
            loss = tf.reduce_sum(product(values, right, sparse) ** 2)
        return tape.gradient(loss, [values, right])

    for found, expected in zip(gradients(True), gradients(False), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_gradients_of_conversions(tf):
    x = tf.constant(numbers((3, 3), "float32"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        matrix = tf.raw_ops.DenseToCSRSparseMatrix(dense_input=x, indices=PLACES)
        y = tf.raw_ops.CSRSparseMatrixToDense(sparse_input=matrix, type="float32")
        loss = tf.reduce_sum(y * [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    assert tape.gradient(loss, x).numpy().tolist() == [[1, 0, 3], [0, 5, 0], [7, 0, 9]]


def mistakes(tf):
    raw = tf.raw_ops
    square, wide = csr(tf, np.eye(3, dtype=np.float32)), csr(tf, np.eye(2, 3, dtype=np.float32))
    return {
        "of type double but saw dtype: float": lambda: raw.CSRSparseMatrixToDense(sparse_input=square, type="float64"),
        "not in .0, 1": lambda: raw.CSRSparseMatrixComponents(csr_sparse_matrix=square, index=1, type="float32"),
        "Inner product dimensions": lambda: raw.SparseMatrixMatMul(a=wide, b=tf.ones([2, 2])),
        "Ranks of a and b must match": lambda: raw.SparseMatrixMatMul(a=wide, b=tf.ones([1, 3, 2])),
        "Only one of adjoint_a and transpose_a": lambda: raw.SparseMatrixMatMul(
            a=square, b=tf.ones([3, 2]), transpose_a=True, adjoint_a=True
        ),
        "must be square": lambda: raw.SparseMatrixOrderingAMD(input=wide),
        "rank 2 or 3": lambda: raw.SparseTensorToCSRSparseMatrix(indices=[[0]], values=[1.0], dense_shape=[2]),
        "out of bounds": lambda: raw.SparseTensorToCSRSparseMatrix(indices=[[0, 2]], values=[1.0], dense_shape=[2, 2]),
        "does not index into": lambda: raw.DenseToCSRSparseMatrix(dense_input=tf.ones([2, 2]), indices=[[0, 7]]),
        "factorization failed for batch index 0": lambda: raw.SparseMatrixSparseCholesky(
            input=csr(tf, -np.eye(2, dtype=np.float32)), permutation=[0, 1], type="float32"
        ),
        "Could not retrieve": lambda: raw.SparseMatrixNNZ(sparse_matrix=raw.EmptyTensorMap()),
    }


def test_mistakes(tf):
    for words, call in mistakes(tf).items():
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            call()
