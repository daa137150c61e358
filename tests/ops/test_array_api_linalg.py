"""`tf.array_api.linalg` against array-api-strict, eagerly and traced."""

import numpy as np
import pytest
import tracefn as tf

strict = pytest.importorskip("array_api_strict")
xp = tf.array_api

RANDOM = np.random.default_rng(3)
DTYPES = ["float32", "float64", "complex64", "complex128"]

CASES = """
m.linalg.cholesky(p)
m.linalg.cholesky(p, upper=True)
m.linalg.det(x)
m.linalg.inv(x)
m.linalg.solve(x, x[0, :, :])
m.linalg.solve(x[0, :, :], x[0, 0, :])
m.linalg.diagonal(x)
m.linalg.diagonal(x, offset=1)
m.linalg.trace(x)
m.linalg.trace(x, offset=-1)
m.linalg.cross(x, x[:1, ...])
m.linalg.outer(x[0, 0, :], x[1, 0, :])
m.linalg.matrix_power(x, 0)
m.linalg.matrix_power(x, 5)
m.linalg.matrix_power(x, -2)
m.linalg.matrix_norm(x)
m.linalg.matrix_norm(x, ord=1, keepdims=True)
m.linalg.matrix_norm(x, ord=-1)
m.linalg.matrix_norm(x, ord=m.inf)
m.linalg.matrix_norm(x, ord=-m.inf)
m.linalg.vector_norm(x)
m.linalg.vector_norm(x, axis=1, keepdims=True)
m.linalg.vector_norm(x, axis=(0, 2), ord=1)
m.linalg.vector_norm(x, axis=-1, ord=3)
m.linalg.vector_norm(x, axis=-1, ord=m.inf)
m.linalg.vector_norm(x, axis=-1, ord=-m.inf)
m.linalg.vector_norm(x, axis=-1, ord=0)
m.linalg.matmul(x, x)
m.linalg.matrix_transpose(x)
m.linalg.vecdot(x, x)
m.linalg.tensordot(x, x, axes=([2], [1]))
"""
DECOMPOSITIONS = """
m.linalg.eigh(p).eigenvalues
m.linalg.eigvalsh(p)
m.linalg.matrix_norm(x, ord="nuc")
m.linalg.matrix_norm(x, ord=2)
m.linalg.matrix_norm(x, ord=-2)
m.linalg.matrix_rank(x)
m.linalg.matrix_rank(m.ones_like(x))
m.linalg.pinv(x)
m.linalg.pinv(x[:, :2, :])
m.linalg.slogdet(x).sign
m.linalg.slogdet(x).logabsdet
m.linalg.svd(x).S
m.linalg.svdvals(x)
m.matmul(m.linalg.svd(x).U, m.conj(m.linalg.svd(x).U.mT))
m.linalg.svd(x, full_matrices=False).U @ (m.astype(m.linalg.svd(x, full_matrices=False).S, x.dtype)[..., None] * m.linalg.svd(x, full_matrices=False).Vh)
m.linalg.qr(x).Q @ m.linalg.qr(x).R
m.linalg.qr(x, mode="complete").Q @ m.linalg.qr(x, mode="complete").R
m.linalg.eigh(p).eigenvectors @ (m.astype(m.linalg.eigh(p).eigenvalues, p.dtype)[..., None] * m.conj(m.linalg.eigh(p).eigenvectors.mT))
"""


def lines(text: str, *, skip=False):
    marks = [pytest.mark.skipif(skip, reason="tf.linalg.svd and its like are not there yet")]
    return [pytest.param(line, marks=marks) for line in text.strip().splitlines()]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("expression", [*lines(CASES), *lines(DECOMPOSITIONS, skip=not hasattr(tf.linalg, "svd"))])
def test_functions_of_matrices(expression, dtype):
    x = RANDOM.normal(size=(2, 3, 3)) + np.eye(3) * 3
    if dtype.startswith("complex"):
        x = x + 1j * RANDOM.normal(size=x.shape)
    p = (x @ x.conj().swapaxes(-1, -2)).astype(dtype)
    x = x.astype(dtype)
    code = compile(expression, "<expression>", "eval")
    want = np.asarray(eval(code, {"m": strict, "x": strict.asarray(x), "p": strict.asarray(p)}))
    tolerance = 2e-4 if dtype in ("float32", "complex64") else 1e-10

    def compute(x, p):
        return eval(code, {"m": xp, "x": x, "p": p})

    unknown = [tf.TensorSpec([None] * 3, dtype)] * 2
    for function in (compute, tf.function(compute), tf.function(compute, input_signature=unknown)):
        got = function(tf.constant(x), tf.constant(p))
        assert got.dtype.name == want.dtype.name and tuple(got.shape) == want.shape
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64"])
def test_functions_of_integers(dtype):
    x = np.arange(9).reshape(3, 3).astype(dtype)
    for name in ("diagonal", "matrix_transpose"):
        np.testing.assert_array_equal(getattr(xp.linalg, name)(tf.constant(x)), getattr(strict.linalg, name)(strict.asarray(x)))
    assert int(xp.linalg.trace(tf.constant(x))) == 12
    np.testing.assert_array_equal(xp.linalg.outer(tf.constant(x[0]), tf.constant(x[1])), np.outer(x[0], x[1]))
    np.testing.assert_array_equal(xp.linalg.cross(tf.constant(x), tf.constant(x[::-1])), np.cross(x, x[::-1]))


def test_errors():
    with pytest.raises(TypeError, match="inv"):
        xp.linalg.inv(tf.constant([[1]]))
    with pytest.raises(ValueError, match="matrices"):
        xp.linalg.det(tf.constant([1.0]))
    with pytest.raises(ValueError, match="vectors"):
        xp.linalg.outer(tf.zeros([2, 2]), tf.zeros([2]))
    with pytest.raises(ValueError, match="3 elements"):
        xp.linalg.cross(tf.zeros([2]), tf.zeros([2]))
    with pytest.raises(ValueError, match="ord"):
        xp.linalg.matrix_norm(tf.zeros([2, 2]), ord=7)
    with pytest.raises(ValueError, match="mode"):
        xp.linalg.qr(tf.zeros([2, 2]), mode="x")


def test_gradients():
    x = tf.constant([[2.0, 1.0], [0.5, 3.0]], tf.float64)

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = xp.linalg.det(x) + xp.linalg.vector_norm(x) + xp.sum(xp.linalg.solve(x, xp.asarray([1.0, 2.0], dtype=x.dtype)))
        return y, tape.gradient(y, x)

    y, found = gradient(x)
    for place in np.ndindex(2, 2):
        step = np.zeros([2, 2])
        step[place] = 1e-6
        np.testing.assert_allclose((gradient(x + step)[0] - y) / 1e-6, found[place], rtol=1e-4)
