"""A classifier of handwritten digits: two dense layers, gradient descent by hand, eager and traced.

Run: python docs/examples/digits.py [tensorflow]
"""

import importlib
import sys
import time

import numpy as np
from sklearn.datasets import load_digits

MODULE = sys.argv[1] if len(sys.argv) > 1 else "tracefn"
tf = importlib.import_module(MODULE)

HIDDEN = 64
BATCH = 50
EPOCHS = 40
RATE = 0.5


class Dense(tf.Module):
    """x @ w + b."""

    def __init__(self, inputs, outputs, random):
        super().__init__()
        self.w = tf.Variable(random.normal(0.0, (2.0 / inputs) ** 0.5, (inputs, outputs)).astype(np.float32), name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b")

    def __call__(self, x):
        return x @ self.w + self.b


class Classifier(tf.Module):
    """Two dense layers with a rectifier between them; the weights are drawn from a seed."""

    def __init__(self, inputs, hidden, classes, seed):
        super().__init__()
        random = np.random.default_rng(seed)
        self.first = Dense(inputs, hidden, random)
        self.second = Dense(hidden, classes, random)

    def __call__(self, x):
        return self.second(tf.nn.relu(self.first(x)))


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


def train(step, x, y, epochs):
    """The loss of every step, batches in an order that is the same each time."""
    random = np.random.default_rng(1)
    losses = []
    for _ in range(epochs):
        order = random.permutation(len(x))
        for start in range(0, len(x) - BATCH + 1, BATCH):
            rows = order[start : start + BATCH]
            losses.append(float(step(tf.constant(x[rows]), tf.constant(y[rows]))))
    return np.array(losses)


def main():
    digits = load_digits()
    x, y = (digits.data / 16.0).astype(np.float32), digits.target.astype(np.int32)
    order = np.random.default_rng(0).permutation(len(x))
    test, learn = order[:360], order[360:]
    results = {}
    for way in ("eager", "traced"):
        model = Classifier(64, HIDDEN, 10, seed=2)
        step = make_step(model)
        start = time.perf_counter()
        losses = train(tf.function(step) if way == "traced" else step, x[learn], y[learn], EPOCHS)
        seconds = time.perf_counter() - start
        accuracy = float(np.mean(np.argmax(model(tf.constant(x[test])).numpy(), 1) == y[test]))
        results[way] = losses, accuracy
        print(f"{way:>6}: first loss {losses[0]:.4f}, last {losses[-1]:.4f}, test accuracy {accuracy:.1%}, {seconds:.2f} s")
    difference = np.max(np.abs(results["eager"][0] - results["traced"][0]))
    print(f"largest difference of a loss, eager and traced: {difference:.1e}")
    assert difference < 1e-4
    assert min(accuracy for _, accuracy in results.values()) > 0.95


if __name__ == "__main__":
    main()
