"""Products of Jacobians and vectors of x ** 4, computed through one construct or another, for a module in the place of `tf`."""

import numpy as np


def _loop(tf, x):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1]


def _array(tf, x):
    array = tf.TensorArray(tf.float32, size=2, element_shape=[])
    return array.write(0, x[0] ** 4.0).write(1, x[1] ** 4.0).stack()


# Of two positive numbers.
FOURTH = {
    "plain": lambda tf, x: x**4.0,
    "cond": lambda tf, x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x**4.0, lambda: x),
    "switch_case": lambda tf, x: tf.switch_case(tf.constant(1), [lambda: x, lambda: x**4.0]),
    "while": _loop,
    "function": lambda tf, x: tf.function(lambda x: x * x)(x) ** 2.0,
    "function with a loop": lambda tf, x: tf.function(lambda x: _loop(tf, x))(x),
    "array": lambda tf, x: tf.function(lambda x: _array(tf, x))(x),
    "map_fn": lambda tf, x: tf.map_fn(lambda e: e**4.0, x),
    "py_function": lambda tf, x: tf.py_function(lambda x: x**4.0, [x], tf.float32),
}


def both(tf, function, *arguments):
    """The results of a function, eagerly and traced, as arrays."""
    for run in (function, tf.function(function)):
        yield [np.asarray(y) for y in run(*arguments)]


def check_product(tf, name: str) -> None:
    """Asserts what a forward accumulator finds of a function of FOURTH."""

    def product(x, t):
        with tf.autodiff.ForwardAccumulator(x, t) as acc:
            y = FOURTH[name](tf, x)
        return y, acc.jvp(y)

    for y, jvp in both(tf, product, tf.constant([1.0, 2.0]), tf.constant([0.5, 2.0])):
        np.testing.assert_allclose(y, [1.0, 16.0], rtol=1e-6)
        np.testing.assert_allclose(jvp, [2.0, 64.0], rtol=1e-6)


def check_hessian_product(tf, name: str) -> None:
    """Asserts what a forward accumulator around a tape finds of a function of FOURTH."""

    def product(x, t):
        with tf.autodiff.ForwardAccumulator(x, t) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = FOURTH[name](tf, x)
            slope = tape.gradient(y, x)
        return slope, acc.jvp(slope)

    for slope, jvp in both(tf, product, tf.constant([1.0, 2.0]), tf.constant([0.5, 2.0])):
        np.testing.assert_allclose(slope, [4.0, 32.0], rtol=1e-6)
        np.testing.assert_allclose(jvp, [6.0, 96.0], rtol=1e-6)
