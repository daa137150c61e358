"""Loops over arrays whose number of iterations scalars decide give the same results block by block as op by op."""

import signal

import numpy as np
import pytest
import tracefn as tf


def mandelbrot(cx, cy, n):
    zx, zy, count = tf.zeros_like(cx), tf.zeros_like(cy), tf.zeros_like(cx)
    for _ in tf.range(n):
        inside = zx * zx + zy * zy < 4.0
        count += tf.cast(inside, cx.dtype)
        zx, zy = tf.where(inside, zx * zx - zy * zy + cx, zx), tf.where(inside, 2.0 * zx * zy + cy, zy)
    return count, zx, zy


def pendulum(angle, speed, step, n):
    i = tf.constant(0)
    while i < n:
        angle, speed = angle + step * speed, speed - step * tf.sin(angle)
        i += 2
    return angle, speed, i


def turning(x, y, n):
    for _ in tf.range(n):
        x, y = y, x + y
    return x, y


def grid(dtype, *shape):
    random = np.random.default_rng(3)
    return tf.constant(random.uniform(-1.5, 1.0, shape), dtype), tf.constant(random.uniform(-1, 1, shape), dtype)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 40])
def test_equal_to_op_by_op(dtype, n):
    for shape in [(0,), (1,), (37,), (300, 301)]:
        a, b = grid(dtype, *shape)
        for f, args in ((mandelbrot, (a, b)), (pendulum, (a, b, tf.constant(0.01, dtype)))):
            traced = tf.function(f)(*args, tf.constant(n))
            for got, wanted in zip(traced, f(*args, n), strict=True):
                np.testing.assert_array_equal(got.numpy(), np.asarray(wanted))


def test_values_that_only_change_places():
    x, y = tf.range(5.0), tf.ones([5])
    got = tf.function(turning)(x, y, tf.constant(6))
    for value, wanted in zip(got, turning(x, y, 6), strict=True):
        np.testing.assert_array_equal(value.numpy(), wanted.numpy())


def test_arguments_stay_as_they_are():
    a, b = grid(tf.float32, 5000)
    before = a.numpy().copy(), b.numpy().copy()
    f = tf.function(pendulum)
    for n in (3, 4):
        f(a, b, tf.constant(0.5), tf.constant(n))
        np.testing.assert_array_equal(a.numpy(), before[0])
        np.testing.assert_array_equal(b.numpy(), before[1])


def test_shapes_that_do_not_stay():
    @tf.function
    def f(x, y, n):
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape(None))])
            x = x * y + y
        return x

    assert f(tf.constant(2.0), tf.constant([1.0, 2.0]), tf.constant(2)).numpy().tolist() == [4.0, 14.0]


@pytest.mark.parametrize("n", [0, 3])
def test_effects_of_the_condition(n):
    count = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def f(x, n):
        def goes_on(i, n, x):
            count.assign_add(1)
            return i < n

        return tf.while_loop(goes_on, lambda i, n, x: (i + 1, n, x * 2.0 - 1.0), (tf.constant(0, tf.int64), n, x))

    assert f(tf.constant([2.0, 3.0]), tf.constant(n, tf.int64))[2].numpy().tolist() == [1.0 + 2**n, 1.0 + 2 * 2**n]
    assert int(count) == n + 1


def test_a_failing_check_in_the_condition():
    @tf.function
    def f(x, n):
        def goes_on(i, n, x):
            tf.debugging.assert_less(i, tf.constant(2, tf.int64))
            return i < n

        return tf.while_loop(goes_on, lambda i, n, x: (i + 1, n, x * 2.0 - 1.0), (tf.constant(0, tf.int64), n, x))

    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.ones([4]), tf.constant(5, tf.int64))


def test_a_signal_handler_runs_another_chain():
    @tf.function
    def turn(x, y, n):
        for _ in tf.range(n):
            x, y = x + 0.001 * y, y - 0.001 * x
        return x, y

    @tf.function
    def other(z):
        return tf.exp(z - tf.reduce_max(z, -1, keepdims=True)) * 2.0

    x, y, z = tf.ones([3000]), tf.zeros([3000]), tf.ones([50, 2000])
    n = tf.constant(100_001)
    wanted = [value.numpy() for value in turn(x, y, n)]
    handled = []

    def handle(*_):
        signal.setitimer(signal.ITIMER_REAL, 0)  # a handler slower than the clock would never end
        handled.append(other(z))
        signal.setitimer(signal.ITIMER_REAL, 0.002)

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.002)
    try:
        for _ in range(3):
            for value, want in zip(turn(x, y, n), wanted, strict=True):
                np.testing.assert_array_equal(value.numpy(), want)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert handled


def test_an_error_inside_names_the_op():
    @tf.function
    def f(x, y, n):
        for _ in tf.range(n):
            x = (x + 1) // y
        return x

    x, y = tf.constant([5, 6, 7]), tf.constant([1, 0, 2])
    assert f(x, y, tf.constant(0)).numpy().tolist() == [5, 6, 7]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        f(x, y, tf.constant(2))


def test_gradient_of_such_a_loop():
    x = tf.Variable([0.1, 0.2, 0.3])

    @tf.function
    def f(n):
        y = x * 1.0
        for _ in tf.range(n):
            y = y * y + x
        return y

    with tf.GradientTape() as tape:
        y = f(tf.constant(3))
    got = tape.gradient(y, x).numpy()
    value, slope = x.numpy().astype(float), np.ones(3)
    for _ in range(3):
        value, slope = value * value + x.numpy(), 2 * value * slope + 1
    np.testing.assert_allclose(got, slope, rtol=1e-5)
