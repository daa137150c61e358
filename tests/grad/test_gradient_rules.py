"""Gradients of the ops by their samples: against finite differences, to second order, and the same in every way."""

import numpy as np
import pytest
import tracefn as tf
from grad.ways import assert_equal_ways, finite_differences, second
from support.array_samples import MATRIX
from support.elementwise_samples import BINARY, OP_DEFS, UNARY, dtypes_of, sample

# Not smooth where the samples lie, or without a derivative: first order is zero or not defined.
FLAT = {"Sign", "Floor", "Ceil", "Round", "Rint", "NextAfter", "FloorDiv", "TruncateDiv", "FloorMod", "TruncateMod", "Mod"}
WITHOUT = {"IsNan", "IsInf", "IsFinite", "Invert", "LogicalNot"}
COMPARISONS = {"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"}


def raw(op):
    """The op as a function of its tensors."""
    names = [a["name"] for a in OP_DEFS[op]["inputs"]]
    return lambda *xs: getattr(tf.raw_ops, op)(**dict(zip(names, xs, strict=True)))


def squares(function):
    """A function whose second derivative says something for linear ops too."""

    def run(*xs):
        y = tf.convert_to_tensor(function(*xs))
        weights = tf.reshape(tf.range(1.0, tf.cast(tf.size(y), tf.float32) + 1.0), tf.shape(y))
        return tf.reduce_sum(y * y * tf.cast(weights, y.dtype) / 7.0)

    return run


def check(function, values):
    arguments = [tf.constant(v) for v in values]
    first = assert_equal_ways(function, arguments, rtol=1e-9, atol=1e-9)
    for got, wanted in zip(first, finite_differences(function, values), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)

    def slope(*xs):
        # The gradient as a function, for differences of it.
        with tf.GradientTape() as tape:
            tape.watch(list(xs))
            y = function(*xs)
        found = tape.gradient(y, list(xs), unconnected_gradients="zero")
        return tf.add_n([tf.reduce_sum(tf.convert_to_tensor(g) ** 2.0) for g in found])

    curvature = assert_equal_ways(function, arguments, second, rtol=1e-8, atol=1e-8)
    for got, wanted in zip(curvature, finite_differences(slope, values), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4 * max(1.0, float(np.abs(wanted).max(initial=0.0))))


@pytest.mark.parametrize("op", [op for op in UNARY if "float64" in dtypes_of(op) and op not in FLAT | WITHOUT])
def test_unary(op):
    check(squares(raw(op)), [sample(op, "float64", (3,), 0)])


@pytest.mark.parametrize("op", [op for op in BINARY if "float64" in dtypes_of(op) and op not in FLAT | COMPARISONS])
@pytest.mark.parametrize("shapes", [((2, 3), (3,)), ((), (2,)), ((2, 1), (1, 2))], ids=str)
def test_binary_with_broadcasting(op, shapes):
    values = [sample(op, "float64", shape, place) for place, shape in enumerate(shapes)]
    check(squares(raw(op)), values)


@pytest.mark.parametrize("op", sorted(FLAT & set(UNARY)))
def test_flat_ops(op):
    x = tf.constant(sample(op, "float64", (3,), 0))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = raw(op)(x)
    slope = tape.gradient(y, x)
    assert slope is None or not slope.numpy().any()


@pytest.mark.parametrize("name", [name for name, (_, _, dtypes) in MATRIX.items() if "float64" in dtypes])
def test_array_functions(name):
    function = MATRIX[name][0]
    x = np.linspace(0.3, 2.1, 6).reshape(2, 3)
    if not tf.convert_to_tensor(function(tf.constant(x))).dtype.is_floating:
        pytest.skip("no derivative")
    if name in {"argsort", "one_hot"}:
        pytest.skip("integer results")
    check(squares(function), [x])


FUNCTIONS = {
    "reduce_sum": lambda x: tf.reduce_sum(x, 1),
    "reduce_mean": lambda x: tf.reduce_mean(x, 0, keepdims=True),
    "reduce_prod": lambda x: tf.reduce_prod(x, 1),
    "reduce_max": lambda x: tf.reduce_max(x, 1),
    "reduce_min": lambda x: tf.reduce_min(x, [0, 1]),
    "reduce_std": lambda x: tf.math.reduce_std(x, 1),
    "reduce_variance": lambda x: tf.math.reduce_variance(x, 0),
    "reduce_logsumexp": lambda x: tf.reduce_logsumexp(x, 1),
    "norm": lambda x: tf.norm(x, axis=1),
    "softmax": tf.nn.softmax,
    "log_softmax": lambda x: tf.nn.log_softmax(x, 0),
    "softmax_cross_entropy": lambda x: tf.nn.softmax_cross_entropy_with_logits(
        tf.constant([[0.2, 0.8, 0.0], [0.0, 0.5, 0.5]], tf.float64), x
    ),
    "sparse_softmax_cross_entropy": lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([2, 0], x),
    "sigmoid_cross_entropy": lambda x: tf.nn.sigmoid_cross_entropy_with_logits(labels=0.3 * tf.ones_like(x), logits=x),
    "bias_add": lambda x: tf.nn.bias_add(x, x[0]),
    "matmul": lambda x: tf.matmul(x, x, transpose_b=True),
    "matmul_of_a_batch": lambda x: tf.matmul(tf.stack([x, 2.0 * x]), x, transpose_a=True),
    "matvec": lambda x: tf.linalg.matvec(x, x[1]),
    "tensordot": lambda x: tf.tensordot(x, x, [[1], [1]]),
    "cumsum": lambda x: tf.cumsum(x, 1, exclusive=True),
    "cumprod": lambda x: tf.math.cumprod(x, 1, reverse=True),
    "clip_by_value": lambda x: tf.clip_by_value(x, 0.5, 1.5),
    "where": lambda x: tf.where(x > 1.0, x * x, tf.sin(x)),
    "maximum": lambda x: tf.maximum(x, x[0]),
    "gather": lambda x: tf.gather(x, [1, 0, 1]),
    "strided": lambda x: x[::-1, 1:],
    "scatter": lambda x: tf.tensor_scatter_nd_add(x, [[0, 1], [1, 1]], x[:, 0]),
    "scatter_nd": lambda x: tf.scatter_nd([[2], [0]], x, [4, 3]),
    "segment_sum": lambda x: tf.math.segment_sum(x, [0, 0]),
    "unsorted_segment_sum": lambda x: tf.math.unsorted_segment_sum(x, [2, 2], 3),
    "stack": lambda x: tf.stack([x, x * x], 1),
    "add_n": lambda x: tf.add_n([x, x, x * x]),
    "einsum": lambda x: tf.einsum("ij,kj->ik", x, x),
    "eye": lambda x: tf.eye(2, dtype=tf.float64) @ x,
    "diag": lambda x: tf.linalg.diag(x[0]) @ tf.transpose(x),
    "trace": lambda x: tf.linalg.trace(tf.matmul(x, x, transpose_b=True)),
    "map_fn": lambda x: tf.map_fn(lambda row: row * row[0], x),
    "stop_gradient": lambda x: x * tf.stop_gradient(tf.ones_like(x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    random = np.random.default_rng([*name.encode()])
    check(squares(FUNCTIONS[name]), [random.uniform(0.3, 2.0, (2, 3))])


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", "complex128"])
def test_every_dtype_of_arithmetic(dtype):
    x = (np.linspace(0.5, 1.5, 4) * (1.0 + 0.5j if dtype.startswith("complex") else 1.0)).astype(dtype)

    def f(x):
        y = x * x + tf.exp(x) / x
        if tf.math.real(y[0]) > 0.0:
            y = y * y - x
        return y

    loose = {"float16": 2e-2, "float32": 1e-4, "complex64": 1e-4, "complex128": 1e-9}[dtype]
    (slope,) = assert_equal_ways(f, [tf.constant(x)], rtol=loose, atol=loose)
    assert slope.dtype == dtype


@pytest.mark.parametrize("function", [tf.reduce_sum, tf.reduce_mean, tf.sin, lambda x: x @ tf.transpose(x)])
def test_empty_tensors(function):
    (slope,) = assert_equal_ways(lambda x: tf.reduce_sum(function(x)), [tf.zeros([0, 3], tf.float64)])
    assert slope.shape == (0, 3)


def test_the_same_input_twice():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64)
    (slope,) = assert_equal_ways(lambda x: tf.reduce_sum(x @ x * x), [x])
    np.testing.assert_allclose(slope, finite_differences(lambda x: tf.reduce_sum(x @ x * x), [x.numpy()])[0], rtol=1e-6)
