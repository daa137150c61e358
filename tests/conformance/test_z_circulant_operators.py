"""tf.linalg.LinearOperatorCirculant and its block forms against their dense matrices."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

RNG = np.random.default_rng(14)
SHAPES = {1: [(4,), (2, 5), (2, 1, 3)], 2: [(2, 3), (2, 3, 2)], 3: [(2, 3, 2), (2, 1, 2, 3)]}


def operator_class(tf, depth):
    return getattr(tf.linalg, "LinearOperatorCirculant" + {1: "", 2: "2D", 3: "3D"}[depth])


def dense(spectrum, depth):
    """The matrix by the definition: its columns are the shifted kernels."""
    last = tuple(range(-depth, 0))
    kernel = np.fft.ifftn(spectrum, axes=last)
    blocks = spectrum.shape[-depth:]
    n = int(np.prod(blocks))
    columns = [
        np.roll(kernel, np.unravel_index(i, blocks), axis=last).reshape(*spectrum.shape[:-depth], n) for i in range(n)
    ]
    return np.stack(columns, -1)


def near(a, b):
    np.testing.assert_allclose(np.asarray(a), b, rtol=1e-9, atol=1e-9)


def spectra(depth):
    for shape in SHAPES[depth]:
        yield RNG.normal(size=shape) + 3 + 1j * RNG.normal(size=shape)
        yield RNG.uniform(1, 2, size=shape)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_methods(tf, depth):
    for spectrum in spectra(depth):
        matrix = dense(spectrum, depth)
        n = matrix.shape[-1]
        operator = operator_class(tf, depth)(tf.constant(spectrum), input_output_dtype=tf.complex128)
        assert operator.shape == matrix.shape
        assert operator.block_depth == depth
        assert operator.block_shape == spectrum.shape[-depth:]
        np.testing.assert_array_equal(operator.shape_tensor(), matrix.shape)
        np.testing.assert_array_equal(operator.block_shape_tensor(), spectrum.shape[-depth:])
        near(operator.to_dense(), matrix)
        near(operator.convolution_kernel(), np.fft.ifftn(spectrum, axes=tuple(range(-depth, 0))))
        near(operator.determinant(), np.linalg.det(matrix))
        near(operator.log_abs_determinant(), np.log(np.abs(np.linalg.det(matrix))))
        near(operator.trace(), np.trace(matrix, axis1=-2, axis2=-1))
        near(operator.diag_part(), np.diagonal(matrix, axis1=-2, axis2=-1))
        near(operator.cond(), np.linalg.cond(matrix))
        if operator.is_self_adjoint:
            near(operator.eigvals(), spectrum.reshape(matrix.shape[:-1]))
        for batch in ((), (2,)) if len(matrix.shape) < 4 else ((),):
            x = RNG.normal(size=(*batch, n, 2)) + 1j * RNG.normal(size=(*batch, n, 2))
            y = np.conj(np.swapaxes(x, -1, -2))
            near(operator.matmul(x), matrix @ x)
            near(operator.matmul(x, adjoint=True), np.conj(np.swapaxes(matrix, -1, -2)) @ x)
            near(operator.matmul(y, adjoint_arg=True), matrix @ x)
            near(operator.solve(x), np.linalg.solve(matrix, np.broadcast_to(x, (*np.broadcast_shapes(matrix.shape[:-2], batch), n, 2))))
            near(operator.solve(operator.matmul(x, adjoint=True), adjoint=True), np.broadcast_to(x, (*np.broadcast_shapes(matrix.shape[:-2], batch), n, 2)))
        near(operator.matvec(x[..., 0]), (matrix @ x)[..., 0])
        near(operator.add_to_tensor(matrix), 2 * matrix)
        near(operator.inverse().to_dense(), np.linalg.inv(matrix))
        near(tf.cast(operator.adjoint().spectrum, tf.complex128), np.conj(spectrum))
        operator.assert_non_singular()
        operator.assert_positive_definite()


def test_unknown_sizes(tf):
    x = RNG.normal(size=(2, 4, 3)).astype("complex128")
    spectrum = RNG.normal(size=(2, 4)) + 3

    @tf.function(input_signature=[tf.TensorSpec(None, tf.float64), tf.TensorSpec(None, tf.complex128)])
    def product(spectrum, x):
        operator = tf.linalg.LinearOperatorCirculant(spectrum, input_output_dtype=tf.complex128)
        return operator.matmul(x), operator.solve(x), operator.diag_part(), operator.shape_tensor()

    first, second, third, sizes = product(spectrum, x)
    matrix = dense(spectrum, 1)
    near(first, matrix @ x)
    near(second, np.linalg.solve(matrix, x))
    near(third, np.diagonal(matrix, axis1=-2, axis2=-1))
    np.testing.assert_array_equal(sizes, [2, 4, 4])


def test_real_operators(tf):
    kernel = np.array([1.0, 2.0, 1.0, 0.5])
    spectrum = tf.signal.fft(tf.constant(kernel, tf.complex128))
    operator = tf.linalg.LinearOperatorCirculant(spectrum, input_output_dtype=tf.float64)
    assert operator.dtype == tf.float64
    expected = np.array([[kernel[(i - j) % 4] for j in range(4)] for i in range(4)])
    near(operator.to_dense(), expected)
    near(operator.matvec(tf.constant([1.0, 2.0, 3.0, 4.0], tf.float64)), expected @ [1, 2, 3, 4])
    single = tf.linalg.LinearOperatorCirculant([6.0, 4, 2], input_output_dtype=tf.complex64)
    assert single.is_self_adjoint
    assert single.dtype == tf.complex64


@pytest.mark.superset("TensorFlow compares numbers of different dtypes")
def test_hermitian_spectra(tf):
    tf.linalg.LinearOperatorCirculant([6.0, 4, 2, 4]).assert_hermitian_spectrum()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Spectrum was not Hermitian"):
        tf.linalg.LinearOperatorCirculant([1.0, 2.0, 3.0]).assert_hermitian_spectrum()


def test_products_of_operators(tf):
    a, b = (tf.linalg.LinearOperatorCirculant(np.array(s, "complex64")) for s in ([1, 2j, 3], [4, 5, 6 - 1j]))
    product = a.matmul(b)
    assert isinstance(product, tf.linalg.LinearOperatorCirculant)
    np.testing.assert_allclose(product.spectrum, [4, 10j, 18 - 3j])
    quotient = a.solve(b)
    assert isinstance(quotient, tf.linalg.LinearOperatorCirculant)
    np.testing.assert_allclose(quotient.spectrum, [4, -2.5j, 2 - 1j / 3], rtol=1e-6)
    blocks = tf.linalg.LinearOperatorCirculant2D(tf.ones([1, 3], tf.complex64))
    assert isinstance(a.matmul(blocks), tf.linalg.LinearOperatorComposition)
    assert isinstance(blocks.matmul(blocks), tf.linalg.LinearOperatorCirculant2D)


def test_hints_and_errors(tf):
    circulant = tf.linalg.LinearOperatorCirculant
    with pytest.raises(ValueError, match="must have at least 1 dimensions"):
        circulant(1.0)
    with pytest.raises(ValueError, match="must have at least 2 dimensions"):
        tf.linalg.LinearOperatorCirculant2D([1.0])
    with pytest.raises(ValueError, match="A real spectrum always corresponds to a self-adjoint operator"):
        circulant([1.0], is_self_adjoint=False)
    with pytest.raises(ValueError, match="circulant operator is always square"):
        circulant([1.0], is_square=False)
    assert circulant([1.0, 2.0]).is_self_adjoint
    assert circulant(tf.constant([1.0, 2.0], tf.complex64)).is_self_adjoint is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="Spectrum contained zero values"):
        circulant([1.0, 0.0]).assert_non_singular()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Real part of spectrum was not all positive"):
        circulant([1.0, -1.0]).assert_positive_definite()
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-zero imaginary part"):
        circulant(np.array([1.0, 1j])).assert_self_adjoint()
    with pytest.raises((TypeError, ValueError), match="dtype"):
        circulant([1.0, 2.0]).matvec([1.0, 2.0])


def test_composite_values(tf):
    operator = tf.linalg.LinearOperatorCirculant2D(tf.constant([[1.0, 2.0], [3.0, 4.0]]), input_output_dtype=tf.float32)

    @tf.function
    def twice(operator):
        return tf.linalg.LinearOperatorCirculant2D(2 * operator.spectrum, input_output_dtype=tf.float32), operator.trace()

    again, trace = twice(operator)
    np.testing.assert_allclose(again.spectrum, [[2, 4], [6, 8]])
    assert float(trace) == 10


def test_gradients(tf):
    spectrum = tf.constant(RNG.normal(size=4) + 3)
    x = tf.constant(RNG.normal(size=(4, 2)))

    def energy(spectrum, x):
        operator = tf.linalg.LinearOperatorCirculant(spectrum, input_output_dtype=tf.float64)
        return tf.reduce_sum(operator.matmul(x) ** 2)

    with tf.GradientTape() as tape:
        tape.watch([spectrum, x])
        y = energy(spectrum, x)
    ds, dx = tape.gradient(y, [spectrum, x])
    matrix = dense(spectrum.numpy(), 1).real
    near(dx, 2 * matrix.T @ matrix @ x.numpy())
    for i in range(4):
        move = np.eye(4)[i] * 1e-6
        slope = (energy(spectrum + move, x) - energy(spectrum - move, x)) / 2e-6
        np.testing.assert_allclose(ds[i], slope, rtol=1e-6, atol=1e-8)
