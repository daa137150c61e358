"""Section R of the tracing rules, further forms: loops and lists, several tapes, gradients of a graph."""

import numpy as np
import pytest

pytestmark = pytest.mark.needs("gradient")


@pytest.mark.rule(197)
@pytest.mark.needs("autograph")
def test_gradients_of_lists_written_in_loops(tf):
    @tf.function
    def f(x):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        total = tf.constant(0.0)
        for i in tf.range(3):
            if i % 2 == 0:
                total += x * tf.cast(i, tf.float32)
            else:
                total *= x
            array = array.write(i, total)
        return tf.reduce_sum(array.stack())

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert (y.numpy(), tape.gradient(y, x).numpy()) == (4.0, 2.0)


@pytest.mark.rule(197, 200)
@pytest.mark.needs("autograph")
def test_second_order_through_a_loop(tf):
    @tf.function
    def f(x):
        y = x
        for _ in tf.range(3):
            y = y * x
        return y

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        slope = tf.function(lambda x: tf.gradients(f(x), x)[0])(x)
        y = f(x)
        same = tape.gradient(y, x)
    assert (slope.numpy(), same.numpy()) == (32.0, 32.0)
    assert tape.gradient(slope, x).numpy() == tape.gradient(same, x).numpy() == 48.0


@pytest.mark.rule(197, 202)
@pytest.mark.needs("autograph")
def test_a_training_loop_in_one_function(tf):
    w = tf.Variable(0.0)

    @tf.function
    def fit(steps):
        loss = tf.constant(0.0)
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                loss = (w * 2.0 - 6.0) ** 2.0
            w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    assert fit(tf.constant(1)).numpy() == 36.0
    assert fit(tf.constant(20)).numpy() < 1e-6 and abs(w.numpy() - 3.0) < 1e-3


@pytest.mark.rule(196)
def test_gradients_of_a_graph(tf):
    v = tf.Variable(3.0)

    @tf.function
    def f(x):
        y = x * x * v
        z = tf.cond(y > 0.0, lambda: y + x, lambda: y)
        return tf.gradients(z, [x, y]), tf.gradients(z, x, grad_ys=[10.0]), tf.gradients(z, x, stop_gradients=[y])

    first, weighted, stopped = f(tf.constant(2.0))
    assert [g.numpy() for g in first] == [13.0, 1.0]
    assert (weighted[0].numpy(), stopped[0].numpy()) == (130.0, 1.0)


@pytest.mark.rule(197)
def test_sources_of_a_graph_that_are_numbers(tf):
    with tf.Graph().as_default():
        x = tf.constant(2.0)
        y = x * 0.5
        assert tf.gradients(y, 0.5) == [None] and tf.gradients(y, [np.ones(2)]) == [None]
        slope, none = tf.gradients(y, [x, 0.5])
        assert slope is not None and none is None
        _, zero = tf.gradients(y, [x, [1.0, 2.0]], unconnected_gradients="zero")
        assert zero.shape == [2] and zero.dtype == tf.float32
        with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'op'"):
            tf.gradients(y, [x, None])
        with pytest.raises(TypeError, match="Failed to convert elements of <object"):
            tf.gradients(y, object())


@pytest.mark.rule(198)
def test_the_slope_of_a_linear_function(tf):
    f = tf.function(lambda x: x * 8.0)
    x = tf.constant(2.0)
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as first:
            first.watch(x)
            y = f(x)
        slope = first.gradient(y, x)
    assert second.gradient(slope, x).numpy() == 0.0


@pytest.mark.rule(201)
def test_several_tapes(tf):
    a, b = tf.constant(1.0), tf.constant(2.0)
    f = tf.function(lambda a, b: a * b * b)
    with tf.GradientTape() as first, tf.GradientTape() as second:
        first.watch(a)
        second.watch(b)
        y = f(a, b)
    assert first.gradient(y, {"a": a, "b": b})["a"].numpy() == 4.0
    found = second.gradient(y, {"a": a, "b": b})
    assert found["a"] is None and found["b"].numpy() == 4.0


@pytest.mark.rule(195)
def test_py_function(tf):
    f = tf.function(lambda x: tf.py_function(lambda q: q * q * q, [x], tf.float32) * x)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert (y.numpy(), tape.gradient(y, x).numpy()) == (16.0, 32.0)


@pytest.mark.rule(196)
def test_gradients_across_graphs(tf):
    weight = tf.Variable(2.0)

    @tf.function
    def in_a_branch(x):
        y = x * x * weight
        slopes = lambda: tf.gradients(y * 3.0, [x, y])
        return tf.cond(x > 0.0, slopes, lambda: [x, x])

    assert [float(g) for g in in_a_branch(tf.constant(5.0))] == [60.0, 3.0]

    @tf.function
    def stopped(x):
        y = x * x
        slopes = lambda: tf.gradients(y * x, [x, y], stop_gradients=[y])
        return tf.cond(x > 0.0, slopes, lambda: [x, x])

    assert [float(g) for g in stopped(tf.constant(5.0))] == [25.0, 5.0]

    @tf.function
    def through_a_node(x):
        y = tf.cond(x > 1.0, lambda: x * x * x, lambda: x)
        return tf.cond(x > 0.0, lambda: tf.gradients(y * 2.0, x)[0], lambda: x)

    assert float(through_a_node(tf.constant(5.0))) == 150.0

    @tf.function
    def in_a_loop(x):
        y = tf.sin(x)
        return tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + tf.gradients(y * s, s)[0]), (0, x))[1]

    x = tf.constant(0.5)
    np.testing.assert_allclose(in_a_loop(x).numpy(), 0.5 + 3 * np.sin(0.5), rtol=1e-6)


@pytest.mark.rule(197)
def test_no_gradient_through_a_loop_without_back_prop(tf):
    @tf.function
    def f(x):
        return tf.while_loop(lambda v: v < 8.0, lambda v: v * v, [x], back_prop=False)[0]

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert y.numpy() == 16 and tape.gradient(y, x) is None


WITHOUT_FLOW = {
    "passed on": lambda tf, x, y: tf.while_loop(lambda i, *_: i < 3, lambda i, a, b: (i + 1, a * 2.0, b), [0, x, y])[1],
    "unused": lambda tf, x, y: tf.while_loop(lambda i, *_: i < 3, lambda i, a, b: (i + 1, a * 2.0, 3 * b), [0, x, y])[1],
    "stopped": lambda tf, x, y: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * tf.stop_gradient(y)), [0, x])[1],
    "of the condition": lambda tf, x, y: tf.while_loop(lambda a: a < 20.0 * y, lambda a: (a * 2.0,), [x])[0],
    "mapped": lambda tf, x, y: tf.map_fn(lambda e: e * tf.stop_gradient(y), tf.stack([x, x])),
}  # fmt: skip


@pytest.mark.rule(197)
@pytest.mark.parametrize("case", WITHOUT_FLOW)
def test_inputs_of_loops_without_a_gradient_have_zeros(tf, case):
    @tf.function
    def gradient(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            result = WITHOUT_FLOW[case](tf, x, y)
        return tape.gradient(result, [x, y])

    found = gradient(tf.constant(2.0), tf.constant(3.0))
    assert found[0] != 0.0 and found[1] == 0.0


@pytest.mark.rule(197)
def test_loops_that_stop_all_gradients(tf):
    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.stop_gradient(a)), [0, x])[1]
        return tape.gradient(result, x)

    assert gradient(tf.constant(2.0)) == 0.0


@pytest.mark.rule(197)
def test_strings_have_no_gradient(tf):
    text = tf.constant("a")
    with tf.GradientTape() as tape:
        tape.watch(text)
    assert tape.gradient(text, text) is None
