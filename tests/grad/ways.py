"""One program, differentiated eagerly, in a traced function, and through the call of one: what the tests compare."""

from __future__ import annotations

import numpy as np
import tracefn as tf


def gradient(function, arguments):
    """The gradients of the sum of a function's result, zeros where there is none."""
    with tf.GradientTape() as tape:
        tape.watch(arguments)
        y = function(*arguments)
    return tape.gradient(y, arguments, unconnected_gradients="zero")


def second(function, arguments, inner=gradient):
    """The gradients of the sum of the squared gradients."""
    with tf.GradientTape() as tape:
        tape.watch(arguments)
        loss = tf.add_n([tf.reduce_sum(tf.math.real(g * tf.math.conj(g))) for g in inner(function, arguments)])
    return tape.gradient(loss, arguments, unconnected_gradients="zero")


def arrays(gradients) -> list:
    """The gradients as dense arrays."""
    return [tf.convert_to_tensor(g).numpy() for g in gradients]


def every_way(function, arguments, order=gradient) -> dict:
    """name -> gradients; they should all be equal."""
    traced = tf.function(function)
    inside = tf.function(lambda *args: order(function, list(args)))
    both = tf.function(lambda *args: order(traced, list(args)))
    return {
        "eager": arrays(order(function, arguments)),
        "of a function": arrays(order(traced, arguments)),
        "in a function": arrays(inside(*arguments)),
        "of a function in a function": arrays(both(*arguments)),
    }


def assert_equal_ways(function, arguments, order=gradient, rtol=1e-5, atol=1e-6) -> list:
    """Asserts that every way gives the eager gradients; returns those."""
    ways = every_way(function, arguments, order)
    for name, found in ways.items():
        for wanted, got in zip(ways["eager"], found, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol, err_msg=name)
    return ways["eager"]


def finite_differences(function, values, step=1e-6) -> list:
    """The gradients of the sum of a function of float64 arrays, by central differences."""
    def total(arguments):
        return float(np.sum(np.asarray(function(*[tf.constant(a) for a in arguments]))))

    found = []
    for at, value in enumerate(values):
        slope = np.zeros_like(value)
        for index in np.ndindex(value.shape):
            sides = []
            for sign in (1, -1):
                moved = [np.array(v) for v in values]
                moved[at][index] += sign * step
                sides.append(total(moved))
            slope[index] = (sides[0] - sides[1]) / (2 * step)
        found.append(slope)
    return found
