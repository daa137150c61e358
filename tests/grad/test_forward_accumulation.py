"""Jacobian-vector products through every construct, also where TensorFlow has none, with tapes inside and outside."""

import numpy as np
import pytest
import tracefn as tf


def _loop(x):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1]


def _array(x):
    array = tf.TensorArray(tf.float32, size=2, element_shape=[])
    return array.write(0, x[0] ** 4.0).write(1, x[1] ** 4.0).stack()


# Each is x ** 4, for positive x.
FOURTH = {
    "plain": lambda x: x**4.0,
    "cond": lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x**4.0, lambda: x),
    "switch_case": lambda x: tf.switch_case(tf.constant(1), [lambda: x, lambda: x**4.0]),
    "while": _loop,
    "function": lambda x: tf.function(lambda x: x * x)(x) ** 2.0,
    "function with a loop": lambda x: tf.function(lambda x: _loop(x))(x),
    "array": lambda x: tf.function(lambda x: _array(x))(x),
    "map_fn": lambda x: tf.map_fn(lambda e: e**4.0, x),
    "py_function": lambda x: tf.py_function(lambda x: x**4.0, [x], tf.float32),
}


def _both(function, *arguments):
    """The results of a function, eagerly and traced, as arrays."""
    for run in (function, tf.function(function)):
        yield [np.asarray(y) for y in run(*arguments)]


@pytest.mark.parametrize("name", FOURTH)
def test_products(name):
    def products(x, t):
        with tf.autodiff.ForwardAccumulator(x, t) as acc:
            y = FOURTH[name](x)
        return y, acc.jvp(y)

    for y, jvp in _both(products, tf.constant([1.0, 2.0]), tf.constant([0.5, 2.0])):
        np.testing.assert_allclose(y, [1.0, 16.0], rtol=1e-6)
        np.testing.assert_allclose(jvp, [2.0, 64.0], rtol=1e-6)


@pytest.mark.parametrize("name", [n for n in FOURTH if n != "py_function"])
def test_hessian_vector_products(name):
    def products(x, t):
        with tf.autodiff.ForwardAccumulator(x, t) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = FOURTH[name](x)
            slope = tape.gradient(y, x)
        return slope, acc.jvp(slope)

    for slope, jvp in _both(products, tf.constant([1.0, 2.0]), tf.constant([0.5, 2.0])):
        np.testing.assert_allclose(slope, [4.0, 32.0], rtol=1e-6)
        np.testing.assert_allclose(jvp, [6.0, 96.0], rtol=1e-6)


def test_a_tape_outside_and_accumulators_nested():
    def derivatives(x):
        one = tf.constant([1.0, 1.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, one) as outer:
                with tf.autodiff.ForwardAccumulator(x, one) as inner:
                    y = x**4.0
                first = inner.jvp(y)
            second = outer.jvp(first)
        return first, second, tape.gradient(second, x)

    for first, second, third in _both(derivatives, tf.constant([1.0, 2.0])):
        np.testing.assert_allclose(first, [4.0, 32.0], rtol=1e-6)
        np.testing.assert_allclose(second, [12.0, 48.0], rtol=1e-6)
        np.testing.assert_allclose(third, [24.0, 48.0], rtol=1e-6)
