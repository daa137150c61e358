"""Section R of the tracing rules: Jacobian-vector products through every construct, with tapes inside and outside, and Jacobians."""

import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support import fourth_powers

pytestmark = pytest.mark.needs("gradient")

SHAPES = ([2], [None], None)
# tests/grad/test_forward_accumulation.py has those that TensorFlow cannot do, or not in a trace.
FORWARD = ["plain", "cond", "while", "function", "function with a loop", "array", "py_function"]


@pytest.mark.rule(195, 196, 197)
@pytest.mark.parametrize("name", FORWARD)
def test_products(tf, name):
    fourth_powers.check_product(tf, name)


@pytest.mark.rule(195, 196, 197)
@pytest.mark.parametrize("name", ["plain", "function", "array"])
def test_hessian_vector_products(tf, name):
    fourth_powers.check_hessian_product(tf, name)


@pytest.mark.rule(195, 196)
def test_accumulators_nested(tf):
    def derivatives(x):
        one = tf.constant([1.0, 1.0])
        with tf.autodiff.ForwardAccumulator(x, one) as outer:
            with tf.autodiff.ForwardAccumulator(x, one) as inner:
                y = x**4.0
            first = inner.jvp(y)
        return first, outer.jvp(first)

    for first, second in fourth_powers.both(tf, derivatives, tf.constant([1.0, 2.0])):
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


@pytest.mark.rule(200)
def test_jacobians(tf):
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x * x[:, :1]
        return tape.jacobian(y, x), tape.batch_jacobian(y, x)

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for run in (f, tf.function(f)):
        full, batched = run(x)
        assert full.shape == (2, 2, 2, 2)
        assert batched.numpy().tolist() == [[[3.0, 0.0], [4.0, 4.0]], [[27.0, 0.0], [16.0, 24.0]]]


@pytest.mark.rule(200)
def test_forward_accumulation(tf):
    f = tf.function(lambda x: x * x * x)
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 10.0])) as accumulator:
        y = f(x)
    assert accumulator.jvp(y).numpy().tolist() == [3.0, 120.0]


@pytest.mark.rule(195, 196)
def test_forward_accumulation_through_rows(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def f():
        with tf.autodiff.ForwardAccumulator(table, tf.ones([2, 2])) as acc:
            y = tf.gather(table, [1, 1]) ** 2.0
        return acc.jvp(y)

    for run in (f, tf.function(f)):
        assert run().numpy().tolist() == [[6.0, 8.0]] * 2


@pytest.mark.rule(195, 196)
def test_forward_accumulation_follows_what_a_custom_gradient_does(tf):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 100.0 * x

    def products(x):
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            slope = tape.gradient(y, x)
        return slope, acc.jvp(y), acc.jvp(slope)

    for run in (products, tf.function(products)):
        assert [float(r) for r in run(tf.constant(3.0))] == [300.0, 6.0, 100.0]


@pytest.mark.rule(195)
def test_a_product_that_is_asked_for_later_is_differentiated_by_the_accumulator_around(tf):
    x, one = tf.constant(1.1), tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, one) as outer, tf.autodiff.ForwardAccumulator(x, one) as inner:
        y = x**3.5
    first = inner.jvp(y)
    assert outer.jvp(first).numpy() == pytest.approx(3.5 * 2.5 * 1.1**1.5, rel=1e-5)
    assert outer.jvp(y).numpy() == pytest.approx(first.numpy())


@pytest.mark.rule(201)
def test_primals_that_are_added(tf):
    x, y, v = tf.constant(3.0), tf.constant(2.0), tf.Variable(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        accumulator._watch({"y": y, "v": v}, {"y": tf.constant(10.0), "v": 4.0})
        square = x * x
        accumulator._watch(square, 5.0)  # it has a tangent already
        results = [x * y, x * v, square * x, square, x, v]
    assert [float(accumulator.jvp(result)) for result in results] == [32.0, 14.0, 42.0, 11.0, 1.0, 4.0]
    with tf.autodiff.ForwardAccumulator(v, tf.constant(1.0)) as accumulator:
        accumulator._watch(v, 4.0)
        product = x * v
    assert (float(accumulator.jvp(product)), float(accumulator.jvp(v))) == (15.0, 5.0)
    assert accumulator.jvp(y) is None
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        accumulator._watch({"a": y}, {"b": y})
