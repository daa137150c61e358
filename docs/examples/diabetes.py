"""Ridge regression on the diabetes table of scikit-learn, with traced functions; compared with scikit-learn's own.

Run: python docs/examples/diabetes.py
"""

import numpy as np
import tracefn as tf
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge

ALPHA = 1.0  # weight of the penalty on squared coefficients


@tf.function
def moments(x):
    """Mean and standard deviation of each column."""
    mean = tf.reduce_mean(x, axis=0)
    return mean, tf.sqrt(tf.reduce_mean(tf.square(x - mean), axis=0))


@tf.function(reduce_retracing=True)
def standardize(x, mean, deviation):
    """Columns with mean 0 and deviation 1; batches of any size share a trace from the second size on."""
    return (x - mean) / deviation


@tf.function
def solve(x, y, alpha):
    """Coefficients of ridge regression in closed form: (x'x + alpha 1) w = x'y."""
    n = tf.shape(x)[1]
    gram = tf.matmul(x, x, transpose_a=True) + alpha * tf.eye(n, dtype=x.dtype)
    return tf.linalg.solve(gram, tf.matmul(x, y[:, tf.newaxis], transpose_a=True))[:, 0]


@tf.function
def descend(x, y, alpha, rate, steps):
    """The same by gradient steps, with the gradient written out: x'(xw - y) + alpha w."""

    def step(i, w):
        residual = tf.linalg.matvec(x, w) - y
        gradient = tf.linalg.matvec(x, residual, transpose_a=True) + alpha * w
        return i + 1, w - rate * gradient

    start = tf.zeros([tf.shape(x)[1]], dtype=x.dtype)
    return tf.while_loop(lambda i, w: i < steps, step, (tf.constant(0), start))[1]


def main() -> None:
    table, target = load_diabetes(return_X_y=True, scaled=False)
    x, y = tf.constant(table), tf.constant(target - target.mean())
    mean, deviation = moments(x)

    sizes = [200, 150, 92]
    batches = [standardize(rows, mean, deviation) for rows in tf.split(x, sizes)]
    z = tf.concat(batches, axis=0)

    closed = solve(z, y, tf.constant(ALPHA, tf.float64))
    rate = 1.0 / (float(np.linalg.norm(z.numpy(), 2)) ** 2 + ALPHA)
    stepped = descend(z, y, tf.constant(ALPHA, tf.float64), tf.constant(rate, tf.float64), tf.constant(20_000))

    reference = Ridge(alpha=ALPHA, fit_intercept=False).fit(z.numpy(), y.numpy()).coef_
    print("coefficients ", np.round(closed.numpy(), 3))
    print("closed form equals scikit-learn:   ", np.allclose(closed.numpy(), reference, rtol=1e-9))
    print("gradient steps equal scikit-learn: ", np.allclose(stepped.numpy(), reference, rtol=1e-6))
    print("traces of standardize for batches of", sizes, "rows:", standardize.experimental_get_tracing_count())
    print()
    print(standardize.pretty_printed_concrete_signatures())
    print()
    for explanation in standardize.explain():
        print(explanation)


if __name__ == "__main__":
    main()
