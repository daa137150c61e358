"""Sorting and the largest elements: short rows by comparison, long ones by digits, against numpy's stable sort."""

import numpy as np
import pytest
import tracefn as tf

DTYPES = [
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
]


def numbers(dtype, shape, ties):
    rng = np.random.default_rng(5)
    if "float" in dtype:
        x = np.round(rng.standard_normal(shape) * 3) if ties else rng.standard_normal(shape) * 1e3
        x.flat[::7] = -0.0
        x.flat[3::11] = np.nan
        x.flat[5::13] = np.inf
        x.flat[6::17] = -np.inf
        return x.astype(tf.as_dtype(dtype).as_numpy_dtype)
    info = np.iinfo(dtype)
    low, high = (0, 5) if ties else (info.min, info.max)
    return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


def descending(x):
    """The places of the elements of each row, the largest first, NaN last, equal ones in order."""
    if x.dtype.kind in "iu":
        return np.argsort(~x, axis=-1, kind="stable")
    wide = x.astype(np.float64)
    return np.stack([np.lexsort((-row, np.isnan(row))) for row in wide + 0.0])


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [1, 2, 127, 128, 129, 1000, 70_000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_top_k(dtype, n, ties):
    x = numbers(dtype, (2, n), ties)
    order = descending(x)
    for k in {0, 1, n // 10, n // 3, n}:
        values, indices = tf.math.top_k(x, k)
        np.testing.assert_array_equal(indices, order[:, :k])
        assert values.numpy().tobytes() == np.take_along_axis(x, order[:, :k], -1).tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
@pytest.mark.parametrize(
    "shape, axis", [((300, 4), 0), ((3, 200, 2), 1), ((5, 1000), -1), ((0, 3), -1), ((3, 0), -1)], ids=str
)
def test_sort_along_an_axis(shape, axis, dtype):
    x = np.nan_to_num(numbers(dtype, shape, False))
    np.testing.assert_array_equal(tf.sort(x, axis), np.sort(x, axis))
    np.testing.assert_array_equal(tf.argsort(x, axis), np.argsort(x, axis, kind="stable"))
    np.testing.assert_array_equal(tf.sort(x, axis, direction="DESCENDING"), np.flip(np.sort(x, axis), axis))


def test_values_keep_their_bits():
    x = np.tile(np.array([0.0, -0.0], np.float32), 100)
    values, places = tf.math.top_k(x, 200)
    np.testing.assert_array_equal(places, np.arange(200))
    np.testing.assert_array_equal(np.signbit(values), np.signbit(x))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 5), (4, 1), (7, 16), (9, 100), (33, 129), (16, 2048), (5, 2049), (0, 3), (3, 0)])
@pytest.mark.parametrize("ties", [False, True])
def test_values_alone_are_sorted_as_with_their_places(dtype, shape, ties):
    x = tf.constant(numbers(dtype, shape, ties))
    n = shape[1]
    for k in {n, n - n // 5, n // 2}:
        wanted = tf.math.top_k(x, k)[0].numpy()
        alone = tf.function(lambda x, k=k: tf.math.top_k(x, k)[0])(x)
        assert alone.numpy().tobytes() == wanted.tobytes()
    for direction in ("ASCENDING", "DESCENDING"):
        wanted = tf.sort(x, direction=direction).numpy()
        alone = tf.function(lambda x, d=direction: tf.sort(x, direction=d))(x)
        assert alone.numpy().tobytes() == wanted.tobytes()


def test_places_alone():
    x = tf.constant(numbers("float32", (20, 100), True))
    places = tf.function(lambda x: tf.math.top_k(x, 100)[1])(x)
    np.testing.assert_array_equal(places, descending(x.numpy()))


def test_a_function_of_the_values_that_also_returns_places():
    x = tf.constant(numbers("float32", (20, 100), True))

    @tf.function
    def both(x):
        values, places = tf.math.top_k(x, 90)
        return tf.reduce_sum(tf.cast(places, "int64"), 1), values

    sums, values = both(x)
    np.testing.assert_array_equal(sums, descending(x.numpy())[:, :90].sum(1))
    assert values.numpy().tobytes() == tf.math.top_k(x, 90)[0].numpy().tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", [1, 4, 7, 16, 17, 33])
def test_values_alone_have_the_bits_of_values_with_places(dtype, rows):
    @tf.function(reduce_retracing=True)
    def alone(x, k):
        return tf.math.top_k(x, k)[0]

    @tf.function(reduce_retracing=True)
    def with_places(x, k):
        return tuple(tf.math.top_k(x, k))

    for n in (2, 15, 16, 17, 32, 100, 513):
        x = tf.constant(numbers(dtype, (rows, n), ties=n % 2 == 0), dtype)
        for k in sorted({n, n // 2, n - 1}):
            expected = with_places(x, tf.constant(k))[0].numpy()
            assert alone(x, tf.constant(k)).numpy().tobytes() == expected.tobytes(), (n, k)


def test_an_eager_sort_leaves_the_places_out():
    """But for tapes and accumulators, whose rules read them."""
    x = tf.constant(np.random.default_rng(8).normal(size=(3, 700)).astype(np.float32))
    np.testing.assert_array_equal(tf.sort(x), np.sort(x.numpy()))
    np.testing.assert_array_equal(tf.sort(x, 0, "DESCENDING"), np.sort(x.numpy(), 0)[::-1])
    places = np.argsort(x.numpy(), kind="stable")
    weights = tf.range(700.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sort(x) * weights
    wanted = np.zeros_like(x.numpy())
    np.put_along_axis(wanted, places, np.broadcast_to(weights.numpy(), wanted.shape), -1)
    np.testing.assert_array_equal(tape.gradient(y, x), wanted)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x) * weights) as accumulator:
        y = tf.sort(x)
    tangents = np.broadcast_to(weights.numpy(), places.shape)
    np.testing.assert_array_equal(accumulator.jvp(y), np.take_along_axis(tangents, places, -1))
    np.testing.assert_array_equal(tf.argsort(x), places)
