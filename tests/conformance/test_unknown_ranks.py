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


@pytest.mark.parametrize("axis", [(-2, -1), [0, 1], (1, -2)])
def test_largest_singular_values(tf, traced, axis):
    expected = np.linalg.norm(np.float32([[1.0, 2.0], [3.0, 5.0]]), 2)
    assert np.allclose(traced(lambda x: tf.norm(x, 2, axis)), expected)
    assert np.allclose(traced(lambda x: tf.norm(x, 2, axis, keepdims=True)), [[expected]])
    assert traced(lambda x: tf.norm(tf.stack([x, x]), 2, [0, 2], keepdims=True)).shape == (1, 2, 1)


def test_means_of_segments(tf, traced):
    assert traced(lambda x: tf.math.unsorted_segment_mean(x, [1, 1], 2)).tolist() == [[0.0, 0.0], [2.0, 3.5]]
    assert traced(lambda x: tf.math.unsorted_segment_mean(x, [[1, 1], [0, -1]], 2)).tolist() == [3.0, 1.5]
    assert np.allclose(traced(lambda x: tf.math.unsorted_segment_sqrt_n(x[0], [0, 0], 1)), [3.0 / np.sqrt(2.0)])


@pytest.mark.parametrize(
    ("equation", "operands"),
    [
        ("...ij,jk->...ik", 2),
        ("...i,...i->...", 2),
        ("...ii->...i", 1),
        ("i...->...", 1),
        ("...ij,jk,kl->...il", 3),
        ("ij,jk,...l->...l", 3),
        ("ij,jk", 2),
        ("ij->", 1),
    ],
)
def test_equations_over_named_axes(tf, traced, equation, operands):
    matrix = np.float32([[1.0, 2.0], [3.0, 5.0]])
    assert np.allclose(traced(lambda x: tf.einsum(equation, *[x] * operands)), np.einsum(equation, *[matrix] * operands))


def test_gradients_of_equations_over_named_axes(tf, traced):
    def gradient(x):
        return tf.gradients(tf.einsum("...ij,jk->...ik", x, tf.ones([2, 3])), x)[0]

    assert traced(gradient).tolist() == [[3.0, 3.0], [3.0, 3.0]]


def test_losses_of_labels_of_unknown_rank(tf):
    def losses(labels, logits):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)

    f = tf.function(losses).get_concrete_function(tf.TensorSpec(None, tf.int32), tf.TensorSpec([None, 2]))
    assert f.outputs[0].shape.as_list() == [None]
    assert np.allclose(f(tf.constant([0, 1]), tf.zeros([2, 2])), np.log(2.0))


def test_shapes_that_equations_tell(tf):
    f = tf.function(lambda x: [tf.einsum("ij->ji", x), tf.einsum("ij->", x), tf.einsum("...i->...", x)], autograph=False)
    matrix, scalar, any_rank = f.get_concrete_function(tf.TensorSpec(None)).outputs
    assert matrix.shape.as_list() == [None, None]
    assert scalar.shape.as_list() == []
    assert any_rank.shape.rank is None


def test_wrong_ranks_of_equations_when_run(tf):
    f = tf.function(lambda x: tf.einsum("ij", x), autograph=False).get_concrete_function(tf.TensorSpec(None))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected input .*to have rank 2 but got: 1"):
        f(tf.constant([1.0, 2.0]))
