"""Local response normalization and its gradient, compared with sums of each window."""

import numpy as np
import pytest
import tracefn as tf
from support.windows import differences

RNG = np.random.default_rng(11)


def norms(x, radius, bias, alpha):
    n = x.shape[-1]
    sums = [(x[..., max(k - radius, 0) : k + radius + 1] ** 2).sum(-1) for k in range(n)]
    return bias + alpha * np.stack(sums, -1)


@pytest.mark.parametrize("radius", (0, 1, 2, 5, 7, 40, 2**31 - 1))
@pytest.mark.parametrize("channels", (1, 6, 11, 33, 100, 5000))
@pytest.mark.parametrize("power", (0.3, 0.5, 0.75, 1.0))
def test_windows_of_channels(channels, radius, power):
    x = RNG.normal(size=(2, 2, 3, channels)).astype(np.float32)
    y = tf.nn.lrn(x, radius, 1.5, 0.3, power)
    reference = x.astype(np.float64)
    if channels > 100 and radius > 100:
        expected = 1.5 + 0.3 * (reference**2).sum(-1, keepdims=True)
    else:
        expected = norms(reference, radius, 1.5, 0.3)
    np.testing.assert_allclose(y, x / expected**power, rtol=1e-5)


@pytest.mark.parametrize("large", (1e10, np.inf, np.nan))
def test_a_large_element_matters_in_its_own_windows_only(large):
    x = np.ones((1, 1, 1, 9), np.float32)
    x[..., 0] = large
    given = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = tf.nn.lrn(given, 1)
    expected = np.array([0.5] * 6 + [3**-0.5], np.float32)
    np.testing.assert_allclose(y[0, 0, 0, 2:], expected, rtol=1e-6)
    dx = tape.gradient(y, given).numpy().ravel()
    inner = tf.constant(np.ones((1, 1, 1, 9), np.float32))
    with tf.GradientTape() as tape:
        tape.watch(inner)
        y = tf.nn.lrn(inner, 1)
    np.testing.assert_allclose(dx[3:], tape.gradient(y, inner).numpy().ravel()[3:], rtol=1e-5)


@pytest.mark.parametrize("radius", (1, 3, 20))
def test_gradient(radius):
    x = RNG.normal(size=(1, 1, 2, 9)).astype(np.float32)

    def total(x):
        norm = norms(np.asarray(x, np.float64), radius, 1.5, 0.3)
        return np.sin(np.asarray(x, np.float64) / norm**0.7).sum()

    given = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = tf.reduce_sum(tf.sin(tf.nn.lrn(given, radius, 1.5, 0.3, 0.7)))
    np.testing.assert_allclose(tape.gradient(y, given), differences(total, [x.astype(np.float64)], 1e-5)[0], atol=1e-5)
