"""Remainders of floating-point numbers are exact: NumPy's, bit for bit."""

import numpy as np
import pytest
import tracefn as tf

RNG = np.random.default_rng(5)
N = 5000


def any_bits(dtype):
    """Numbers of all magnitudes, but subnormal ones, which kernels take for zero."""
    word = np.uint32 if dtype == "float32" else np.uint64
    x = RNG.integers(0, np.iinfo(word).max, N, word).view(dtype)
    return np.where(np.abs(x) < np.finfo(dtype).tiny, 1, x).astype(dtype)


def pairs(dtype):
    """Operands by kind."""
    info = np.finfo(dtype)
    edges = np.array([0, -0.0, 1, -1, 3, 0.1, -0.3, np.inf, -np.inf, np.nan, info.max, info.tiny, 2.0**22, 2.0**52], dtype)
    steps = RNG.integers(-1000, 1000, N).astype(dtype)
    return {
        "near": (RNG.normal(size=N) * 10, RNG.normal(size=N)),
        "far": (RNG.normal(size=N) * 1e9, RNG.normal(size=N)),
        "whole": (RNG.integers(-(10**6), 10**6, N), RNG.integers(1, 1000, N)),
        "multiples": (steps * dtype_of(0.1, dtype), np.full(N, 0.1)),
        "just below multiples": (np.nextafter(steps * 7, dtype_of(0, dtype)), np.full(N, 7)),
        "bits": (any_bits(dtype), any_bits(dtype)),
        "edges": (np.repeat(edges, len(edges)), np.tile(edges, len(edges))),
    }


def dtype_of(x, dtype):
    return np.dtype(dtype).type(x)


def equal_bits(found, wanted):
    found = np.asarray(found)
    same = (found == wanted) & (np.signbit(found) == np.signbit(wanted)) | np.isnan(found) & np.isnan(wanted)
    assert same.all(), (np.flatnonzero(~same)[:5], found[~same][:5], wanted[~same][:5])


@pytest.mark.parametrize("kind", list(pairs("float32")))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_of_truncating_division(dtype, kind):
    x, y = (values.astype(dtype) for values in pairs(dtype)[kind])
    with np.errstate(all="ignore"):
        equal_bits(tf.raw_ops.TruncateMod(x=x, y=y), np.fmod(x, y))
        equal_bits(tf.raw_ops.TruncateMod(x=x, y=y[0]), np.fmod(x, y[0]))
        equal_bits(tf.raw_ops.TruncateMod(x=x[3], y=y), np.fmod(x[3], y))
        equal_bits(tf.raw_ops.TruncateMod(x=x[3], y=y[3]), np.fmod(x[3], y[3]))


@pytest.mark.parametrize("kind", list(pairs("float32")))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_of_floor_division(dtype, kind):
    x, y = (values.astype(dtype) for values in pairs(dtype)[kind])
    with np.errstate(all="ignore"):
        remainder = np.fmod(x, y)
        wanted = np.where((remainder != 0) & ((remainder < 0) != (y < 0)), remainder + y, remainder)
    # Subnormal numbers are taken for zero.
    subnormal = [(x != 0) & (np.abs(x) < np.finfo(dtype).tiny) for x in (remainder, wanted)]
    normal = ~(subnormal[0] | subnormal[1])
    equal_bits(tf.math.floormod(x, y)[normal], wanted[normal])
    equal_bits(tf.function(tf.math.floormod)(x, y)[normal], wanted[normal])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_of_small_floats(dtype):
    x, y = tf.cast(RNG.normal(size=N) * 100, dtype), tf.cast(RNG.normal(size=N), dtype)
    wanted = tf.cast(tf.math.floormod(tf.cast(x, "float32"), tf.cast(y, "float32")), dtype)
    np.testing.assert_array_equal(tf.cast(tf.math.floormod(x, y), "float32"), tf.cast(wanted, "float32"))
