"""Reductions, ArgMax and scans along every axis: narrow and wide, short and in parts, against numpy."""

import numpy as np
import pytest
import tracefn as tf

SHAPES = [
    (1,),
    (7,),
    (3, 5),
    (5000, 3),
    (3, 5000),
    (70, 33),
    (1300, 600),
    (2, 3000, 5),
    (2, 700, 40, 3),
    (1_100_000, 2),
]
AXES = [(shape, axis) for shape in SHAPES for axis in range(len(shape))]


def numbers(shape, dtype, special=False):
    rng = np.random.default_rng(3)
    x = (rng.standard_normal(shape) * 50).astype(dtype)
    if special:
        x[rng.random(shape) < 0.3] = np.nan
        x[rng.random(shape) < 0.05] = -np.inf
    return x


def first_extreme(x, axis, largest):
    """The first of the extremes that are beyond the last finite number, as in TensorFlow; 0 if none is."""
    limits = np.finfo(x.dtype) if x.dtype.kind == "f" else np.iinfo(x.dtype)
    counts = x > limits.min if largest else x < limits.max
    known = np.where(counts, x, limits.min if largest else limits.max)
    best = known.max(axis, keepdims=True) if largest else known.min(axis, keepdims=True)
    return np.argmax((known == best) & counts, axis)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int32", "int64", "uint16"])
@pytest.mark.parametrize("shape, axis", AXES, ids=str)
def test_arg(shape, axis, dtype):
    for special in (False, True) if dtype.startswith("float") else (False,):
        x = numbers(shape, dtype, special)
        np.testing.assert_array_equal(tf.argmax(x, axis), first_extreme(x, axis, True))
        np.testing.assert_array_equal(tf.argmin(x, axis), first_extreme(x, axis, False))


@pytest.mark.parametrize("rows", [1, 5])
def test_arg_of_the_worst_numbers(rows):
    x = np.full((rows, 9000), -np.inf, np.float32)
    x[:, :3] = np.nan
    np.testing.assert_array_equal(tf.argmax(x, 1), [0] * rows)
    np.testing.assert_array_equal(tf.argmax(x.T.copy(), 0), [0] * rows)
    x[:] = np.nan
    np.testing.assert_array_equal(tf.argmax(x, 1), [0] * rows)
    lowest = np.full((rows, 9000), -128, np.int8)
    np.testing.assert_array_equal(tf.argmax(lowest, 1), [0] * rows)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
@pytest.mark.parametrize("shape, axis", AXES, ids=str)
def test_reductions(shape, axis, dtype):
    x = numbers(shape, dtype)
    np.testing.assert_array_equal(tf.reduce_max(x, axis), x.max(axis))
    np.testing.assert_array_equal(tf.reduce_min(x, axis), x.min(axis))
    got = tf.reduce_sum(x, axis).numpy()
    if dtype.startswith("float"):
        exact = x.sum(axis, dtype=np.longdouble)
        # Pairwise: the error grows with the logarithm of the number of elements.
        bound = 64 * np.finfo(dtype).eps * np.abs(x).sum(axis, dtype=np.longdouble)
        assert (np.abs(got - exact) <= bound).all()
    else:
        np.testing.assert_array_equal(got, x.sum(axis, dtype=dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "complex64"])
@pytest.mark.parametrize("exclusive, reverse", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("shape, axis", [(shape, axis) for shape, axis in AXES if shape[0] < 10**6], ids=str)
def test_scans(shape, axis, exclusive, reverse, dtype):
    x = numbers(shape, dtype)
    y = np.flip(x, axis) if reverse else x
    sums = np.cumsum(y, axis, dtype=dtype)
    if exclusive:
        first = [slice(None)] * x.ndim
        first[axis] = slice(0, 1)
        sums = np.roll(sums, 1, axis)
        sums[tuple(first)] = 0
    want = np.flip(sums, axis) if reverse else sums
    got = tf.cumsum(x, axis, exclusive=exclusive, reverse=reverse).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1 if dtype in ("float32", "complex64") else 1e-6)


@pytest.mark.parametrize("shape, axis", [((4_000_000,), 0), ((300_000, 7), 0), ((3, 1_000_000), 1), ((2000, 900), 0)])
def test_the_same_bits_on_any_number_of_threads(shape, axis):
    x = tf.constant(numbers(shape, "float32"))
    before = tf.config.threading.get_intra_op_parallelism_threads()
    results = []
    for threads in (1, 2, 3):
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        calls = (tf.reduce_sum, tf.reduce_mean, tf.argmax, tf.cumsum)
        results.append([call(x, axis).numpy().tobytes() for call in calls])
    tf.config.threading.set_intra_op_parallelism_threads(before)
    assert results[0] == results[1] == results[2]
