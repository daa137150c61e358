"""Loops with choices between several branches, and with assertions, are compiled: results, gradients, messages."""

# ruff: noqa: B023 - branches are called at once

import numpy as np
import pytest
import tracefn as tf
from support.program_runs import check_bits


def choices_of_numbers_and_arrays(n):
    total, x = tf.constant(0), tf.zeros([100])
    for i in tf.range(n):
        total += tf.switch_case(i % 4, [lambda: i, lambda: 2 * i, lambda: -i])
        x = tf.switch_case(
            i % 5 - 1,  # out of range: the default
            {0: lambda: x + 1.0, 1: lambda: tf.tensor_scatter_nd_update(x, [[i % 100]], [7.0]), 2: lambda: x * 0.5},
            default=lambda: x,
        )
    return total, x


def choices_beside_a_list(n):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])
    y = tf.constant([1.0, 2.0])
    for i in tf.range(n):
        y = tf.switch_case(i % 3, [lambda: y * 1.1, lambda: tf.reverse(y, [0]), lambda: y + tf.reduce_sum(y) * 0.01])
        array = array.write(i, y)
    return (array.stack(),)


def a_choice_in_an_inner_loop(n):
    total = tf.constant(0.0)
    for i in tf.range(n):
        j = tf.constant(0)
        while j < 3:
            x = tf.cast(i, tf.float32)
            total += tf.case([(tf.equal(j, 0), lambda: x), (tf.equal(j, 1), lambda: total * 0.5)], default=lambda: 1.0)
            j += 1
    return (total,)


def gradients_of_choices(n):
    x = tf.cast(n, tf.float32) / 50.0
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for i in tf.range(7):
            y = tf.switch_case(i % 3, [lambda: y * x, lambda: tf.sin(y), lambda: y + x])
    return y, tape.gradient(y, x)


def assertions_that_hold(n):
    x, v = tf.constant(1.0), tf.ones([70])
    for i in tf.range(n):
        tf.debugging.assert_less(x, 1e9, message="too large")
        assert tf.reduce_all(v < 1e9), "too large"
        tf.debugging.Assert(i >= 0, ["negative", i, v])
        if i > 3:
            tf.debugging.assert_positive(i)
        x, v = x * 1.01, v + 1.0
    return x, v


PROGRAMS = [
    choices_of_numbers_and_arrays, choices_beside_a_list, a_choice_in_an_inner_loop, gradients_of_choices,
    assertions_that_hold,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_results(program):
    for count in (40, 0, 1, 33):
        check_bits(program, [tf.constant(count)], program.__name__)
    concrete = tf.function(program).get_concrete_function(tf.constant(40))
    concrete(tf.constant(40))
    assert "op by op" not in str(concrete.explain_compilation())


def test_an_assertion_that_fails_tells_its_values():
    @tf.function
    def f(x):
        total = 0
        for i in tf.range(100):
            tf.debugging.Assert(x[i] >= 0, ["negative at", i, x[i], x])
            total += x[i]
        return total

    x = tf.constant(np.r_[np.arange(50), -np.arange(50)].astype("i"))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        f(x)
    assert r"assertion failed: [negative at] [51] [-1] [0 1 2...]" in str(caught.value)
    assert "tf.debugging.Assert(x[i] >= 0" in str(caught.value)
    assert int(f(tf.range(100))) == 4950


def test_updates_before_a_failing_assertion_stay():
    v = tf.Variable(0.0)

    @tf.function
    def f(n):
        for _ in tf.range(n):
            v.assign_add(1.0)
            tf.debugging.assert_less(v, 50.0)

    f(tf.constant(40))
    assert v.numpy() == 40
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x < y did not hold"):
        f(tf.constant(40))
    assert v.numpy() == 50
