"""LowerBound and UpperBound: the places of values in sorted rows, for every dtype, and numbers of values that fill
registers and that do not."""

import numpy as np
import pytest
import tracefn as tf

RNG = np.random.default_rng(3)
DTYPES = "float32 float64 int32 int64 uint8 int16 int8 uint16 uint32 uint64 float16".split()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 17, 100, 1000])
def test_places_are_numpys(dtype, n):
    row = np.sort(RNG.integers(0, 90, n)).astype(dtype)
    for count in (0, 1, 5, 8, 9, 16, 31, 33, 64, 100, 131):
        values = RNG.integers(0, 100, count).astype(dtype)
        for side in ("left", "right"):
            for index in (tf.int32, tf.int64):
                found = tf.searchsorted(tf.constant(row), tf.constant(values), side, index)
                assert found.dtype == index
                np.testing.assert_array_equal(found, np.searchsorted(row, values, side))


def test_each_row_has_its_own_values():
    rows = np.sort(RNG.normal(size=(7, 40)).astype(np.float32))
    values = RNG.normal(size=(7, 45)).astype(np.float32)
    found = tf.searchsorted(tf.constant(rows), tf.constant(values))
    np.testing.assert_array_equal(found, [np.searchsorted(a, b) for a, b in zip(rows, values, strict=True)])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", [3, 32])
def test_special_values(dtype, count):
    row = tf.constant([-np.inf, -1.0, -0.0, 0.0, 2.0, np.inf], dtype)
    values = tf.repeat(tf.constant([-np.inf, -0.0, 0.0, np.inf], dtype), count)
    np.testing.assert_array_equal(tf.searchsorted(row, values), np.repeat([0, 2, 2, 5], count))
    np.testing.assert_array_equal(tf.searchsorted(row, values, "right"), np.repeat([1, 4, 4, 6], count))
    # A NaN comes before nothing, and nothing comes before it.
    nan = tf.fill([count], tf.constant(np.nan, dtype))
    np.testing.assert_array_equal(tf.searchsorted(row, nan), [0] * count)
    np.testing.assert_array_equal(tf.searchsorted(row, nan, "right"), [6] * count)
