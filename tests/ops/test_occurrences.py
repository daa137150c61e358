"""How often numbers occur, distinct elements, and places in sorted rows, against numpy."""

import numpy as np
import pytest
import tracefn as tf

raw = tf.raw_ops


@pytest.mark.parametrize("n, size", [(0, 3), (5, 3), (1000, 10), (300_000, 1000), (70_000, 100_000)], ids=str)
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_counts(n, size, dtype):
    x = np.random.default_rng(0).integers(0, size + 2, n).astype(np.int32)
    want = np.bincount(x, minlength=size)[:size]
    got = raw.DenseBincount(input=x, size=np.int32(size), weights=np.zeros(0, dtype))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(raw.Bincount(arr=x, size=size, weights=np.zeros(0, dtype)), want)
    weights = (x % 5).astype(dtype)
    weighted = np.bincount(x, weights, minlength=size)[:size] if n else np.zeros(size)
    np.testing.assert_array_equal(raw.DenseBincount(input=x, size=np.int32(size), weights=weights), weighted)
    binary = raw.DenseBincount(input=x, size=np.int32(size), weights=np.zeros(0, dtype), binary_output=True)
    np.testing.assert_array_equal(binary, want > 0)


def test_counts_of_rows():
    x = np.random.default_rng(1).integers(0, 9, (50, 70))
    got = tf.math.bincount(x, axis=-1, maxlength=7)
    np.testing.assert_array_equal(got, np.stack([np.bincount(row, minlength=7)[:7] for row in x]))
    assert tf.math.bincount(np.zeros((3, 0), np.int32), axis=-1, minlength=2).numpy().tolist() == [[0, 0]] * 3


@pytest.mark.parametrize("place", [0, 99_999])
def test_negative_numbers_are_found_wherever_they_are(place):
    x = np.ones(100_000, np.int32)
    x[place] = -1
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input arr must be non-negative!"):
        tf.math.bincount(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be non-negative! Negative input value found: -1"):
        tf.math.bincount(x[None], axis=-1)


@pytest.mark.parametrize("size", [2**40, 2**62, 2**63 - 1, -1])
def test_hostile_sizes(size):
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)):
        raw.DenseBincount(input=np.int64([1]), size=np.int64(size), weights=np.zeros(0, np.int64))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("n", [0, 10, 300_000])
def test_histograms(n, dtype):
    x = (np.random.default_rng(2).standard_normal(n) * 40).astype(dtype)
    low, high, bins = np.array(-50, dtype), np.array(50, dtype), 20
    got = tf.histogram_fixed_width(x, [low, high], bins, dtype="int64")
    places = np.floor((np.maximum(x, low) - low).astype(np.float64) / (100 / bins))
    np.testing.assert_array_equal(got, np.bincount(np.minimum(places, bins - 1).astype(int), minlength=bins))


def test_histograms_of_the_widest_range():
    most = np.iinfo(np.int64).max
    x = np.array([-most - 1, 0, most])
    np.testing.assert_array_equal(tf.histogram_fixed_width(x, [-most - 1, most], 2), [1, 2])
    np.testing.assert_array_equal(
        tf.histogram_fixed_width(np.float32([1, np.inf]), np.float32([0, np.inf]), 3), [1, 0, 1]
    )


UNIQUE = ["float32", "float64", "float16", "int8", "uint8", "int32", "int64", "uint64", "complex64", "bool", "str"]


@pytest.mark.parametrize("dtype", UNIQUE)
@pytest.mark.parametrize("n, distinct", [(0, 1), (1, 1), (50, 7), (5000, 4000), (200_000, 90_000)], ids=str)
def test_unique(n, distinct, dtype):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, distinct, n)
    if dtype in ("int64", "uint64", "int32"):
        x = (codes * 19_349_663 % 2**31).astype(dtype)  # far apart
    elif dtype == "str":
        x = np.array([str(c).encode() for c in codes], object)
    else:
        x = (codes % 2000).astype(dtype)  # float16 has all of them
    _, first, inverse, counts = np.unique(x.astype(str) if dtype == "str" else x, True, True, True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    for index in ("int32", "int64"):
        y, idx, count = tf.unique_with_counts(tf.constant(x, tf.string) if dtype == "str" else x, index)
        assert idx.dtype == count.dtype == index
        assert y.numpy().tolist() == x[np.sort(first)].tolist()
        np.testing.assert_array_equal(idx, rank[inverse])
        np.testing.assert_array_equal(count, counts[order])


def test_unique_zeros_and_nan():
    y, idx = tf.unique([np.nan, -0.0, np.nan, 0.0])
    np.testing.assert_array_equal(y, [np.nan, -0.0, np.nan])
    assert np.signbit(y[1])
    np.testing.assert_array_equal(idx, [0, 1, 2, 1])
    extremes = np.int64([-(2**63), 2**63 - 1, -(2**63)])
    np.testing.assert_array_equal(tf.unique(extremes).idx, [0, 1, 0])


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("dtype", ["int32", "float64", "str"])
def test_unique_slices(axis, dtype):
    x = np.random.default_rng(4).integers(0, 2, (3, 9, 2))
    x = np.vectorize(str, otypes=[object])(x) if dtype == "str" else x.astype(dtype)
    y, idx, count = raw.UniqueWithCountsV2(x=tf.constant(x), axis=[axis])
    slices = [str(s.tolist()) for s in np.moveaxis(x, axis, 0)]
    first = list(dict.fromkeys(slices))
    assert idx.numpy().tolist() == [first.index(s) for s in slices]
    assert count.numpy().tolist() == [slices.count(s) for s in first]
    want = np.take(x, [slices.index(s) for s in first], axis)
    assert (
        np.vectorize(lambda v: v.decode(), otypes=[object])(y.numpy()).tolist() == want.tolist()
        if dtype == "str"
        else (y.numpy() == want).all()
    )


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64", "uint64"])
@pytest.mark.parametrize("n", [1, 2, 3, 63, 64, 65, 1000])
def test_searchsorted(n, dtype, side):
    rng = np.random.default_rng(5)
    rows = np.sort(rng.integers(0, 100, (3, n)).astype(dtype), 1)
    values = rng.integers(0, 110, (3, 77)).astype(dtype)
    want = [np.searchsorted(r, v, side) for r, v in zip(rows, values, strict=True)]
    for out_type in ("int32", "int64"):
        np.testing.assert_array_equal(tf.searchsorted(rows, values, side, out_type), want)


def test_searchsorted_in_nothing():
    np.testing.assert_array_equal(tf.searchsorted(np.float32([]), [1.0, 2.0]), [0, 0])
    np.testing.assert_array_equal(
        raw.UpperBound(sorted_inputs=np.zeros((2, 0)), values=np.ones((2, 3))), np.zeros((2, 3))
    )


@pytest.mark.parametrize("dtype", ["bool", "float32", "int8", "complex64", "float16"])
@pytest.mark.parametrize("shape", [(0,), (7,), (100_000,), (3, 0), (40, 30), (300, 1, 500), (5, 6, 7, 8)], ids=str)
@pytest.mark.parametrize("density", [0.0, 0.02, 0.5, 1.0])
def test_where(shape, density, dtype):
    x = (np.random.default_rng(6).random(shape) < density).astype(dtype)
    np.testing.assert_array_equal(tf.where(x), np.argwhere(x))
