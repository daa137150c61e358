"""Eager einsum runs by a traced program when it is repeated: results, derivatives and errors are those of the first time."""

import threading

import numpy as np
import pytest
import tracefn as tf
from tracefn.ops._eager_programs import _MOST
from tracefn.ops.einsum import _computed_eagerly

CASES = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("bhqd,bhkd->bhqk", (2, 3, 5, 4), (2, 3, 6, 4)),
    ("...ij,jk", (2, 3, 4), (4, 2)),
    ("ii->i", (3, 3)),
    ("ij->", (2, 3)),
    ("ij,kj->ik", (0, 3), (2, 3)),
    ("i,i", (5,), (5,)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
]


def of_shape(shape, seed):
    return tf.constant(np.random.RandomState(seed).standard_normal(shape), tf.float64)


@pytest.mark.parametrize("equation, shapes", [(equation, shapes) for equation, *shapes in CASES])
def test_repeated_calls(equation, shapes):
    inputs = [of_shape(shape, i) for i, shape in enumerate(shapes)]

    def found():
        with tf.GradientTape() as outer:
            outer.watch(inputs)
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                y = tf.einsum(equation, *inputs)
                total = tf.reduce_sum(y**2)
            gradients = tape.gradient(total, inputs)
            of_gradients = tf.reduce_sum(gradients[0] ** 2)
        with tf.autodiff.ForwardAccumulator(inputs[0], tf.ones_like(inputs[0])) as forward:
            again = tf.einsum(equation, *inputs)
        return [y, *gradients, outer.gradient(of_gradients, inputs[0]), forward.jvp(again)]

    first = found()
    np.testing.assert_allclose(first[0], np.einsum(equation, *(x.numpy() for x in inputs)), atol=1e-12)
    for _ in range(3):
        for value, expected in zip(found(), first, strict=True):
            np.testing.assert_allclose(value, expected, atol=1e-12)


def test_dtypes_and_shapes_have_programs_of_their_own():
    for _ in range(3):
        for dtype in (tf.float32, tf.int32, tf.complex64, tf.bfloat16):
            for size in (1, 4):
                x = tf.ones([2, size], dtype)
                y = tf.einsum("ij,kj->ik", x, x)
                assert y.dtype == dtype and y.shape == [2, 2] and np.all(tf.cast(y, tf.float32) == size)


def test_errors_stay():
    x, y = tf.ones([2, 3]), tf.ones([3, 2])
    for _ in range(3):
        assert tf.einsum("ij,jk->ik", x, y).shape == [2, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected dimension 3 at axis 0 of the input shaped"):
            tf.einsum("ij,jk->ik", x, x)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Einsum"):
            tf.einsum("ij,jk->ik", x, tf.ones([3, 2], tf.int32))
        with pytest.raises(ValueError, match="Subscripts have incorrect format"):
            tf.einsum("ij,jk=>ik", x, y)


def test_their_number_is_bounded_whatever_threads_do():
    def run():
        for i in range(2 * _MOST):
            size = 1 + i % (_MOST + 40) // 2
            assert tf.einsum("i,i->", tf.ones([size]), tf.ones([size])) == size

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(_computed_eagerly.known) <= _MOST + len(threads)
