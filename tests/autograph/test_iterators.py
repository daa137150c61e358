"""Iterators without a length beside tensors."""

import itertools

import pytest

import tracefn as tf


@pytest.mark.parametrize("iterator", [itertools.count, lambda: iter([0, 1, 2, 3]), lambda: (i for i in range(2))])
def test_as_many_elements_as_the_tensor_has(iterator):
    @tf.function
    def f(x):
        total = 0.0
        for i, a in zip(iterator(), x, strict=False):
            total += a * tf.cast(i, tf.float32)
        return total

    assert float(f(tf.constant([5.0, 7.0]))) == 7.0
