"""What an inner function captures, when it is called from several places."""

import pytest
import tracefn as tf


@pytest.mark.parametrize("first", [1.0, -1.0])
def test_a_trace_made_in_one_branch_serves_another(first):
    @tf.function
    def outer(x):
        @tf.function
        def inner(a):
            return a * x

        if x > 0.0:
            y = inner(x + 1.0)
        else:
            y = inner(x - 1.0)
        for _ in tf.range(2):
            y = inner(y)
        return y

    x = tf.constant(first)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outer(x)
    # (x ± 1) x³
    assert float(y) == 2.0
    assert float(tape.gradient(y, x)) == 7.0 * first
