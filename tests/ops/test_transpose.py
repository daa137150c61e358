"""Transposes by squares of a cache line: whole ones, edges, and every order of axes."""

import itertools

import numpy as np
import pytest
import tracefn as tf

SHAPES = [
    (33, 70),
    (16, 16),
    (257, 255),
    (300, 2),
    (2, 300),
    (0, 4),
    (5, 300, 17),
    (64, 64, 3),
    (1, 40, 1),
    (2, 3, 40, 50),
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "complex128", "bool"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_order_of_axes(shape, dtype):
    x = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    for order in itertools.permutations(range(len(shape))):
        np.testing.assert_array_equal(tf.transpose(x, order), x.transpose(order))


def test_texts_are_transposed():
    x = np.array([[b"a", b"bc"], [b"", b"d" * 100]] * 20)
    assert tf.transpose(x).numpy().tolist() == x.T.tolist()
