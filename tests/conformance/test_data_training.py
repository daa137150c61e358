"""A training loop over an input pipeline, with a module, a traced step and summaries: the losses that TensorFlow 2.21 has."""

import numpy as np
import pytest

from event_files import array, values

pytestmark = [pytest.mark.needs("summary"), pytest.mark.rule(195, 219)]

EPOCHS = 4
SIZE = 12
# Of every fourth step, recorded with TensorFlow 2.21 on a CPU.
LOSSES = [2.2841, 2.22835, 2.05515, 1.90663, 1.92123, 1.67085, 1.52274, 1.43934, 1.38659]


def digits():
    """Ten glyphs of 12 x 12 and 300 noisy copies of them, as bytes."""
    rng = np.random.default_rng(5)
    glyphs = rng.random((10, SIZE, SIZE, 1)) > 0.6
    labels = rng.integers(0, 10, 300)
    noise = 40 * rng.standard_normal((300, SIZE, SIZE, 1))
    return np.clip(200 * glyphs[labels] + noise, 0, 255).astype(np.uint8), labels


def pipeline(tf, images, labels, batch_size=32):
    """Batches of images, each moved, brightened and made noisy by its number, in another order each epoch."""

    def augmented(number, element):
        image, label = element
        image = tf.cast(image, tf.float32) / 255.0
        seed = tf.stack([tf.constant(7, tf.int64), number])
        moved = tf.roll(image, tf.random.stateless_uniform([2], seed, -1, 2, tf.int32), [0, 1])
        bright = tf.image.stateless_random_brightness(moved, 0.1, seed)
        return bright + 0.05 * tf.random.stateless_normal([SIZE, SIZE, 1], seed), label

    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).enumerate()
    dataset = dataset.map(augmented, num_parallel_calls=tf.data.AUTOTUNE)
    return dataset.shuffle(100, seed=3).batch(batch_size, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def classifier(tf):
    rng = np.random.default_rng(1)

    class Classifier(tf.Module):
        def __init__(self):
            super().__init__()
            first = 0.1 * rng.standard_normal((SIZE * SIZE, 24))
            second = 0.2 * rng.standard_normal((24, 10))
            self.first = tf.Variable(first.astype(np.float32), name="first")
            self.second = tf.Variable(second.astype(np.float32), name="second")
            self.step = tf.Variable(0, dtype=tf.int64, trainable=False, name="step")

        def __call__(self, images):
            flat = tf.reshape(images, [-1, SIZE * SIZE])
            return tf.matmul(tf.nn.relu(tf.matmul(flat, self.first)), self.second)

        @tf.function
        def train(self, images, labels):
            with tf.GradientTape() as tape:
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self(images))
                loss = tf.reduce_mean(losses)
            for variable, gradient in zip(
                self.trainable_variables, tape.gradient(loss, self.trainable_variables)
            ):
                variable.assign_sub(0.2 * gradient)
            tf.summary.scalar("loss", loss, step=self.step)
            with tf.summary.record_if(lambda: self.step % 9 == 0):
                tf.summary.histogram("first", self.first, step=self.step)
            self.step.assign_add(1)
            return loss

        @tf.function
        def epoch(self, dataset):
            total = 0.0
            for images, labels in dataset:
                total += self.train(images, labels)
            return total

    return Classifier()


def test_losses(tf, tmp_path):
    dataset, model = pipeline(tf, *digits()), classifier(tf)
    assert len(dataset) == 9 and dataset.element_spec[0].shape == [32, SIZE, SIZE, 1]
    losses = []
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        for _ in range(EPOCHS):
            losses += [float(model.train(*batch)) for batch in dataset]
    np.testing.assert_allclose(losses[::4], LOSSES, atol=2e-5)
    assert losses[-1] < 0.7 * losses[0]
    # The summaries have what the steps returned.
    written = values(tmp_path)
    scalars = [(step, array(value)) for step, value in written if value["tag"] == ["loss"]]
    assert [step for step, _ in scalars] == list(range(9 * EPOCHS))
    np.testing.assert_array_equal(np.float32([loss for _, loss in scalars]), np.float32(losses))
    assert [step for step, value in written if value["tag"] == ["first"]] == [0, 9, 18, 27]


def test_the_loop_may_be_in_the_graph(tf):
    images, labels = digits()
    eager, staged = classifier(tf), classifier(tf)
    one, other = pipeline(tf, images, labels), pipeline(tf, images, labels)
    for _ in range(2):
        total = sum(float(eager.train(*batch)) for batch in one)
        np.testing.assert_allclose(float(staged.epoch(other)), total, rtol=1e-5)
    assert int(staged.step) == 18
