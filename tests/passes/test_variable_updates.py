"""Updates of variables that are computed elementwise: one call over all variables of a step, with the same results."""

import threading

import numpy as np
import pytest
import tracefn as tf
from tracefn import _core

ALL_OFF = {"disable_meta_optimizer": True}


@pytest.fixture(autouse=True)
def options():
    optimizer = tf.config.optimizer
    kept = optimizer.get_experimental_options()
    optimizer.set_experimental_options(dict.fromkeys(kept))
    yield optimizer
    optimizer.set_experimental_options({**dict.fromkeys(optimizer.get_experimental_options()), **kept})


def numbers(*shape, seed=1, dtype="float32"):
    return tf.cast(np.random.default_rng(seed).normal(size=shape), dtype)


def adam(v, m, s, g):
    m.assign(0.9 * m + 0.1 * g)
    s.assign(0.999 * s + 0.001 * g * g)
    v.assign_sub(0.01 * m / (tf.sqrt(s) + 1e-7))


def calls(f, *args):
    return _core.optimized_text(f.get_concrete_function(*args).graph).count("f=updated_")


def check(options, make, *args, groups):
    """make() -> (variables, step): the same values after three steps with the passes and without."""
    values = []
    for off in (False, True):
        options.set_experimental_options({"disable_meta_optimizer": off or None})
        variables, step = make()
        step = tf.function(step)
        results = [tf.nest.flatten(step(*args)) for _ in range(3)]
        values.append([x.numpy().tobytes() for x in [*variables, *tf.nest.flatten(results)] if x is not None])
        if not off:
            assert calls(step, *args) == groups
    options.set_experimental_options({"disable_meta_optimizer": None})
    assert values[0] == values[1]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("n", [1, 7, 1000, 100001])
def test_adam_by_hand_is_one_call_for_each_variable(options, n, dtype):
    def make():
        all_variables = [[tf.Variable(numbers(n, seed=i, dtype=dtype) ** 2) for i in range(3)] for _ in range(2)]

        def step(g, h):
            for (v, m, s), slope in zip(all_variables, (g, h), strict=True):
                adam(v, m, s, slope)

        return [x for group in all_variables for x in group], step

    check(options, make, numbers(n, seed=7, dtype=dtype), numbers(n, seed=8, dtype=dtype), groups=2)


def test_gradient_descent_needs_no_value_of_full_size(options):
    for update in ("assign_sub", "assign_add"):

        def make(update=update):
            v = tf.Variable(numbers(50, 60))
            return [v], lambda g: [getattr(v, update)(0.1 * g), None][1]

        check(options, make, numbers(50, 60, seed=2), groups=1)


def test_updates_of_one_variable_follow_each_other(options):
    def make():
        v, w = tf.Variable(numbers(50)), tf.Variable(numbers(50, seed=2))

        def step(g):
            v.assign_sub(0.1 * g)
            v.assign_sub(v * 0.1)
            w.assign(w + v)
            v.assign(v * 2.0)
            v.assign_add(g * w)
            return v + 1.0

        return [v, w], step

    variables, step = make()
    f = tf.function(step)
    f(numbers(50, seed=3))
    check(options, make, numbers(50, seed=3), groups=calls(f, numbers(50, seed=3)))


def test_results_that_others_need(options):
    def make():
        v, m = tf.Variable(numbers(50)), tf.Variable(numbers(50, seed=2))

        def step(g):
            before = m.read_value()
            new = 0.9 * m + g
            m.assign(new)
            v.assign_sub(0.1 * new)
            return new, before, tf.reduce_sum(new * new), m * 2.0

        return [v, m], step

    check(options, make, numbers(50, seed=3), groups=1)


def test_what_was_read_before_stays(options):
    v = tf.Variable(numbers(5000))

    @tf.function
    def step(g):
        v.assign_sub(0.5 * g)

    g = numbers(5000, seed=2)
    step(g)
    before = v.read_value()
    kept = before.numpy().copy()
    step(g)
    np.testing.assert_array_equal(before.numpy(), kept)
    np.testing.assert_array_equal(v.numpy(), kept - np.float32(0.5) * g.numpy())


def test_prints_and_failures_keep_their_order(options, capfd):
    v = tf.Variable(tf.ones([4]))

    @tf.function
    def step(g, i):
        v.assign_sub(0.5 * g)
        tf.print("v", v)
        w = tf.gather(g, i)
        v.assign_add(0.5 * g)
        return w

    with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
        step(tf.ones([4]), tf.constant([9]))
    assert "v [0.5 0.5 0.5 0.5]" in capfd.readouterr().err
    np.testing.assert_array_equal(v.numpy(), [0.5] * 4)


def test_shapes_that_do_not_fit_are_refused_as_before(options):
    v = tf.Variable(tf.ones([4]), shape=tf.TensorShape(None))

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def step(g):
        v.assign_sub(g * 2.0)

    step(tf.ones([4]))
    np.testing.assert_array_equal(v.numpy(), [-1] * 4)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Cannot update variable with shape \[4\]"):
        step(tf.ones([3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Cannot update variable with shape \[4\]"):
        step(tf.ones([2, 4]))
    np.testing.assert_array_equal(v.numpy(), [-1] * 4)

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def grow(x):
        v.assign(v + x)

    grow(tf.ones([2, 4]))
    np.testing.assert_array_equal(v.numpy(), np.zeros([2, 4]))


def test_a_variable_under_two_names_is_updated_in_order(options):
    v = tf.Variable(tf.ones([4]))

    @tf.function
    def step(a, b, g):
        a.assign(a * 2.0 + g)
        b.assign(b * 3.0 + g)

    step(v, v, tf.ones([4]))
    np.testing.assert_array_equal(v.numpy(), [10] * 4)
    w = tf.Variable(tf.ones([4]))
    step(v, w, tf.ones([4]))
    np.testing.assert_array_equal(v.numpy(), [21] * 4)
    np.testing.assert_array_equal(w.numpy(), [4] * 4)


def test_steps_on_two_threads_lose_nothing(options):
    v, m = tf.Variable(tf.zeros([1000])), tf.Variable(tf.zeros([1000]))

    @tf.function
    def step(g):
        m.assign_add(2.0 * g)
        v.assign_add(1.0 * g)

    g = tf.ones([1000])
    step(g)

    def work():
        for _ in range(200):
            step(g)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    np.testing.assert_array_equal(v.numpy(), [601] * 1000)
    np.testing.assert_array_equal(m.numpy(), [1202] * 1000)


def test_gradients_of_a_step_see_the_values_of_their_time(options):
    def make():
        v = tf.Variable(numbers(20))

        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(v * v * x)
            v.assign_sub(0.1 * tape.gradient(loss, v))
            return loss

        return [v], step

    check(options, make, numbers(20, seed=2), groups=1)
