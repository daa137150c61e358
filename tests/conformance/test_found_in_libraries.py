"""What programs on top of other libraries showed: orders, gradients of NaN, and branches that are not taken."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int32", "uint8"])
def test_largest_elements_in_the_order_of_a_heap(tf, dtype):
    x = tf.cast([[1, 5, 3, 9, 2, 7, 8, 4], [2, 2, 2, 2, 2, 2, 2, 2]], dtype)

    def places(k, **options):
        return tf.math.top_k(x, k, **options).indices.numpy().tolist()

    assert places(2, sorted=False)[0] == [6, 3]
    assert places(3, sorted=False)[0] == [5, 3, 6]
    assert places(6, sorted=False)[0] == [2, 1, 7, 3, 6, 5]
    assert places(8, sorted=False)[0] == places(8)[0] == [3, 6, 5, 1, 7, 2, 4, 0]
    assert places(1, sorted=False) == [[3], [0]]
    assert sorted(places(3, sorted=False)[1]) == [0, 1, 2]


def test_values_and_gradients_of_unsorted_largest(tf):
    x = tf.constant([[0.5, -1.0, 3.0, 2.0], [4.0, 1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        values, places = tf.math.top_k(x, 2, sorted=False)
        loss = tf.reduce_sum(values * [1.0, 2.0])
    np.testing.assert_array_equal(values, tf.gather(x, places, batch_dims=1))
    expected = np.zeros([2, 4], np.float32)
    np.put_along_axis(expected, places.numpy(), [[1.0, 2.0]] * 2, axis=1)
    np.testing.assert_array_equal(tape.gradient(loss, x), expected)


@pytest.mark.parametrize("traced", [False, True])
def test_gradients_of_rectifiers_keep_nan(tf, traced):
    nan, inf = np.nan, np.inf
    dy = tf.constant([nan, inf, nan, 1, -inf, 1, nan, inf, nan, 2])
    x = tf.constant([-1, -1, 0, nan, -2, nan, nan, 7, 7, 3])

    def both(dy, x):
        return tf.raw_ops.ReluGrad(gradients=dy, features=x), tf.raw_ops.Relu6Grad(gradients=dy, features=x)

    relu, relu6 = (tf.function(both) if traced else both)(dy, x)
    np.testing.assert_array_equal(relu, [nan, nan, nan, 0, nan, 0, nan, inf, nan, 2])
    np.testing.assert_array_equal(relu6, [nan, nan, nan, 0, nan, 0, nan, nan, nan, 2])


def test_values_from_outside_in_a_branch_that_is_not_taken(tf):
    @tf.function
    def exactly(x, k):
        n = tf.shape(x)[0]
        return tf.cond(k <= n, lambda: x[:k], lambda: tf.pad(x, [[0, k - n], [0, 0]]))

    rows = tf.ones([12, 2])
    assert exactly(rows, 4).shape == (4, 2) and exactly(rows, 12).shape == (12, 2)
    assert exactly(rows, 14).shape == (14, 2)

    @tf.function
    def reshaped(x, n):
        size = tf.constant(3)
        for _ in tf.range(n):
            x = tf.reshape(x, [size])
        return x

    assert reshaped(tf.ones([2]), tf.constant(0)).shape == (2,)
