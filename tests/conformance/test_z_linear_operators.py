"""tf.linalg.LinearOperator*: each class against the dense matrix that it stands for, as value and in traced functions."""

import re

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

RNG = np.random.default_rng(5)
DTYPES = ["float64", "complex128"]


def numbers(dtype, *shape):
    x = RNG.normal(size=shape)
    return (x + 1j * RNG.normal(size=shape) if dtype == "complex128" else x).astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def diagonal(x):
    return x[..., None] * np.eye(x.shape[-1])


def blocks(matrices):
    rows, columns = sum(m.shape[-2] for m in matrices), sum(m.shape[-1] for m in matrices)
    batch = np.broadcast_shapes(*[m.shape[:-2] for m in matrices])
    result = np.zeros((*batch, rows, columns), matrices[0].dtype)
    i = j = 0
    for m in matrices:
        result[..., i : i + m.shape[-2], j : j + m.shape[-1]] = m
        i, j = i + m.shape[-2], j + m.shape[-1]
    return result


def full(tf, dtype):
    a = numbers(dtype, 2, 3, 3)
    return tf.linalg.LinearOperatorFullMatrix(a), a


def positive(tf, dtype):
    a = numbers(dtype, 3, 3)
    a = a @ adjoint(a) + np.eye(3)
    return tf.linalg.LinearOperatorFullMatrix(a, is_self_adjoint=True, is_positive_definite=True), a


def triangle(tf, dtype):
    a = numbers(dtype, 2, 3, 3) + 2 * np.eye(3)
    return tf.linalg.LinearOperatorLowerTriangular(a), np.tril(a)


def diag(tf, dtype):
    d = numbers(dtype, 2, 3)
    return tf.linalg.LinearOperatorDiag(d), diagonal(d)


def identity(tf, dtype):
    return tf.linalg.LinearOperatorIdentity(3, batch_shape=[2], dtype=dtype), np.broadcast_to(np.eye(3, dtype=dtype), (2, 3, 3))


def scaled(tf, dtype):
    s = numbers(dtype, 2)
    return tf.linalg.LinearOperatorScaledIdentity(3, multiplier=s), s[:, None, None] * np.eye(3)


def permutation(tf, dtype):
    perm = np.array([2, 0, 1], np.int32)
    return tf.linalg.LinearOperatorPermutation(perm, dtype=dtype), np.eye(3, dtype=dtype)[perm]


def householder(tf, dtype):
    v = numbers(dtype, 2, 3)
    unit = v / np.linalg.norm(v, axis=-1, keepdims=True)
    return tf.linalg.LinearOperatorHouseholder(v), np.eye(3) - 2 * unit[..., None] * np.conj(unit[..., None, :])


def toeplitz(tf, dtype):
    column, row = numbers(dtype, 2, 3) + 2, numbers(dtype, 2, 3)
    row[:, 0] = column[:, 0]
    wanted = np.stack([np.stack([column[:, i - j] if i >= j else row[:, j - i] for j in range(3)], -1) for i in range(3)], -2)
    return tf.linalg.LinearOperatorToeplitz(column, row), wanted


def tridiag(tf, dtype):
    d = numbers(dtype, 2, 3, 3)
    wanted = diagonal(d[:, 1])
    for i in range(2):
        wanted[:, i, i + 1], wanted[:, i + 1, i] = d[:, 0, i], d[:, 2, i + 1]
    return tf.linalg.LinearOperatorTridiag(d, "compact"), wanted


def tridiag_sequence(tf, dtype):
    d = numbers(dtype, 2, 3, 3)
    wanted = diagonal(d[:, 1])
    for i in range(2):
        wanted[:, i, i + 1], wanted[:, i + 1, i] = d[:, 0, i], d[:, 2, i + 1]
    return tf.linalg.LinearOperatorTridiag([d[:, 0], d[:, 1], d[:, 2]], "sequence"), wanted


def composition(tf, dtype):
    (a, x), (b, y) = full(tf, dtype), diag(tf, dtype)
    return tf.linalg.LinearOperatorComposition([a, b]), x @ y


def adjoint_operator(tf, dtype):
    a, x = full(tf, dtype)
    return tf.linalg.LinearOperatorAdjoint(a), adjoint(x)


def inversion(tf, dtype):
    a, x = full(tf, dtype)
    return tf.linalg.LinearOperatorInversion(a), np.linalg.inv(x)


def kronecker(tf, dtype):
    (a, x), (b, y), (c, z) = full(tf, dtype), diag(tf, dtype), positive(tf, dtype)
    wanted = np.stack([np.kron(np.kron(x[i], y[i]), z) for i in range(2)])
    return tf.linalg.LinearOperatorKronecker([a, b, c]), wanted


def low_rank(tf, dtype):
    base, x = diag(tf, dtype)
    u, v, d = numbers(dtype, 2, 3, 2), numbers(dtype, 2, 3, 2), numbers(dtype, 2, 2)
    return tf.linalg.LinearOperatorLowRankUpdate(base, u, d, v), x + (u * d[:, None, :]) @ adjoint(v)


def symmetric_update(tf, dtype):
    d, u = np.abs(RNG.normal(size=(2, 3))) + 1, numbers(dtype, 2, 3, 1)
    base = tf.linalg.LinearOperatorDiag(d.astype(dtype), is_self_adjoint=True, is_positive_definite=True)
    return tf.linalg.LinearOperatorLowRankUpdate(base, u), diagonal(d) + u @ adjoint(u)


def block_diag(tf, dtype):
    (a, x), (b, y) = full(tf, dtype), positive(tf, dtype)
    return tf.linalg.LinearOperatorBlockDiag([a, b]), blocks([x, np.broadcast_to(y, (2, 3, 3))])


def block_triangular(tf, dtype):
    (a, x), (b, y), (c, z) = full(tf, dtype), diag(tf, dtype), full(tf, dtype)
    wanted = blocks([x, z])
    wanted[:, 3:, :3] = y
    return tf.linalg.LinearOperatorBlockLowerTriangular([[a], [b, c]]), wanted


OPERATORS = [
    full, positive, triangle, diag, identity, scaled, permutation, householder, toeplitz, tridiag, tridiag_sequence,
    composition, adjoint_operator, inversion, kronecker, low_rank, symmetric_update, block_diag, block_triangular,
]  # fmt: skip
CASES = pytest.mark.parametrize("make", OPERATORS, ids=lambda f: f.__name__)
TYPES = pytest.mark.parametrize("dtype", DTYPES)


def near(found, wanted):
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-8, atol=1e-8)


def as_solved(operator, x, y):
    """What is compared: methods of an operator on matrices x and y."""
    return {
        "to_dense": operator.to_dense(),
        "matmul": operator.matmul(x),
        "matmul of adjoint": operator.matmul(x, adjoint=True),
        "matmul with adjoint": operator.matmul(y, adjoint_arg=True),
        "matvec": operator.matvec(x[..., 0]),
        "matvec of adjoint": operator.matvec(x[..., 0], adjoint=True),
        "solve": operator.solve(x),
        "solve with adjoint": operator.solve(y, adjoint_arg=True),
        "solvevec": operator.solvevec(x[..., 0]),
        "determinant": operator.determinant(),
        "log_abs_determinant": operator.log_abs_determinant(),
        "trace": operator.trace(),
        "diag_part": operator.diag_part(),
        "adjoint": operator.adjoint().to_dense(),
        "inverse": operator.inverse().to_dense(),
    }


def dense_answers(a, x, y):
    return {
        "to_dense": a,
        "matmul": a @ x,
        "matmul of adjoint": adjoint(a) @ x,
        "matmul with adjoint": a @ adjoint(y),
        "matvec": (a @ x)[..., 0],
        "matvec of adjoint": (adjoint(a) @ x)[..., 0],
        "solve": np.linalg.solve(a, x),
        "solve with adjoint": np.linalg.solve(a, adjoint(y)),
        "solvevec": np.linalg.solve(a, x)[..., 0],
        "determinant": np.linalg.det(a),
        "log_abs_determinant": np.log(np.abs(np.linalg.det(a))),
        "trace": np.trace(a, axis1=-2, axis2=-1),
        "diag_part": np.diagonal(a, axis1=-2, axis2=-1),
        "adjoint": adjoint(a),
        "inverse": np.linalg.inv(a),
    }


@CASES
@TYPES
def test_methods(tf, make, dtype):
    operator, a = make(tf, dtype)
    n = a.shape[-1]
    x, y = numbers(dtype, 2, n, 2), numbers(dtype, 2, 2, n)
    wanted = dense_answers(np.broadcast_to(a, (2, n, n)) if a.ndim == 3 else a, x, y)
    assert operator.shape == a.shape and tuple(operator.shape_tensor().numpy()) == a.shape
    assert operator.dtype == dtype and operator.is_square and operator.tensor_rank == a.ndim
    traced = tf.function(as_solved, reduce_retracing=True)
    for answers in (as_solved(operator, x, y), traced(operator, x, y)):
        for name, found in answers.items():
            near(found, wanted[name])
    near(operator.add_to_tensor(tf.constant(np.broadcast_to(x[..., :1] * np.ones(n), (2, n, n)))), a + x[..., :1] * np.ones(n))
    near(operator @ x, a @ x)


@CASES
def test_solve_with_the_adjoint(tf, make):
    operator, a = make(tf, "float64")
    x = numbers("float64", 2, a.shape[-1], 2)
    near(operator.solve(x, adjoint=True), np.linalg.solve(adjoint(a), x))


@CASES
def test_composite(tf, make):
    operator, a = make(tf, "float64")
    parts = tf.nest.flatten(operator, expand_composites=True)
    near(tf.nest.pack_sequence_as(operator, parts, expand_composites=True).to_dense(), a)
    traces = []

    @tf.function
    def same(operator):
        traces.append(1)
        return operator, operator.to_dense()

    for _ in range(2):
        given, dense = same(make(tf, "float64")[0])
        assert type(given) is type(operator)
        near(given.to_dense(), dense)
    assert len(traces) == 1


@CASES
def test_hints_survive(tf, make):
    operator, _ = make(tf, "float64")
    again = tf.function(lambda o: o)(operator)
    for hint in ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square"):
        assert getattr(again, hint) == getattr(operator, hint)


def test_unknown_sizes(tf):
    spec = tf.TensorSpec([None, None, None], tf.float64)

    @tf.function(input_signature=[spec, tf.TensorSpec([None, None], tf.float64)])
    def run(a, d):
        product = tf.linalg.LinearOperatorFullMatrix(a).matmul(tf.linalg.LinearOperatorDiag(d))
        assert product.shape.rank == 3
        x = tf.ones([tf.shape(a)[0], product.domain_dimension_tensor(), 1], tf.float64)
        return product.to_dense(), product.shape_tensor(), product.solve(product.matmul(x)), product.batch_shape_tensor()

    a, d = numbers("float64", 2, 3, 3), numbers("float64", 2, 3)
    dense, shape, ones, batch = run(a, d)
    near(dense, a @ diagonal(d))
    assert shape.numpy().tolist() == [2, 3, 3] and batch.numpy().tolist() == [2]
    near(ones, np.ones([2, 3, 1]))


def test_functions_of_linalg(tf):
    operator, a = positive(tf, "float64")
    near(tf.linalg.matmul(operator, np.eye(3)), a)
    near(tf.linalg.matmul(tf.constant(np.eye(3)), operator, adjoint_b=True), adjoint(a))
    near(tf.linalg.matvec(operator, np.ones(3)), a.sum(-1))
    near(tf.linalg.solve(operator, np.eye(3)), np.linalg.inv(a))
    near(tf.linalg.det(operator), np.linalg.det(a))
    near(tf.linalg.logdet(operator), np.log(np.linalg.det(a)))
    near(tf.linalg.trace(operator), np.trace(a))
    near(tf.linalg.diag_part(operator), np.diag(a))
    near(tf.linalg.inv(operator).to_dense(), np.linalg.inv(a))
    near(tf.linalg.adjoint(operator).to_dense(), adjoint(a))
    near(tf.linalg.cholesky(operator).to_dense(), np.linalg.cholesky(a))
    near(operator.eigvals(), np.linalg.eigvalsh(a))
    near(operator.cond(), np.linalg.cond(a))


def test_products_of_operators(tf):
    eye, diag_, tri = tf.linalg.LinearOperatorIdentity(2), tf.linalg.LinearOperatorDiag([2.0, 3.0]), tf.linalg.LinearOperatorLowerTriangular
    assert eye.matmul(diag_) is diag_ and diag_.matmul(eye) is diag_
    product = diag_.matmul(diag_)
    assert type(product) is tf.linalg.LinearOperatorDiag
    near(product.diag, [4.0, 9.0])
    assert type(diag_.matmul(tri([[1.0, 0.0], [1.0, 1.0]]))) is tri
    assert type(diag_.inverse()) is tf.linalg.LinearOperatorDiag
    zeros = tf.linalg.LinearOperatorZeros(2)
    assert diag_.matmul(zeros) is zeros
    near(zeros.add_to_tensor([[1.0, 2.0], [3.0, 4.0]]), [[1.0, 2.0], [3.0, 4.0]])
    near(tf.linalg.LinearOperatorZeros(2, 3, is_square=False, is_self_adjoint=False).matvec([1.0, 2.0, 3.0]), [0.0, 0.0])
    solved = diag_.solve(diag_)
    near(solved.to_dense(), np.eye(2))
    lower = tri([[1.0, 0.0], [2.0, 3.0]], is_non_singular=True)
    square = lower.matmul(lower.H)
    assert square.is_self_adjoint and square.is_positive_definite
    near(square.cholesky().to_dense(), [[1.0, 0.0], [2.0, 3.0]])


def test_blocks_of_arguments(tf):
    a, b = tf.linalg.LinearOperatorFullMatrix(np.ones([2, 2])), tf.linalg.LinearOperatorDiag(np.ones(3))
    operator = tf.linalg.LinearOperatorBlockDiag([a, b])
    first, second = operator.matmul([tf.ones([2, 1], tf.float64), tf.ones([3, 1], tf.float64)])
    near(first, [[2.0], [2.0]])
    near(second, np.ones([3, 1]))
    first, second = operator.matvec([tf.ones([2], tf.float64), tf.ones([3], tf.float64)])
    near(first, [2.0, 2.0])
    assert second.shape == (3,)


def test_variables(tf):
    v = tf.Variable([1.0, 2.0])
    operator = tf.linalg.LinearOperatorDiag(v)
    assert [w is v for w in operator.trainable_variables] == [True]
    matvec = tf.function(lambda x: operator.matvec(x))
    near(matvec([1.0, 1.0]), [1.0, 2.0])
    v.assign([3.0, 4.0])
    near(matvec([1.0, 1.0]), [3.0, 4.0])
    with tf.GradientTape() as tape:
        y = operator.determinant()
    near(tape.gradient(y, v), [4.0, 3.0])


def test_slices(tf):
    d = numbers("float64", 4, 3)
    operator = tf.linalg.LinearOperatorDiag(d)
    near(operator[1].to_dense(), diagonal(d[1]))
    near(operator[1:3].to_dense(), diagonal(d[1:3]))


@pytest.mark.parametrize("preconditioned", [False, True])
def test_conjugate_gradient(tf, preconditioned):
    a = numbers("float64", 5, 5)
    a = a @ a.T + np.eye(5)
    b = numbers("float64", 5)
    operator = tf.linalg.LinearOperatorFullMatrix(a, is_self_adjoint=True, is_positive_definite=True)
    preconditioner = tf.linalg.LinearOperatorDiag(1 / np.diag(a)) if preconditioned else None
    solve = lambda b: tf.linalg.experimental.conjugate_gradient(operator, b, preconditioner, tol=1e-12).x
    for run in (solve, tf.function(solve)):
        np.testing.assert_allclose(run(tf.constant(b)), np.linalg.solve(a, b), rtol=1e-6, atol=1e-8)
    with pytest.raises(ValueError, match="Expected a self-adjoint, positive definite operator"):
        tf.linalg.experimental.conjugate_gradient(tf.linalg.LinearOperatorFullMatrix(a), tf.constant(b))


REFUSED = {
    "square": (lambda linalg: linalg.LinearOperatorDiag([1.0], is_square=False), ValueError, "Only square diagonal operators"),
    "self-adjoint": (lambda linalg: linalg.LinearOperatorDiag([1.0], is_self_adjoint=False), ValueError, "always self adjoint"),
    "rank": (lambda linalg: linalg.LinearOperatorFullMatrix([1.0]), ValueError, "must have at least 2 dimensions"),
    "integers": (lambda linalg: linalg.LinearOperatorFullMatrix([[1]]), TypeError, "must have dtype in"),
    "hints": (
        lambda linalg: linalg.LinearOperatorFullMatrix([[1.0]], is_positive_definite=True, is_non_singular=False),
        ValueError,
        "A positive definite matrix is always non-singular",
    ),
    "permutation": (lambda linalg: linalg.LinearOperatorPermutation([0, 2]), ValueError, "unique integers from 0 to 1"),
    "none": (lambda linalg: linalg.LinearOperatorComposition([]), ValueError, "Expected a non-empty list of operators"),
    "negative": (lambda linalg: linalg.LinearOperatorIdentity(-1), ValueError, "num_rows must be non-negative"),
    "dtype": (lambda linalg: linalg.LinearOperatorDiag([1.0]).matmul(np.ones([1, 1])), TypeError, "Expected argument to have dtype"),
    "inverse": (lambda linalg: linalg.LinearOperatorZeros(2).inverse(), ValueError, "represents a singular matrix"),
    "solve": (lambda linalg: linalg.LinearOperatorZeros(2).solve([[1.0], [1.0]]), NotImplementedError, "expected to be singular"),
    "cholesky": (lambda linalg: linalg.LinearOperatorDiag([1.0]).cholesky(), ValueError, "Cannot take the Cholesky decomposition"),
    "eigvals": (lambda linalg: linalg.LinearOperatorFullMatrix([[1.0]]).eigvals(), NotImplementedError, "Only self-adjoint"),
    "sizes": (lambda linalg: linalg.LinearOperatorDiag([1.0, 2.0]).matmul([[1.0]]), ValueError, "not compatible"),
    "format": (lambda linalg: linalg.LinearOperatorTridiag([[1.0]], "rows"), ValueError, "must be one of compact, matrix, or sequence"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors(tf, name):
    call, kind, text = REFUSED[name]
    with pytest.raises(kind, match=text):
        call(tf.linalg)


def test_checks(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Diagonal contained zero values"):
        tf.linalg.LinearOperatorDiag([1.0, 0.0]).assert_non_singular()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not positive definite"):
        tf.linalg.LinearOperatorDiag([1.0, -1.0]).assert_positive_definite()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not equal to its adjoint"):
        tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]).assert_self_adjoint()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Singular matrix"):
        tf.linalg.LinearOperatorFullMatrix([[1.0, 1.0], [1.0, 1.0]]).assert_non_singular()
    tf.linalg.LinearOperatorDiag([1.0, 2.0]).assert_positive_definite()
    tf.linalg.LinearOperatorIdentity(2).assert_self_adjoint()


def test_householder_operators_are_never_positive_definite(tf):
    assert tf.linalg.LinearOperatorHouseholder([1.0, 2.0]).is_positive_definite is False


@pytest.mark.parametrize(
    "make, error, words",
    [
        (lambda t: t.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0, 4.0]), ValueError, "got row and col with mismatched"),
        (lambda t: t.LinearOperatorKronecker([]), ValueError, r"must be a list of >=1 operators. Received: \[\]"),
        (
            lambda t: t.LinearOperatorFullMatrix([[1, 2], [3, 4]]),
            TypeError,
            r"dtype in \[tf.float16, tf.float32, .* Received: <dtype: 'int32'>",
        ),
    ],
)
def test_words_of_refusals(tf, make, error, words):
    with pytest.raises(error, match=words):
        make(tf.linalg)


def test_words_of_failed_checks(tf):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.linalg.LinearOperatorDiag([1.0, 0.0]).assert_non_singular()
    assert "Condition x < y did not hold.\nFirst 1 elements of x:\n[0.]\nFirst 2 elements of y:\n[1. 0.]" in caught.value.message


def test_what_low_rank_updates_imply(tf):
    diagonal, update = tf.linalg.LinearOperatorDiag, tf.linalg.LinearOperatorLowRankUpdate
    u, base = tf.constant([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]), diagonal([1.0, 2.0, 3.0])
    plain = update(base, u, tf.constant([1.0, 2.0]))
    assert plain.is_self_adjoint is True and plain.is_positive_definite is None and plain.adjoint() is plain
    np.testing.assert_allclose(plain.eigvals(), np.linalg.eigvalsh(plain.to_dense()), rtol=1e-5)
    positive = update(diagonal([1.0, 2.0, 3.0], is_positive_definite=True), u, is_diag_update_positive=True)
    assert (positive.is_self_adjoint, positive.is_positive_definite, positive.is_non_singular) == (True, True, True)
    np.testing.assert_allclose(positive.cholesky().to_dense(), np.linalg.cholesky(positive.to_dense()), rtol=1e-5)
    assert update(base, u, v=u).is_self_adjoint is None
    assert update(base, u, v=tf.ones([3, 1])).v.shape == [3, 1]  # its columns broadcast
    with pytest.raises(ValueError, match=r"A = L \+ UDU\^H, with L self-adjoint and D real diagonal"):
        update(base, u, is_self_adjoint=False)
    with pytest.raises(ValueError, match="Arguments imply this is self-adjoint positive-definite operator"):
        update(diagonal([1.0, 2.0, 3.0], is_positive_definite=True), u, is_positive_definite=False)
    with pytest.raises(ValueError, match="Dimensions 2 and 1 are not compatible"):
        update(base, u, diag_update=[1.0])


def test_errors_of_tridiagonal_operators_and_of_batches(tf):
    ones = tf.ones([3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="has non-conjugate subdiagonal and superdiagonal"):
        tf.linalg.LinearOperatorTridiag([2 * ones, ones, ones], "sequence").assert_self_adjoint()
    parts = [tf.linalg.LinearOperatorDiag(tf.ones([n, 3])) for n in (2, 3)]
    text = (
        "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are either "
        "equal or one of them is 1. Received: (2,) and (3,)."
    )
    with pytest.raises(ValueError, match=re.escape(text)):
        tf.linalg.LinearOperatorBlockDiag(parts).batch_shape


def test_modules_as_parameters_are_read_when_used(tf):
    """As tfp.util.TransformedVariable: a Module with a dtype and a shape, which becomes a tensor."""

    class Doubled(tf.Module):
        def __init__(self, value):
            super().__init__()
            self.held = tf.Variable(value)
            self.dtype, self.shape = self.held.dtype, self.held.shape

        def __rtruediv__(self, other):
            return other / tf.convert_to_tensor(self)

    tf.register_tensor_conversion_function(
        Doubled, lambda value, dtype=None, name=None, as_ref=False: 2.0 * tf.convert_to_tensor(value.held)
    )

    def dense(operator):
        return tf.convert_to_tensor(operator.to_dense())

    linalg, ones = tf.linalg, np.ones([2, 1], np.float32)
    square = [[2.0, 0.0], [1.0, 1.0]]
    for make, value in (
        (linalg.LinearOperatorDiag, [1.0, 3.0]),
        (linalg.LinearOperatorFullMatrix, square),
        (linalg.LinearOperatorLowerTriangular, square),
        (lambda x: linalg.LinearOperatorScaledIdentity(2, x), 3.0),
        (linalg.LinearOperatorCirculant, [1.0, 3.0]),
    ):
        held = Doubled(value)
        operator = make(held)
        before = dense(operator).numpy()
        np.testing.assert_allclose(operator.matmul(tf.cast(ones, operator.dtype)), before @ ones, rtol=1e-6)
        held.held.assign_add(tf.ones_like(held.held))
        assert not np.allclose(dense(operator), before)
        assert [v.ref() for v in operator.trainable_variables] == [held.held.ref()]
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.abs(dense(operator)))
        assert tape.gradient(y, held.held) is not None
    with pytest.raises(TypeError, match="cannot be reference type"):
        linalg.LinearOperatorIdentity(Doubled(2.0))
