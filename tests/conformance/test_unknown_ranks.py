"""Functions of tensors of which not even the rank is known while tracing."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(191)


@pytest.fixture
def traced(tf):
    """The value of a function, traced for any shape, at a matrix."""
    matrix = tf.constant([[1.0, 2.0], [3.0, 5.0]])

    def call(function):
        concrete = tf.function(function, autograph=False).get_concrete_function(tf.TensorSpec(None))
        return concrete(matrix).numpy()

    return call


def test_transposed_matrices(tf, traced):
    assert traced(tf.linalg.matrix_transpose).tolist() == [[1.0, 3.0], [2.0, 5.0]]
    assert traced(tf.linalg.adjoint).tolist() == [[1.0, 3.0], [2.0, 5.0]]
    assert traced(lambda x: tf.linalg.matrix_transpose(tf.stack([x, x])))[1].tolist() == [[1.0, 3.0], [2.0, 5.0]]


def test_fourier_transforms(tf, traced):
    assert np.allclose(traced(tf.signal.rfft), [[3.0, -1.0], [8.0, -2.0]])
    assert np.allclose(traced(tf.signal.rfft2d), [[11.0, -3.0], [-5.0, 1.0]])
    assert np.allclose(traced(lambda x: tf.signal.irfft(tf.signal.rfft(x), [2])), [[1.0, 2.0], [3.0, 5.0]])


@pytest.mark.parametrize("axes", [1, 0, 2, [[1], [0]], [[-1], [-2]], [0, 1]])
def test_products_over_axes(tf, traced, axes):
    matrix = np.float32([[1.0, 2.0], [3.0, 5.0]])
    expected = np.tensordot(matrix, matrix, axes)
    assert np.allclose(traced(lambda x: tf.tensordot(x, x, axes)), expected)
    assert np.allclose(traced(lambda x: tf.tensordot(matrix, x, axes)), expected)
    assert np.allclose(traced(lambda x: tf.tensordot(x, matrix, axes)), expected)


def test_products_over_axes_that_only_run_time_knows(tf):
    x = tf.reshape(tf.range(6.0), [2, 3])
    f = tf.function(lambda axes: tf.tensordot(x, x, axes), autograph=False)
    concrete = f.get_concrete_function(tf.TensorSpec([2, 1], tf.int32))
    assert concrete.outputs[0].shape.rank is None
    assert concrete(tf.constant([[1], [1]])).numpy().tolist() == [[5, 14], [14, 50]]
