"""Jacobian-vector products where TensorFlow has none: tests/conformance/test_r_forward_accumulation.py has the others."""

import numpy as np
import pytest
import tracefn as tf
from support import fourth_powers


@pytest.mark.parametrize("name", ["switch_case", "map_fn"])
def test_products(name):
    fourth_powers.check_product(tf, name)


@pytest.mark.parametrize("name", ["cond", "switch_case", "while", "function with a loop", "map_fn"])
def test_hessian_vector_products(name):
    fourth_powers.check_hessian_product(tf, name)


def test_a_tape_outside_and_accumulators_nested():
    def derivatives(x):
        one = tf.constant([1.0, 1.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, one) as outer:
                with tf.autodiff.ForwardAccumulator(x, one) as inner:
                    y = x**4.0
                first = inner.jvp(y)
            second = outer.jvp(first)
        return first, second, tape.gradient(second, x)

    for first, second, third in fourth_powers.both(tf, derivatives, tf.constant([1.0, 2.0])):
        np.testing.assert_allclose(first, [4.0, 32.0], rtol=1e-6)
        np.testing.assert_allclose(second, [12.0, 48.0], rtol=1e-6)
        np.testing.assert_allclose(third, [24.0, 48.0], rtol=1e-6)
