"""tf.linalg: decompositions and what follows from them, real and complex, batched, empty, with errors and gradients."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

RNG = np.random.default_rng(8)
DTYPES = ["float32", "float64", "complex64", "complex128"]
TOLERANCE = {"float32": 2e-4, "complex64": 2e-4, "float64": 1e-9, "complex128": 1e-9}


def matrix(dtype, *shape):
    x = RNG.normal(size=shape)
    return (x + 1j * RNG.normal(size=shape) if dtype.startswith("complex") else x).astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def near(a, b, dtype):
    np.testing.assert_allclose(np.asarray(a), b, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(1.0, np.abs(b).max(initial=0)))


def ways(tf, function, *arguments):
    """The results eagerly, traced, and traced with sizes unknown."""
    specs = [tf.TensorSpec([None] * a.ndim, a.dtype) for a in arguments]
    yield function(*arguments)
    yield tf.function(function)(*arguments)
    yield tf.function(function, input_signature=specs)(*arguments)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 3), (2, 5, 3), (2, 3, 70), (60, 50), (1, 1)])
def test_factors(tf, dtype, shape):
    a = matrix(dtype, *shape)
    m, n = shape[-2:]
    for full in (False, True):
        for q, r in ways(tf, lambda x, full=full: tf.linalg.qr(x, full_matrices=full), a):
            near(q @ r, a, dtype)
            near(adjoint(q.numpy()) @ q.numpy(), np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], q.shape[-1], q.shape[-1])), dtype)
            assert not np.tril(r.numpy(), -1).any()
            assert tuple(q.shape[-2:]) == (m, m if full else min(m, n))
        for s, u, v in ways(tf, lambda x, full=full: tf.linalg.svd(x, full_matrices=full), a):
            k = min(m, n)
            near((u.numpy()[..., :k] * s.numpy()[..., None, :]) @ adjoint(v.numpy()[..., :k]), a, dtype)
            near(s, np.linalg.svd(a.astype("complex128"), compute_uv=False), dtype)
            assert s.dtype.name == np.zeros(1, dtype).real.dtype.name
            assert tuple(v.shape[-2:]) == (n, n if full else k)
    near(tf.linalg.svd(a, compute_uv=False), np.linalg.svd(a.astype("complex128"), compute_uv=False), dtype)
    if "complex" not in dtype:
        near(a @ tf.linalg.pinv(a).numpy() @ a, a, dtype)
        assert np.all(tf.linalg.matrix_rank(a).numpy() == min(m, n))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 40, 40), (1, 1), (130, 130)])
def test_square_matrices(tf, dtype, shape):
    a = matrix(dtype, *shape) + 0.1 * np.eye(shape[-1], dtype=dtype)
    h = a @ adjoint(a) / shape[-1] + np.eye(shape[-1], dtype=dtype)
    b = matrix(dtype, *shape[:-1], 2)
    for lu, p in ways(tf, tf.linalg.lu, a):
        near(tf.linalg.lu_reconstruct(lu, p), a, dtype)
        near(a @ tf.linalg.lu_solve(lu, p, b).numpy(), b, dtype)
        near(a @ tf.linalg.lu_matrix_inverse(lu, p).numpy(), np.broadcast_to(np.eye(shape[-1]), shape), dtype)
    sign, size = np.linalg.slogdet(a.astype("complex128"))
    for found, log in ways(tf, tf.linalg.slogdet, a):
        near(found, sign, dtype)
        near(log, size, dtype)
    near(tf.linalg.logdet(h), np.linalg.slogdet(h)[1], dtype)
    near(h @ tf.linalg.cholesky_solve(tf.linalg.cholesky(h), b).numpy(), b, dtype)
    for e, v in ways(tf, tf.linalg.eigh, h):
        near(h @ v.numpy(), v.numpy() * e.numpy()[..., None, :], dtype)
        assert np.all(np.diff(e.numpy().real) >= 0)
    near(tf.linalg.eigvalsh(h), np.linalg.eigvalsh(h), dtype)
    e, v = tf.linalg.eig(tf.constant(a))
    near(a @ v.numpy(), v.numpy() * e.numpy()[..., None, :], dtype)
    near(np.linalg.norm(v.numpy(), axis=-2), np.ones(shape[:-1]), dtype)
    ordered = lambda x: np.sort_complex(np.round(np.asarray(x), 2))
    np.testing.assert_allclose(
        np.sort(ordered(tf.linalg.eigvals(tf.constant(a))).real), np.sort(ordered(np.linalg.eigvals(a)).real), atol=0.03
    )
    for r in ways(tf, tf.linalg.sqrtm, h):
        near(r @ r, h, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_exponentials(tf, dtype):
    for scale in (0.01, 0.3, 1, 3):
        a = scale * matrix(dtype, 2, 4, 4)
        e, v = np.linalg.eig(a)
        wanted = (v * np.exp(e)[:, None, :]) @ np.linalg.inv(v)
        for x in ways(tf, tf.linalg.expm, a.astype(dtype)):
            near(x, wanted, dtype)
        if dtype.startswith("complex") and scale < 0.5:
            near(tf.linalg.logm(tf.linalg.expm(a.astype(dtype))), a, dtype)
    assert np.isnan(tf.linalg.expm(np.array([[np.inf, 0], [0, 1]], dtype)).numpy()).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(6, 3), (2, 3, 6), (4, 4)])
def test_least_squares(tf, dtype, shape):
    a, b = matrix(dtype, *shape), matrix(dtype, *shape[:-1], 2)
    wanted = np.linalg.pinv(a) @ b
    for fast in (True, False):
        for x in ways(tf, lambda a, b, fast=fast: tf.linalg.lstsq(a, b, fast=fast), a, b):
            np.testing.assert_allclose(x, wanted, rtol=2e-2, atol=2e-3)
    if dtype != "complex128":
        wanted = np.linalg.solve(adjoint(a) @ a + 0.5 * np.eye(shape[-1]), adjoint(a) @ b)
        np.testing.assert_allclose(tf.linalg.lstsq(a, b, l2_regularizer=0.5), wanted, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pivoting", [True, False])
def test_tridiagonal(tf, dtype, pivoting):
    a = np.triu(np.tril(matrix(dtype, 2, 6, 6) + 4 * np.eye(6, dtype=dtype), 1), -1)
    b = matrix(dtype, 2, 6, 3)
    compact = tf.linalg.diag_part(a, k=(-1, 1), align="LEFT_RIGHT")
    forms = {"matrix": tf.constant(a), "compact": compact, "sequence": [compact[:, i] for i in range(3)]}
    for form, diagonals in forms.items():
        near(tf.linalg.tridiagonal_matmul(diagonals, b, form), a @ b, dtype)
        for given, options in ((b, {}), (np.swapaxes(b, 1, 2), {"transpose_rhs": True}), (np.conj(b), {"conjugate_rhs": True})):
            x = tf.linalg.tridiagonal_solve(diagonals, tf.constant(given), form, partial_pivoting=pivoting, **options)
            near(a @ x.numpy(), b, dtype)
        near(
            np.einsum("bij,bj->bi", a, tf.linalg.tridiagonal_solve(diagonals, tf.constant(b[..., 0]), form).numpy()), b[..., 0], dtype
        )
    short = [compact[:, 0, :-1], compact[:, 1], compact[:, 2, 1:]]
    near(a @ tf.linalg.tridiagonal_solve(short, tf.constant(b), "sequence").numpy(), b, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("conjugated", [True, False])
def test_banded(tf, dtype, lower, conjugated):
    bands, b = matrix(dtype, 3, 1, 3, 5) + 3, matrix(dtype, 2, 5, 2)
    dense = tf.linalg.diag(bands, k=(-2, 0) if lower else (0, 2), num_rows=5, num_cols=5, align="LEFT_RIGHT").numpy()
    x = tf.linalg.banded_triangular_solve(bands, b, lower=lower, adjoint=conjugated).numpy()
    near((adjoint(dense) if conjugated else dense) @ x, np.broadcast_to(b, x.shape), dtype)


def test_tridiagonal_eigenvalues(tf):
    alpha, beta = RNG.normal(size=9), RNG.normal(size=8)
    dense = np.diag(alpha) + np.diag(beta, 1) + np.diag(beta, -1)
    wanted = np.linalg.eigvalsh(dense)
    near(tf.linalg.eigh_tridiagonal(alpha, beta), wanted, "float64")
    near(tf.linalg.eigh_tridiagonal(alpha, beta, select="i", select_range=(2, 4)), wanted[2:5], "float64")
    inside = wanted[(wanted > -0.5) & (wanted <= 1.0)]
    near(tf.linalg.eigh_tridiagonal(alpha, beta, select="v", select_range=(-0.5, 1.0)), inside, "float64")
    e, v = tf.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=False)
    np.testing.assert_allclose(dense @ v.numpy(), v.numpy() * e.numpy(), atol=1e-7)


def test_cross_and_diagonals(tf):
    a, b = RNG.normal(size=(2, 4, 3)), RNG.normal(size=(2, 4, 3))
    near(tf.linalg.cross(a, b), np.cross(a, b), "float64")
    assert tf.linalg.cross(tf.constant([1, 2, 3], tf.uint8), tf.constant([3, 2, 9], tf.uint8)).numpy().tolist() == [12, 0, 252]
    x = RNG.normal(size=(2, 3))
    dense = tf.linalg.tensor_diag(x)
    assert dense.shape == (2, 3, 2, 3)
    near(dense.numpy().reshape(6, 6), np.diag(x.ravel()), "float64")
    near(tf.linalg.tensor_diag_part(dense), x, "float64")


EMPTY = [(0, 0), (2, 0, 0), (0, 3, 3)]


@pytest.mark.parametrize("shape", EMPTY)
def test_empty_matrices(tf, shape):
    x = tf.zeros(shape)
    n = shape[-1]
    for result, wanted in (
        (tf.linalg.lu(x), (shape, shape[:-1])),
        (tf.linalg.qr(x), (shape, shape)),
        (tf.linalg.eigh(x), (shape[:-1], shape)),
        (tf.linalg.eig(x), (shape[:-1], shape)),
        (tf.linalg.slogdet(x), (shape[:-2], shape[:-2])),
        (tf.linalg.svd(x), (shape[:-1], shape, shape)),
    ):
        assert [tuple(r.shape) for r in result] == [tuple(w) for w in wanted]
    assert tf.linalg.expm(x).shape == shape if n == 0 else True


def test_sides_without_elements(tf):
    q, r = tf.linalg.qr(tf.zeros([2, 3, 0]), full_matrices=True)
    assert np.array_equal(q, np.broadcast_to(np.eye(3), (2, 3, 3))) and r.shape == (2, 3, 0)
    s, u, v = tf.linalg.svd(tf.zeros([0, 3]), full_matrices=True)
    assert s.shape == (0,) and u.shape == (0, 0) and np.array_equal(v, np.eye(3))
    assert tf.linalg.lstsq(tf.ones([3, 0]), tf.ones([3, 1]), fast=False).shape == (0, 1)


SINGULAR = np.ones([2, 2], np.float32)
ERRORS = {
    "lu": (lambda tf: tf.linalg.lu(SINGULAR), "Input is not invertible"),
    "lu of NaN": (lambda tf: tf.linalg.lu(SINGULAR * np.nan), "Input is not invertible"),
    "eigh of NaN": (lambda tf: tf.linalg.eigh(SINGULAR * np.nan), "Self-adjoint eigen decomposition was not successful"),
    "eig of inf": (lambda tf: tf.linalg.eig(tf.constant(SINGULAR * np.inf)), "Eigen decomposition was not successful"),
    "banded": (
        lambda tf: tf.linalg.banded_triangular_solve(np.float32([[0, 1], [1, 1]]), np.ones([2, 1], np.float32)),
        "Input matrix is not invertible",
    ),
    "lu of a row": (lambda tf: tf.linalg.lu(np.zeros([3], np.float32)), "must have rank >= 2, got 1"),
    "eigh of a rectangle": (lambda tf: tf.linalg.eigh(np.zeros([2, 3], np.float32)), "must be square"),
    "negative regularizer": (
        lambda tf: tf.raw_ops.MatrixSolveLs(matrix=SINGULAR, rhs=SINGULAR, l2_regularizer=-1.0, fast=True),
        "l2_regularizer must be >= 0",
    ),
    "rows": (
        lambda tf: tf.raw_ops.MatrixSolveLs(matrix=SINGULAR, rhs=np.ones([3, 1], np.float32), l2_regularizer=0.0),
        "Input matrix and rhs are incompatible",
    ),
    "three diagonals": (
        lambda tf: tf.raw_ops.TridiagonalSolve(diagonals=SINGULAR, rhs=SINGULAR),
        "Expected diagonals to be provided as a matrix with 3 rows, got 2 rows",
    ),
    "Tout": (lambda tf: tf.raw_ops.Eig(input=SINGULAR, Tout=tf.complex128), "Invalid output dtype 18 vs 8"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(tf, name):
    call, text = ERRORS[name]
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        call(tf)


def test_errors_while_tracing(tf):
    for function, shape in ((tf.linalg.lu, [2, 3]), (tf.linalg.eigh, [3]), (tf.linalg.slogdet, [2, 3]), (tf.linalg.qr, [3])):
        with pytest.raises(ValueError, match="Dimensions must be equal|must be at least rank 2"):
            tf.function(function).get_concrete_function(tf.TensorSpec(shape))
    with pytest.raises(tf.errors.FailedPreconditionError, match="3-element vectors"):
        tf.linalg.cross(tf.zeros([2]), tf.zeros([2]))
    with pytest.raises(ValueError, match="partial_pivoting must be True"):
        tf.linalg.tridiagonal_solve(tf.ones([3, 3]), tf.ones([3]), partial_pivoting=False, perturb_singular=True)
    with pytest.raises(ValueError, match="Expected 3 diagonals got 2"):
        tf.linalg.tridiagonal_solve(tf.ones([2, 3]), tf.ones([3]))
    with pytest.raises(TypeError, match="must have `float`-like `dtype`"):
        tf.linalg.pinv(np.ones([2, 2], np.complex64))
    with pytest.raises(NotImplementedError, match="complex128 and l2_regularizer != 0"):
        tf.linalg.lstsq(np.ones([2, 2], np.complex128), np.ones([2, 2], np.complex128), l2_regularizer=0.5)
    with pytest.raises(ValueError, match="Input `rhs` must have at least 2 dimensions"):
        tf.linalg.lu_solve(np.eye(2, dtype=np.float32), [0, 1], [1.0, 2.0])


def test_singular_tridiagonal_systems_are_nan(tf):
    x = tf.linalg.tridiagonal_solve(tf.zeros([3, 3]), tf.ones([3, 1]))
    assert np.isnan(x.numpy()).all()
    x = tf.linalg.tridiagonal_solve(tf.zeros([3, 3]), tf.ones([3, 1]), perturb_singular=True)
    assert np.isfinite(x.numpy()).all()


def differences(function, x, step=1e-6):
    result = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        e = np.zeros_like(x)
        e[i] = step
        result[i] = (function(x + e) - function(x - e)) / (2 * step)
    return result


SCALARS = {
    "lu_solve": lambda tf, x: tf.reduce_sum(tf.linalg.lstsq(x, tf.ones([3, 2], tf.float64)) ** 2),
    "expm": lambda tf, x: tf.reduce_sum(tf.linalg.expm(x) ** 2),
    "logdet": lambda tf, x: tf.linalg.logdet(x @ tf.transpose(x)),
    "slogdet": lambda tf, x: tf.linalg.slogdet(x)[1] ** 2,
    "svd": lambda tf, x: tf.reduce_sum(tf.linalg.svd(x, compute_uv=False) ** 3),
    "eigvalsh": lambda tf, x: tf.reduce_sum(tf.linalg.eigvalsh(x + tf.transpose(x)) ** 3),
    "eigvals": lambda tf, x: tf.reduce_sum(tf.abs(tf.linalg.eigvals(x)) ** 2),
    "qr": lambda tf, x: tf.reduce_sum(tf.linalg.qr(x)[1] ** 2 * np.arange(9.0).reshape(3, 3)),
    "sqrtm": lambda tf, x: tf.reduce_sum(tf.linalg.sqrtm(x @ tf.transpose(x)) ** 3),
    "pinv": lambda tf, x: tf.reduce_sum(tf.linalg.pinv(x) ** 2),
}


@pytest.mark.parametrize("name", SCALARS)
def test_gradients(tf, name):
    x = np.array([[2.0, 0.5, -0.3], [0.1, -1.5, 0.7], [0.4, 0.2, 1.2]])
    function = SCALARS[name]
    t = tf.constant(x)

    def gradient(t):
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = function(tf, t)
        return tape.gradient(y, t)

    wanted = differences(lambda v: function(tf, tf.constant(v)).numpy(), x)
    np.testing.assert_allclose(gradient(t), wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(tf.function(gradient)(t), wanted, rtol=1e-4, atol=1e-5)


def test_gradients_that_do_not_exist(tf):
    def gradient(function, *shape):
        x = tf.constant(RNG.normal(size=shape))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    with pytest.raises(NotImplementedError, match="nrows > ncols and full_matrices is true"):
        gradient(lambda x: tf.linalg.qr(x, full_matrices=True), 4, 2)
    with pytest.raises(NotImplementedError, match=r"abs\(m - n\) > 1 when full_matrices is True"):
        gradient(lambda x: tf.linalg.svd(x, full_matrices=True), 4, 2)
    with pytest.raises(ValueError, match="Gradient not defined for fast=False"):
        gradient(lambda x: tf.linalg.lstsq(x, tf.ones([4, 1], tf.float64), fast=False), 4, 2)
    with pytest.raises(LookupError, match="no entry for: Lu"):
        gradient(lambda x: tf.linalg.lu(x)[0], 3, 3)


@pytest.mark.parametrize("shape", [(5, 3), (40, 40), (30, 70)])
@pytest.mark.parametrize("kind", ["zero", "one", "low rank", "graded", "tiny", "huge", "broken"])
def test_spectra_of_special_matrices(tf, shape, kind):
    a = RNG.normal(size=shape)
    short = min(shape)
    grades = 10.0 ** np.linspace(0, -18, shape[0])
    band = np.eye(*shape) + np.eye(*shape, k=1)
    band[short // 2, short // 2] = 0
    a = {
        "zero": 0 * a,
        "one": 0 * a + 1,
        "low rank": a[:, : short // 2] @ a[: short // 2],
        "graded": a * grades[:, None],
        "tiny": a * 1e-200,
        "huge": a * 1e150,
        "broken": band,
    }[kind]
    size = max(np.abs(a).max(), 1e-300)
    s, u, v = (x.numpy() for x in tf.linalg.svd(a))
    np.testing.assert_allclose(u * (s / size) @ v.T, a / size, atol=1e-11)
    np.testing.assert_allclose(s / size, np.linalg.svd(a / size, compute_uv=False), atol=1e-11)
    for x in (u, v):
        np.testing.assert_allclose(x.T @ x, np.eye(short), atol=1e-11)
    if shape[0] != shape[1]:
        return
    h = a / 2 + a.T / 2
    e, v = (x.numpy() for x in tf.linalg.eigh(h))
    np.testing.assert_allclose(v * (e / size) @ v.T, h / size, atol=1e-11)
    np.testing.assert_allclose(e / size, np.linalg.eigvalsh(h / size), atol=1e-11)


@pytest.mark.rule(27)
def test_products_over_axes_keep_the_sizes_that_are_known(tf):
    f = tf.function(lambda x: (tf.tensordot(x, tf.ones([3, 5]), 1), tf.tensordot(tf.ones([7, 8]), x, [[1], [1]])))
    first, second = f.get_concrete_function(tf.TensorSpec([None, 8, 3])).outputs
    assert first.shape.as_list() == [None, 8, 5] and second.shape.as_list() == [7, None, 3]


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (2, 5), (20, 17), (17, 20)])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_singular_values_of_what_is_not_finite(tf, shape, value):
    matrices = np.ones((2, *shape))
    matrices[1, 1, 0] = value
    s, u, v = tf.linalg.svd(matrices, full_matrices=True)
    assert np.isnan(s[1]).all() and np.isnan(u[1]).all() and np.isnan(v[1]).all()
    assert np.isfinite(s[0]).all() and np.isfinite(u[0]).all() and np.isfinite(v[0]).all()
    assert np.isnan(tf.linalg.svd(matrices, compute_uv=False)[1]).all()
