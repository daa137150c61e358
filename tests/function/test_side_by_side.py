"""Independent heavy nodes of one function run side by side: same values, same order of effects, same errors."""

import numpy as np
import pytest
import tracefn as tf

N = 130
RNG = np.random.default_rng(7)


def positive(n: int = N) -> np.ndarray:
    """A well-conditioned positive definite matrix."""
    a = RNG.standard_normal((n, n)).astype(np.float32)
    return a @ a.T + n * np.eye(n, dtype=np.float32)


def test_branches_that_start_from_one_tensor():
    @tf.function
    def f(x):
        left = tf.linalg.cholesky(x + tf.eye(N))
        right = tf.linalg.cholesky(x * 2.0)
        sums = tf.cumsum(x, axis=1)
        return left, right, sums, tf.linalg.cholesky(left @ tf.transpose(left))

    x = positive()
    for _ in range(5):
        left, right, sums, again = f(x)
        np.testing.assert_allclose(left, np.linalg.cholesky(x + np.eye(N, dtype=np.float32)), rtol=2e-4, atol=1e-3)
        np.testing.assert_allclose(right, np.linalg.cholesky(x * 2), rtol=2e-4, atol=1e-3)
        np.testing.assert_allclose(sums, np.cumsum(x, axis=1), rtol=1e-4, atol=1e-2)
        np.testing.assert_allclose(again, left, rtol=2e-3, atol=1e-2)


def test_a_variable_is_read_before_its_assignment():
    v = tf.Variable(positive())

    @tf.function
    def f():
        before = tf.linalg.cholesky(v)
        v.assign(v * 4.0)
        return before, tf.linalg.cholesky(v)

    for _ in range(4):
        before, after = f()
        np.testing.assert_allclose(after, before * 2, rtol=1e-4)


def test_operands_are_not_overwritten_while_others_read_them():
    @tf.function
    def f(x):
        y = x + 1.0
        return y @ y, tf.linalg.inv(y), tf.sort(tf.reshape(y, [-1])), tf.nn.relu(y)

    x = positive()
    for _ in range(6):
        product, inverse, ordered, kept = f(x)
        y = x + 1
        np.testing.assert_allclose(product, y @ y, rtol=1e-3)
        np.testing.assert_allclose(inverse @ y, np.eye(N), atol=1e-2)
        np.testing.assert_array_equal(ordered, np.sort(y, axis=None))
        np.testing.assert_array_equal(kept, np.maximum(y, 0))


def test_an_error_names_the_node_that_comes_first():
    @tf.function
    def f(x, y):
        first = tf.linalg.inv(x, name="first")
        second = tf.linalg.inv(y, name="second")
        return first + second

    x, singular = positive(), np.zeros([N, N], np.float32)
    for _ in range(4):
        f(x, x)
    for arguments, node in (((singular, singular), "first"), ((x, singular), "second")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"node {node}"):
            f(*arguments)
    np.testing.assert_allclose(f(x, x) @ x, 2 * np.eye(N), atol=1e-2)


def test_in_a_loop_and_its_gradient():
    @tf.function
    def f(x, w):
        a = b = x
        for _ in tf.range(3):
            a, b = tf.tanh(a @ w), tf.tanh(b @ tf.transpose(w))
        return tf.reduce_sum(a * b), a, b

    x, w = (RNG.standard_normal((N, N)).astype(np.float32) / 12 for _ in range(2))
    a = b = x
    for _ in range(3):
        a, b = np.tanh(a @ w), np.tanh(b @ w.T)
    for _ in range(4):
        tensor = tf.constant(w)
        with tf.GradientTape() as tape:
            tape.watch(tensor)
            total, ours_a, ours_b = f(x, tensor)
        np.testing.assert_allclose(ours_a, a, atol=1e-4)
        np.testing.assert_allclose(ours_b, b, atol=1e-4)
        slope = tape.gradient(total, tensor)
    step = np.zeros_like(w)
    step[3, 5] = 1e-2
    numeric = (f(x, tf.constant(w + step))[0] - f(x, tf.constant(w - step))[0]) / 2e-2
    np.testing.assert_allclose(slope[3, 5], numeric, rtol=0.05, atol=0.05)
