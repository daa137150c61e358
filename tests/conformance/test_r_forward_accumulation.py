"""Section R of the tracing rules: Jacobian-vector products through every construct, with tapes inside and outside, and Jacobians."""

import numpy as np
import pytest

pytestmark = pytest.mark.needs("gradient")

SHAPES = ([2], [None], None)


def _loop(tf, x):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1]


def _array(tf, x):
    array = tf.TensorArray(tf.float32, size=2, element_shape=[])
    return array.write(0, x[0] ** 4.0).write(1, x[1] ** 4.0).stack()


# Each is x ** 4, for positive x; tests/grad/test_forward_accumulation.py has more than TensorFlow can do.
FOURTH = {
    "plain": lambda tf, x: x**4.0,
    "cond": lambda tf, x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x**4.0, lambda: x),
    "while": _loop,
    "function": lambda tf, x: tf.function(lambda x: x * x)(x) ** 2.0,
    "function with a loop": lambda tf, x: tf.function(lambda x: _loop(tf, x))(x),
    "array": lambda tf, x: tf.function(lambda x: _array(tf, x))(x),
    "py_function": lambda tf, x: tf.py_function(lambda x: x**4.0, [x], tf.float32),
}


def _both(tf, function, *arguments):
    """The results of a function, eagerly and traced, as arrays."""
    for run in (function, tf.function(function)):
        yield [np.asarray(y) for y in run(*arguments)]


@pytest.mark.rule(195, 196, 197)
@pytest.mark.parametrize("name", FOURTH)
def test_products(tf, name):
    def products(x, t):
        with tf.autodiff.ForwardAccumulator(x, t) as acc:
            y = FOURTH[name](tf, x)
        return y, acc.jvp(y)

    for y, jvp in _both(tf, products, tf.constant([1.0, 2.0]), tf.constant([0.5, 2.0])):
        np.testing.assert_allclose(y, [1.0, 16.0], rtol=1e-6)
        np.testing.assert_allclose(jvp, [2.0, 64.0], rtol=1e-6)


@pytest.mark.rule(195, 196, 197)
@pytest.mark.parametrize("name", ["plain", "function", "array"])
def test_hessian_vector_products(tf, name):
    def products(x, t):
        with tf.autodiff.ForwardAccumulator(x, t) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = FOURTH[name](tf, x)
            slope = tape.gradient(y, x)
        return slope, acc.jvp(slope)

    for slope, jvp in _both(tf, products, tf.constant([1.0, 2.0]), tf.constant([0.5, 2.0])):
        np.testing.assert_allclose(slope, [4.0, 32.0], rtol=1e-6)
        np.testing.assert_allclose(jvp, [6.0, 96.0], rtol=1e-6)


@pytest.mark.rule(195, 196)
def test_accumulators_nested(tf):
    def derivatives(x):
        one = tf.constant([1.0, 1.0])
        with tf.autodiff.ForwardAccumulator(x, one) as outer:
            with tf.autodiff.ForwardAccumulator(x, one) as inner:
                y = x**4.0
            first = inner.jvp(y)
        return first, outer.jvp(first)

    for first, second in _both(tf, derivatives, tf.constant([1.0, 2.0])):
        np.testing.assert_allclose(first, [4.0, 32.0], rtol=1e-6)
        np.testing.assert_allclose(second, [12.0, 48.0], rtol=1e-6)


@pytest.mark.rule(195)
def test_structures_and_variables(tf):
    x, w = tf.constant(3.0), tf.Variable(2.0)
    tangents = {"x": tf.constant(1.0), "w": [tf.constant(10.0)]}
    with tf.autodiff.ForwardAccumulator({"x": x, "w": [w]}, tangents) as acc:
        y = {"product": x * w, "rest": [x, tf.constant(1.0)]}
        inside = acc.jvp(y["product"])
    found = acc.jvp(y)
    assert float(found["product"]) == float(inside) == 32.0 and float(found["rest"][0]) == 1.0
    assert found["rest"][1] is None
    assert float(acc.jvp(y, unconnected_gradients="zero")["rest"][1]) == 0.0
    assert float(acc.jvp(w)) == 10.0
    assert acc.jvp(x * 5.0) is None  # made outside


@pytest.mark.rule(195, 196)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("in_one_go", [True, False])
def test_jacobians_of_any_shape(tf, shape, in_one_go):
    def rows(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * tf.reduce_sum(x)
        return tape.jacobian(y, x, experimental_use_pfor=in_one_go)

    found = tf.function(rows, input_signature=[tf.TensorSpec(shape)])(tf.constant([1.0, 2.0]))
    assert found.numpy().tolist() == [[4.0, 1.0], [2.0, 5.0]]


@pytest.mark.rule(195, 196)
@pytest.mark.parametrize("shape", ([2, 2], [2, None], [None, 2]))
@pytest.mark.parametrize("in_one_go", [True, False])
def test_jacobians_of_batches(tf, shape, in_one_go):
    def rows(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x[:, :1] * x
        return tape.batch_jacobian(y, x, experimental_use_pfor=in_one_go)

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    found = tf.function(rows, input_signature=[tf.TensorSpec(shape)])(x)
    assert found.numpy().tolist() == [[[2.0, 0.0], [2.0, 1.0]], [[6.0, 0.0], [4.0, 3.0]]]


@pytest.mark.rule(195, 196)
@pytest.mark.parametrize("shape", SHAPES[:2])
def test_hessians_of_a_graph(tf, shape):
    def rows(x):
        return tf.hessians([tf.reduce_sum(x**3.0), x[0] * x[1]], [x, x])

    first, second = tf.function(rows, input_signature=[tf.TensorSpec(shape)])(tf.constant([1.0, 2.0]))
    assert first.numpy().tolist() == second.numpy().tolist() == [[6.0, 1.0], [1.0, 12.0]]
