"""What a call with an input signature says about a tensor's shape holds where the call runs, not in other branches."""

import numpy as np
import pytest
import tracefn as tf


@pytest.fixture
def three():
    return tf.function(tf.identity, input_signature=[tf.TensorSpec([3])])


def test_a_branch_that_is_not_taken(three):
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.bool)])
    def f(x, p):
        r = tf.constant(0.0)
        if p:
            r = tf.reduce_sum(three(x))
        return r + tf.cast(tf.size(x), tf.float32)

    assert f(tf.ones([4]), False) == 4.0
    assert f(tf.ones([3]), True) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible"):
        f(tf.ones([4]), True)


def test_the_gradient_of_the_branch_that_is_taken(three):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        return tf.cond(tf.size(x) > 3, lambda: tf.reduce_sum(x * x), lambda: tf.reduce_sum(three(x)))

    for count, slope in ((4, 2.0), (3, 1.0)):
        x = tf.ones([count])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        np.testing.assert_array_equal(tape.gradient(y, x), np.full(count, slope))


def test_a_shape_after_the_conditional(three):
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        if tf.size(x) == 3:
            x = three(x)
        return tf.zeros(tf.shape(x))

    assert f(tf.ones([2])).shape == [2] and f(tf.ones([3])).shape == [3]
