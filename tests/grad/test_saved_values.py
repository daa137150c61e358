"""What a differentiated forward program keeps: only what the way back reads and cannot have more cheaply."""

import numpy as np
import pytest
import tracefn as tf
from grad.ways import assert_equal_ways, second


def sums(x):
    # The way back needs nothing of y: x is the same in every step, 0.5 is constant.
    y = x
    for _ in tf.range(5):
        y = y * 0.5 + x
    return y


def squares(x):
    # y is read by the way back.
    y = x
    for _ in tf.range(5):
        y = y * y
    return y


def counted(x):
    # The factor is made from the counter, which is counted back.
    y = x
    for i in tf.range(2, 9, 3):
        y = y * (tf.cast(i, x.dtype) + 0.5)
    return y


def alike(x):
    # sin(x) is the same in every step: it is kept once.
    y = x
    for _ in tf.range(4):
        y = y * tf.sin(x)
    return tf.reduce_sum(y)


def cheap(x):
    # 2 y, 3 y and y + 1 are computed again from y.
    y = x
    for _ in tf.range(3):
        y = (2.0 * y) * (3.0 * y) / (y + 1.0)
    return y


def masked(x):
    # The condition alone is kept, not what it was made from.
    y = x
    for _ in tf.range(3):
        y = tf.where(y > 0.3, y * 0.5, -y)
    return y


# function: lists that the forward loop pushes to
LOOPS = {sums: 0, squares: 1, counted: 0, alike: 1, cheap: 1, masked: 1}


def differentiated(function, shape=()):
    """The text of the graph of a gradient, differentiated where it is traced."""

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return gradient.get_concrete_function(tf.TensorSpec(shape, tf.float64)).graph.text()


@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_a_loop_keeps_little(function):
    assert differentiated(function).count("= TensorListPushBack[") == LOOPS[function]


@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_the_gradients_stay_what_they_were(function, shape):
    x = [tf.constant(np.linspace(0.4, 0.9, int(np.prod(shape, dtype=int))).reshape(shape))]
    assert_equal_ways(function, x, rtol=1e-12, atol=1e-12)
    assert_equal_ways(function, x, second, rtol=1e-10, atol=1e-10)


def test_lists_know_how_long_they_get():
    @tf.function
    def gradient(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(n):
                y = y * y
        return tape.gradient(y, x)

    spec = tf.TensorSpec((), tf.float64), tf.TensorSpec((), tf.int32)
    text = gradient.get_concrete_function(*spec).graph.text()
    (line,) = [line for line in text.splitlines() if "= EmptyTensorList[" in line]
    room = line.split("](")[1].split(")")[0].split(", ")[1].removesuffix(":0")
    assert any(f" {room} = Maximum[T=DT_INT32](n:0, " in other for other in text.splitlines())


@pytest.mark.parametrize("n", [0, 1, 7])
def test_a_length_that_is_an_argument(n):
    def power(x, n):
        y = x
        for _ in tf.range(n):
            y = y * y * 0.9
        return y

    x = tf.constant(0.95, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, n)
    wanted = float(tape.gradient(y, x))
    traced = tf.function(power)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = traced(x, tf.constant(n))
    np.testing.assert_allclose(float(tape.gradient(y, x)), wanted, rtol=1e-12)


def test_a_branch_gets_what_is_at_hand():
    def function(x):
        return tf.cond(x > 0.0, lambda: (x + 1.0) * (x * 2.0), lambda: tf.exp(x) * x)

    # In the first branch everything is made from x, in the second exp(x) is kept.
    text = differentiated(function)
    (forward,) = [line for line in text.splitlines() if "= StatelessIf[" in line and "rewritten" in line]
    assert "Tout=[DT_DOUBLE, DT_DOUBLE]" in forward
    for value in (0.7, -0.7):
        assert_equal_ways(function, [tf.constant(value, tf.float64)], second, rtol=1e-12, atol=1e-12)


def test_nothing_is_left_over_in_an_exported_gradient():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(x[0] > 0.0, lambda: tf.tanh(x) * v * x * 3.0, lambda: x)
        return tape.gradient(y, [x, v])

    text = str(f.get_concrete_function(tf.constant([1.0, 2.0])).graph.as_graph_def())
    functions = text[text.index("library {") :]
    assert functions.count("function {") > 2 and 'op: "Placeholder"' not in functions
