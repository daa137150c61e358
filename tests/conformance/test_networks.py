"""A network of convolutions learns, eagerly and traced, with the losses that TensorFlow 2.21 has."""

import numpy as np
import pytest

# Of every sixth step, recorded with TensorFlow 2.21 on a CPU.
LOSSES = [2.2616, 2.27449, 2.20338, 2.17944, 2.09079, 2.1112, 1.97225, 1.87638]


def digits():
    """Ten glyphs of 12 x 12 and 512 noisy copies of them."""
    rng = np.random.default_rng(0)
    glyphs = (rng.random((10, 12, 12, 1)) > 0.6).astype(np.float32)
    labels = rng.integers(0, 10, 512)
    return (glyphs[labels] + 0.3 * rng.standard_normal((512, 12, 12, 1))).astype(np.float32), labels


def weights(tf):
    rng = np.random.default_rng(1)
    shapes = [((3, 3, 1, 8), 0.3), ((8,), 0), ((3, 3, 8, 16), 0.1), ((16,), 0), ((3 * 3 * 16, 10), 0.1), ((10,), 0)]
    return [tf.Variable((rng.standard_normal(shape) * scale).astype(np.float32)) for shape, scale in shapes]


@pytest.mark.rule(195)
@pytest.mark.parametrize("traced", [False, True])
def test_a_digits_classifier_learns(tf, traced):
    images, labels = digits()
    w = weights(tf)

    def logits(x):
        x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w[0], 1, "SAME"), w[1]))
        x = tf.nn.max_pool2d(x, 2, 2, "VALID")
        x = tf.nn.relu(tf.nn.conv2d(x, w[2], 1, "SAME") + w[3])
        x = tf.nn.avg_pool2d(x, 2, 2, "VALID")
        return tf.matmul(tf.reshape(x, [-1, 3 * 3 * 16]), w[4]) + w[5]

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits(x)))
        for variable, gradient in zip(w, tape.gradient(loss, w)):
            variable.assign_sub(0.1 * gradient)
        return loss

    run = tf.function(step) if traced else step
    losses = []
    for _ in range(6):
        for i in range(0, 512, 64):
            losses.append(float(run(tf.constant(images[i : i + 64]), tf.constant(labels[i : i + 64]))))
    np.testing.assert_allclose(losses[::6], LOSSES, atol=2e-5)
