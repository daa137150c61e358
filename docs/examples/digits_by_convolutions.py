"""A classifier of handwritten digits: two convolutions and a dense layer, gradient descent by hand, eager and traced.

Run: python docs/examples/digits_by_convolutions.py [tracefn|tensorflow [FILE]]

FILE gets the losses. If it exists, the run prints how far its losses are from those in it: the 224 losses of a run on
TensorFlow 2.21 differ from these by less than 1e-6.
"""

import importlib
import pathlib
import sys
import time

import numpy as np
from sklearn.datasets import load_digits

MODULE = sys.argv[1] if len(sys.argv) > 1 else "tracefn"
tf = importlib.import_module(MODULE)

BATCH = 50
EPOCHS = 8
RATE = 0.2


class Classifier(tf.Module):
    """8 x 8 pixels -> 8 x 8 x 16 -> 4 x 4 x 32 -> 10 scores; the weights are drawn from a seed."""

    def __init__(self, seed):
        super().__init__()
        random = np.random.default_rng(seed)

        def weights(*shape):
            scale = (2.0 / np.prod(shape[:-1])) ** 0.5
            return tf.Variable(random.normal(0.0, scale, shape).astype(np.float32))

        self.first, self.first_bias = weights(3, 3, 1, 16), tf.Variable(tf.zeros([16]))
        self.second, self.second_bias = weights(3, 3, 16, 32), tf.Variable(tf.zeros([32]))
        self.dense, self.dense_bias = weights(128, 10), tf.Variable(tf.zeros([10]))

    def __call__(self, images):
        x = tf.nn.relu(tf.nn.conv2d(images, self.first, 1, "SAME") + self.first_bias)
        x = tf.nn.max_pool2d(x, 2, 2, "VALID")
        x = tf.nn.relu(tf.nn.conv2d(x, self.second, 1, "SAME") + self.second_bias)
        x = tf.nn.max_pool2d(x, 2, 2, "VALID")
        return tf.reshape(x, [-1, 128]) @ self.dense + self.dense_bias


def make_step(model):
    """One step of gradient descent on a batch, as a Python function of tensors; returns the mean loss."""

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=model(x)))
        variables = model.trainable_variables
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(RATE * gradient)
        return loss

    return step


def train(step, x, y):
    """The loss of every step, batches in an order that is the same each time."""
    random = np.random.default_rng(1)
    losses = []
    for _ in range(EPOCHS):
        order = random.permutation(len(x))
        for start in range(0, len(x) - BATCH + 1, BATCH):
            rows = order[start : start + BATCH]
            losses.append(float(step(tf.constant(x[rows]), tf.constant(y[rows]))))
    return np.array(losses)


def compare(losses, file):
    """Writes the losses into a new file, or prints how far they are from those in one that exists."""
    path = pathlib.Path(file)
    if path.exists():
        print(f"largest difference of a loss from {path.name}: {np.max(np.abs(losses - np.loadtxt(path))):.1e}")
    else:
        np.savetxt(path, losses)


def main():
    digits = load_digits()
    x, y = (digits.images[..., None] / 16.0).astype(np.float32), digits.target.astype(np.int32)
    order = np.random.default_rng(0).permutation(len(x))
    test, learn = order[:360], order[360:]
    results = {}
    for way in ("eager", "traced"):
        model = Classifier(seed=2)
        step = make_step(model)
        start = time.perf_counter()
        losses = train(tf.function(step) if way == "traced" else step, x[learn], y[learn])
        seconds = time.perf_counter() - start
        accuracy = float(np.mean(np.argmax(model(tf.constant(x[test])).numpy(), 1) == y[test]))
        results[way] = losses, accuracy
        print(f"{way:>6}: first loss {losses[0]:.4f}, last {losses[-1]:.4f}, test accuracy {accuracy:.1%}, {seconds:.2f} s")
    difference = np.max(np.abs(results["eager"][0] - results["traced"][0]))
    print(f"largest difference of a loss, eager and traced: {difference:.1e}")
    assert difference < 1e-4
    assert min(accuracy for _, accuracy in results.values()) > 0.95
    if len(sys.argv) > 2:
        compare(results["traced"][0], sys.argv[2])


if __name__ == "__main__":
    main()
