"""SparseTensors and tables for the tests of tf.sparse, and the comparison of results."""

import numpy as np
import pytest


def A(tf):
    return tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [5, 7, 6], [2, 3])


def B(tf):
    return tf.SparseTensor([[0, 0], [0, 1], [1, 2]], [1, 2, 7], [2, 3])


def C(tf):
    return tf.SparseTensor([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]], [1, 2, 3, 4], [2, 2, 2])


def F(tf):
    return tf.cast(A(tf), tf.float32)


def S(tf):
    return tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [2, 2])


def T(tf):
    return tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def IDS(tf):
    return tf.SparseTensor([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 2, 1, 1], [2, 2])


def J(tf):
    return tf.SparseTensor([[0, 0], [2, 0], [2, 1]], tf.constant([1, -1, 2], tf.int64), [4, 2])


def W(tf):
    return tf.SparseTensor(IDS(tf).indices, [1.0, 3.0, 0.5, 0.5], [2, 2])


def L(tf):
    return tf.sin(tf.reshape(tf.range(32.0), [4, 2, 4]) * 7.0)


def plain(value):
    """A result as numbers: (dtype, elements), and (kind, indices, values, shape) of a composite."""
    if hasattr(value, "dense_shape"):
        kind = "slices" if type(value).__name__ == "IndexedSlices" else "sparse"
        return (kind, *map(plain, (value.indices, value.values, value.dense_shape)))
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value.dtype.name, np.asarray(value.numpy()).tolist()


def assert_same(got, expected):
    """Equal but for the last digits of floats."""
    if isinstance(expected, (list, tuple)):
        assert isinstance(got, type(expected)) and len(got) == len(expected)
        for a, b in zip(got, expected):
            assert_same(a, b)
    elif isinstance(expected, float):
        assert got == pytest.approx(expected, rel=2e-4, abs=1e-6)
    else:
        assert got == expected


def dense(tf, sp):
    """The elements of a SparseTensor."""
    return tf.sparse.to_dense(sp).numpy().tolist()
