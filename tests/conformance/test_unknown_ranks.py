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
