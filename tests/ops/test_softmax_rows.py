"""Softmax, LogSoftmax and the cross entropies over rows of any length: against NumPy, on any number of threads."""

import numpy as np
import pytest
import tracefn as tf

raw = tf.raw_ops
SHAPES = [(1, 1), (128, 10), (1000, 3), (70, 33), (5, 1024), (3, 1025), (2, 50257), (2500, 1), (0, 5)]
LIMIT = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "float64": 1e-14}


def logits(shape, dtype="float32", seed=0):
    return tf.cast(np.random.default_rng(seed).normal(size=shape) * 3, dtype)


def wide(t):
    return tf.cast(t, tf.float64).numpy()


def expected(x):
    """The logarithms of the softmax of each row, as doubles."""
    below = x - x.max(axis=-1, keepdims=True) if x.size else x
    return below - np.log(np.exp(below).sum(axis=-1, keepdims=True))


def on_threads(f):
    """f's results on one thread; those on two and three have the same bits."""
    before = tf.config.threading.get_intra_op_parallelism_threads()
    try:
        results = []
        for threads in (1, 2, 3):
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            results.append([t.numpy().tobytes() for t in tf.nest.flatten(f())])
        assert results[0] == results[1] == results[2]
        return f()
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)


@pytest.mark.parametrize("dtype", LIMIT)
@pytest.mark.parametrize("shape", SHAPES)
def test_softmax(shape, dtype):
    x = logits(shape, dtype)
    logs = expected(wide(x))
    np.testing.assert_allclose(wide(on_threads(lambda: tf.nn.softmax(x))), np.exp(logs), atol=LIMIT[dtype])
    np.testing.assert_allclose(
        wide(on_threads(lambda: tf.nn.log_softmax(x))), logs, atol=LIMIT[dtype], rtol=4 * LIMIT[dtype]
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_fused_rows_have_the_same_bits(shape, dtype):
    x = logits(shape, dtype)
    for f in (tf.nn.softmax, tf.nn.log_softmax):
        assert f(x).numpy().tobytes() == tf.function(f)(x).numpy().tobytes()


@pytest.mark.parametrize("dtype", LIMIT)
@pytest.mark.parametrize("shape", SHAPES)
def test_cross_entropies(shape, dtype):
    rows, classes = shape
    x = logits(shape, dtype)
    labels = np.random.default_rng(1).integers(0, classes, rows)
    of_class = np.eye(classes)[labels] if classes < 3000 else np.zeros(shape)
    of_class[np.arange(rows), labels] = 1
    logs, limit = expected(wide(x)), 4 * LIMIT[dtype]
    loss, backprop = on_threads(
        lambda: raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=labels.astype(np.int32))
    )
    np.testing.assert_allclose(wide(loss), -logs[np.arange(rows), labels], rtol=limit, atol=limit)
    np.testing.assert_allclose(wide(backprop), np.exp(logs) - of_class, atol=limit)
    given = logits(shape, dtype, seed=2)
    for p in (tf.cast(of_class, dtype), given):
        loss, backprop = on_threads(lambda p=p: raw.SoftmaxCrossEntropyWithLogits(features=x, labels=p))
        terms = wide(p) * logs
        close = limit * max(np.abs(terms).sum(axis=-1).max(initial=0), 1)
        np.testing.assert_allclose(wide(loss), -terms.sum(axis=-1), atol=close)
        np.testing.assert_allclose(wide(backprop), np.exp(logs) - wide(p), atol=limit, rtol=limit)


@pytest.mark.parametrize("shapes", [((1, 40), (70, 40)), ((70, 40), (1, 40)), ((70, 40), (40,)), ((70, 1), (70, 40))])
def test_rows_that_are_broadcast(shapes):
    x, p = logits(shapes[0]), logits(shapes[1], seed=1)
    whole_x, whole_p = tf.broadcast_to(x, (70, 40)), tf.broadcast_to(p, (70, 40))
    got = on_threads(lambda: raw.SoftmaxCrossEntropyWithLogits(features=x, labels=p))
    for a, b in zip(got, raw.SoftmaxCrossEntropyWithLogits(features=whole_x, labels=whole_p), strict=True):
        assert a.numpy().tobytes() == b.numpy().tobytes()


@pytest.mark.parametrize("n", [4, 40, 3000])
def test_nan_and_infinities(n):
    x = np.zeros((4, n), np.float32)
    x[0, 1] = np.nan
    x[1, 1] = np.inf
    x[2, :] = -np.inf
    x[3, 1] = -np.inf
    y = tf.nn.softmax(x).numpy()
    assert np.isnan(y[:3]).all()
    assert y[3, 1] == 0
    np.testing.assert_allclose(y[3].sum(), 1, rtol=1e-6)
    of_first = np.zeros((4, n), np.float32)
    of_first[:, 0] = 1
    loss, backprop = raw.SoftmaxCrossEntropyWithLogits(features=x, labels=of_first)
    assert np.isnan(loss.numpy()).tolist() == [True, True, True, False]  # a label of 0 adds nothing: not 0 * inf
    assert np.isnan(backprop.numpy()).all(axis=1).tolist() == [True, True, True, False]
    np.testing.assert_allclose(loss.numpy()[3], np.log(n - 1), rtol=1e-6)
