"""Sides of selects that no element of a vector takes: code may skip them, and results stay the same."""

import numpy as np
import pytest
import tracefn as tf
from support.compile_modes import printed

RNG = np.random.default_rng(8)


def inputs(dtype, n):
    mixed = RNG.normal(size=n).astype(dtype)
    runs = np.where(np.arange(n) // 40 % 2, np.abs(mixed), -np.abs(mixed))
    special = mixed.copy()
    special[::7] = np.nan
    special[1::7] = -0.0
    special[2::7] = np.inf
    special[3::7] = -np.inf
    return {"mixed": mixed, "positive": np.abs(mixed), "negative": -np.abs(mixed), "in runs": runs, "special": special}


def scaled_elu(x):
    return 1.05 * tf.where(x > 0, x, 1.67 * (tf.exp(x) - 1))


def long_sides(x):
    return tf.where(x > 0, tf.math.log1p(x) * tf.sin(x), tf.exp(x) * tf.tanh(x)) + x


def a_select_in_a_side(x):
    inner = tf.where(x < -1, tf.exp(x) + tf.sin(x), tf.cos(x) * tf.exp(-x * x))
    return tf.where(x > 0, tf.sqrt(tf.abs(x)), inner)


def a_side_with_another_reader(x):
    e = tf.exp(x) * tf.sin(x)
    return tf.where(x > 0, x, e), e + 1


def one_condition_for_several(x):
    a, b = tf.exp(x) - 1, tf.math.log1p(tf.abs(x)) * tf.cos(x)
    return tf.where(x > 0, a, b) * tf.where(x > 0, b + 2, a - 2)


def a_condition_of_few_elements(x):
    return tf.where(tf.constant([True]), tf.exp(x) * tf.sin(x), tf.tanh(x) * x)


FUNCTIONS = [scaled_elu, long_sides, a_select_in_a_side, a_side_with_another_reader, one_condition_for_several,
             a_condition_of_few_elements, tf.nn.elu, tf.nn.selu]  # fmt: skip


def print_what_differs():
    compared = 0
    for f in FUNCTIONS:
        for dtype in ("float32", "float64"):
            traced = tf.function(f, reduce_retracing=True)
            for n in (1, 5, 8, 33, 1000, 4096):
                for kind, x in inputs(dtype, n).items():
                    got, wanted = (tf.nest.flatten(g(tf.constant(x))) for g in (traced, f))
                    compared += 1
                    if any(a.numpy().tobytes() != b.numpy().tobytes() for a, b in zip(got, wanted, strict=True)):
                        print(f.__name__, dtype, n, kind)
    print(compared, "compared")


@pytest.mark.parametrize("mode", ["off", "always"])
def test_results_are_those_of_single_ops(mode):
    program = f"import runpy; runpy.run_path({__file__!r})['print_what_differs']()"
    assert printed(mode, program) == [f"{len(FUNCTIONS) * 2 * 6 * 5} compared"]


@pytest.mark.parametrize("kind", ["mixed", "positive", "in runs"])
def test_gradients_are_those_of_single_ops(kind):
    x = tf.constant(inputs("float32", 1003)[kind])

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = long_sides(scaled_elu(x))
        return tape.gradient(y, x)

    np.testing.assert_allclose(tf.function(gradient)(x), gradient(x), rtol=1e-6, atol=1e-7)
