"""Programs of `tf.experimental.numpy` in Functions: loops that AutoGraph stages, gradients, Variables, unknown sizes."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface", 27)


def test_a_network_trains(tf):
    t = tf.experimental.numpy
    random = np.random.default_rng(1)
    x, y = random.normal(size=(64, 3)), random.normal(size=(64, 1))
    weights = [tf.Variable(random.normal(size=s) * 0.5) for s in ((3, 8), (8,), (8, 1), (1,))]

    def predict(x):
        hidden = t.maximum(t.add(t.matmul(x, weights[0]), weights[1]), 0)
        return t.add(t.matmul(hidden, weights[2]), weights[3])

    @tf.function
    def train(x, y, steps):
        loss = tf.zeros([], tf.float64)
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                loss = t.mean(t.square(t.subtract(predict(x), y)))
            for variable, gradient in zip(weights, tape.gradient(loss, weights)):
                variable.assign_sub(0.1 * gradient)
        return loss

    first = train(x, y, 1)
    last = train(x, y, tf.constant(50))
    assert last < 0.9 * first


def test_a_loop_over_arrays_is_staged(tf, traces):
    t = tf.experimental.numpy

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def running_maximum(x):
        traces.append(1)
        best = x[0]
        found = tf.TensorArray(tf.float32, tf.size(x))
        for i in tf.range(tf.size(x)):
            if t.greater(x[i], best):
                best = x[i]
            found = found.write(i, best)
        return found.stack()

    for values in ([1.0, 3.0, 2.0, 5.0], [2.0, 1.0]):
        np.testing.assert_array_equal(running_maximum(tf.constant(values)), np.maximum.accumulate(values))
    assert len(traces) == 1


@pytest.mark.parametrize("sizes", [(4, 3), (2, 5)])
def test_unknown_sizes(tf, sizes):
    t = tf.experimental.numpy

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float64)])
    def standardize(x):
        scaled = t.divide(t.subtract(x, t.mean(x, axis=0)), t.std(x, axis=0))
        return scaled, t.matmul(t.transpose(scaled), scaled), t.tile(scaled, (2, 1)), t.where(t.less(scaled, 0), 0, scaled)

    x = np.random.default_rng(2).normal(size=sizes)
    scaled = (x - x.mean(0)) / x.std(0)
    wanted = [scaled, scaled.T @ scaled, np.tile(scaled, (2, 1)), np.where(scaled < 0, 0, scaled)]
    for got, want in zip(standardize(x), wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


def test_gradients_through_indices_and_sorting(tf):
    t = tf.experimental.numpy
    x = tf.constant([3.0, 1.0, 2.0, 5.0])

    @tf.function
    def compute(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            largest = t.take(t.sort(x), [3, 2])
            y = t.sum(t.multiply(largest, [1.0, 10.0])) + t.sum(t.cumsum(x))
        return y, tape.gradient(y, x)

    y, gradient = compute(x)
    assert float(y) == 5 + 30 + (3 + 4 + 6 + 11)
    assert gradient.numpy().tolist() == [4 + 10, 3, 2, 1 + 1]


def test_second_derivatives(tf):
    t = tf.experimental.numpy
    x = tf.constant([0.5, 1.5], tf.float64)

    @tf.function
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = t.sum(t.sin(x) ** 2 + t.logaddexp(x, 2.0))
            first = inner.gradient(y, x)
        return outer.gradient(first, x)

    share = 1 / (1 + np.exp(2 - x.numpy()))
    np.testing.assert_allclose(second(x), 2 * np.cos(2 * x.numpy()) + share * (1 - share), rtol=1e-9)


def test_nothing_is_repeated(tf):
    t = tf.experimental.numpy
    assert t.repeat(t.zeros([0]), t.zeros([0], int)).shape == (0,)
    assert t.repeat(t.zeros([0, 2]), t.zeros([0], int), axis=0).shape == (0, 2)
    assert t.repeat([1, 2], 0).shape == (0,)
