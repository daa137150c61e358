"""Pooling and its gradients, compared with loops: layouts, paddings, strides, dtypes, special numbers."""

import functools
import re

import numpy as np
import pytest
import tracefn as tf
from support.windows import channels_second, differences, pool

RNG = np.random.default_rng(6)
raw = tf.raw_ops
CASES = {
    "halves": ((2, 6, 8, 3), (2, 2), (2, 2)),
    "overlapping": ((2, 7, 5, 5), (3, 2), (1, 1)),
    "gaps": ((1, 11, 13, 2), (2, 3), (3, 5)),
    "whole": ((3, 4, 5, 70), (4, 5), (1, 1)),
    "line": ((2, 1, 9, 33), (1, 3), (1, 2)),
    "stripes": ((1, 61, 5, 11), (3, 3), (2, 1)),
    "far apart": ((1, 70, 4, 2), (2, 2), (5, 3)),
}


def distinct(shape, dtype="float64"):
    return RNG.permutation(int(np.prod(shape))).reshape(shape).astype(dtype)


def largest_by_real_part(e):
    return np.take_along_axis(e, e.real.argmax(0)[None], 0)[0]


@pytest.mark.parametrize("second", (False, True))  # TensorFlow's kernels for CPUs take no NCHW
@pytest.mark.parametrize("padding", ("SAME", "VALID"))
@pytest.mark.parametrize("case", CASES)
def test_pools_of_images(case, padding, second):
    shape, window, strides = CASES[case]
    x = distinct(shape)
    order, layout = (channels_second, "NCHW") if second else (np.asarray, "NHWC")
    given = tf.constant(order(x))
    for function, reference in ((tf.nn.max_pool2d, np.max), (tf.nn.avg_pool2d, np.mean)):
        with tf.GradientTape() as tape:
            tape.watch(given)
            y = function(given, window, strides, padding, layout)
        expected = pool(x, window, strides, padding, functools.partial(reference, axis=0))
        np.testing.assert_allclose(y, order(expected), rtol=1e-13)
        dy = RNG.normal(size=expected.shape)
        dx = tape.gradient(y, given, tf.constant(order(dy))).numpy()
        # Along a direction v, a maximum moves with its own element.
        v = RNG.normal(size=x.shape)
        moved = pool(
            x + 1j * v,
            window,
            strides,
            padding,
            functools.partial(np.mean, axis=0) if reference is np.mean else largest_by_real_part,
        ).imag
        np.testing.assert_allclose((dx * order(v)).sum(), (moved * dy).sum(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("second", (False, True))
@pytest.mark.parametrize("padding", ("SAME", "VALID"))
def test_pools_of_volumes_and_sequences(padding, second):
    order = channels_second if second else np.asarray
    x = distinct((2, 5, 4, 7, 3), "float32")
    window, strides = (2, 3, 2), (1, 2, 3)
    expected = pool(x, window, strides, padding, lambda e: e.max(0))
    y = tf.nn.max_pool3d(order(x), window, strides, padding, "NCDHW" if second else "NDHWC")
    np.testing.assert_array_equal(y, order(expected))
    expected = pool(x, window, strides, padding, lambda e: e.mean(0))
    y = tf.nn.avg_pool3d(order(x), window, strides, padding, "NCDHW" if second else "NDHWC")
    np.testing.assert_allclose(y, order(expected), rtol=1e-6)
    x = distinct((2, 9, 3), "float32")
    for function, reference in ((tf.nn.max_pool1d, np.max), (tf.nn.avg_pool1d, np.mean)):
        y = function(order(x), 3, 2, padding, "NCW" if second else "NWC")
        expected = pool(x, (3,), (2,), padding, functools.partial(reference, axis=0))
        np.testing.assert_allclose(y, order(expected), rtol=1e-6)


@pytest.mark.parametrize("window, strides", [((2, 3, 2), (1, 2, 3)), ((3, 2, 2), (2, 1, 2)), ((1, 4, 1), (2, 2, 1))])
@pytest.mark.parametrize("function", (tf.nn.max_pool3d, tf.nn.avg_pool3d))
def test_gradients_of_volumes(function, window, strides):
    """Volumes with so many planes that an image is cut into parts; along a direction, maxima move with their elements."""
    x = distinct((1, 40, 6, 5, 9))
    given = tf.constant(x, "float32")
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = function(given, window, strides, "SAME")
    dy, v = RNG.normal(size=y.shape), RNG.normal(size=x.shape)
    dx = tape.gradient(y, given, tf.constant(dy, "float32")).numpy()
    largest = largest_by_real_part if function is tf.nn.max_pool3d else functools.partial(np.mean, axis=0)
    moved = pool(x + 1j * v, window, strides, "SAME", largest).imag
    np.testing.assert_allclose((dx * v).sum(), (moved * dy).sum(), rtol=1e-4, atol=1e-3)


def test_by_rank():
    for rank, layout in ((3, "NCW"), (4, "NCHW"), (5, "NCDHW")):
        x = tf.constant(distinct((2, 4, 5, 6, 3)[: rank - 1] + (3,), "float32"))
        assert tf.nn.max_pool(x, 2, 1, "VALID").shape == [2, *(n - 1 for n in x.shape[1:-1]), 3]
        assert tf.nn.avg_pool(x, 2, 2, "SAME", layout).shape[:2] == x.shape[:2]
    with pytest.raises(
        ValueError, match=r"`input.shape.rank` must be 3, 4 or 5. Received: input.shape=\(2, 3\) of rank 2."
    ):
        tf.nn.max_pool(tf.zeros([2, 3]), 2, 1, "VALID")


def test_explicit_padding():
    x = distinct((2, 5, 6, 3), "float32")
    pairs = [(1, 2), (0, 1)]
    expected = pool(x, (3, 2), (1, 2), pairs, lambda e: e.max(0))
    np.testing.assert_array_equal(tf.nn.max_pool2d(x, (3, 2), (1, 2), [(0, 0), *pairs, (0, 0)]), expected)
    y = tf.nn.max_pool1d(x[:, :, 0], 3, 1, [[0, 0], [2, 1], [0, 0]])
    np.testing.assert_array_equal(y, pool(x[:, :, 0], (3,), (1,), [(2, 1)], lambda e: e.max(0)))


@pytest.mark.parametrize(
    "dtype", ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16")
)
def test_dtypes_of_maxima(dtype):
    x = RNG.integers(0, 100, size=(2, 5, 7, 37)) - (0 if dtype.startswith("u") else 50)
    y = tf.nn.max_pool2d(tf.cast(x, dtype), 3, 2, "SAME")
    assert y.dtype == dtype
    np.testing.assert_array_equal(tf.cast(y, "int64"), pool(x, (3, 3), (2, 2), "SAME", lambda e: e.max(0)))


@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32"))
def test_averages_of_narrow_floats_are_summed_as_floats(dtype):
    x = RNG.integers(0, 16, size=(2, 6, 6, 5)) / 4
    y = tf.nn.avg_pool2d(tf.cast(x, dtype), 4, 2, "VALID")
    expected = pool(x, (4, 4), (2, 2), "VALID", lambda e: e.mean(0))
    np.testing.assert_array_equal(y.numpy(), tf.cast(expected, dtype).numpy())


def test_across_channels():
    x = distinct((2, 3, 4, 6), "float32")
    y = tf.nn.max_pool2d(x, [1, 1, 1, 3], [1, 1, 1, 3], "VALID")
    np.testing.assert_array_equal(y, x.reshape(2, 3, 4, 2, 3).max(-1))


def test_places_of_maxima():
    x = distinct((2, 5, 6, 3), "float32")
    for whole in (False, True):
        y, at = tf.nn.max_pool_with_argmax(x, (2, 3), (2, 1), "SAME", include_batch_in_index=whole)
        np.testing.assert_array_equal(y, pool(x, (2, 3), (2, 1), "SAME", lambda e: e.max(0)))
        flat = x.reshape(-1) if whole else x.reshape(2, -1)
        np.testing.assert_array_equal(flat[at] if whole else np.stack([flat[i][at[i]] for i in range(2)]), y)
    assert tf.nn.max_pool_with_argmax(x, 2, 1, "VALID", output_dtype=tf.int32).argmax.dtype == tf.int32
    given = tf.constant(x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(given)
        y, _ = tf.nn.max_pool_with_argmax(given, 2, 1, "VALID")
        z = tf.nn.max_pool2d(given, 2, 1, "VALID")
    np.testing.assert_array_equal(tape.gradient(y, given), tape.gradient(z, given))


def test_special_numbers():
    x = np.array([np.nan, 1, 2, np.nan, -np.inf, np.inf], np.float32).reshape(1, 6, 1, 1)
    y = tf.nn.max_pool2d(x, [2, 1], 1, "VALID").numpy().ravel()
    np.testing.assert_array_equal(y, np.array([1, 2, 2, np.float32(np.finfo(np.float32).min), np.inf], np.float32))
    y = tf.nn.avg_pool2d(x, [2, 1], 1, "VALID").numpy().ravel()
    np.testing.assert_array_equal(y, np.array([np.nan, 1.5, np.nan, np.nan, np.nan], np.float32))


@pytest.mark.parametrize("shape", [(0, 4, 4, 2), (2, 4, 4, 0), (2, 0, 4, 3)])
def test_nothing_to_pool(shape):
    for function in (tf.nn.max_pool2d, tf.nn.avg_pool2d):
        x = tf.zeros(shape)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, 2, 2, "SAME")
        assert y.shape[0] == shape[0] and y.shape[3] == shape[3]
        assert tape.gradient(y, x).shape == shape


@pytest.mark.parametrize("function", (tf.nn.max_pool2d, tf.nn.avg_pool2d))
def test_second_order(function):
    x = distinct((2, 5, 4, 2)) / 10

    def gradient_sum(x):
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(function(x, (2, 3), 2, "SAME")))
        return tf.reduce_sum(tape.gradient(y, x) ** 3)

    given = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = gradient_sum(given)
    np.testing.assert_allclose(tape.gradient(y, given), differences(gradient_sum, [x], 1e-5)[0], rtol=1e-5, atol=1e-7)


def test_the_number_of_threads_changes_no_bit():
    x = tf.constant(RNG.normal(size=(5, 41, 37, 40)).astype(np.float32))
    before = tf.config.threading.get_intra_op_parallelism_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            for function in (tf.nn.max_pool2d, tf.nn.avg_pool2d):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = function(x, 3, 2, "SAME")
                found.append((threads, y.numpy(), tape.gradient(y, x).numpy()))
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)
    for i, (_, y, dx) in enumerate(found):
        np.testing.assert_array_equal(y, found[i % 2][1])
        np.testing.assert_array_equal(dx, found[i % 2][2])


@pytest.mark.parametrize("overlapping", (False, True))
@pytest.mark.parametrize("pseudo_random", (False, True))
def test_fractional_pools(pseudo_random, overlapping):
    x = distinct((2, 11, 14, 3))
    for function, reference in ((tf.nn.fractional_max_pool, np.max), (tf.nn.fractional_avg_pool, np.mean)):
        given = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(given)
            y, rows, columns = function(given, [1.0, 1.5, 1.7, 1.0], pseudo_random, overlapping, seed=3)
        assert y.shape == (2, 7, 8, 3) and rows[0] == columns[0] == 0 and rows[-1] == 11 and columns[-1] == 14
        assert set(np.diff(rows)) <= {1, 2} and set(np.diff(columns)) <= {1, 2}
        more = 1 if overlapping else 0
        expected = np.empty(y.shape)
        for i in range(7):
            for j in range(8):
                window = x[:, rows[i] : rows[i + 1] + more, columns[j] : columns[j + 1] + more]
                expected[:, i, j] = reference(window, axis=(1, 2))
        np.testing.assert_allclose(y, expected)
        dx = tape.gradient(y, given)
        np.testing.assert_allclose(tf.reduce_sum(dx), y.numpy().size)
    again = tf.nn.fractional_max_pool(x, 1.5)
    assert again.output.shape == (2, 7, 9, 3)


def test_fractional_pools_of_sizes_that_floats_round():
    spec = tf.TensorSpec([2**24 + 1, 2**24 + 3, 2**24 + 3, 2**24 + 1], "float32")
    ratio = [1.0, 1.0, float(np.nextafter(np.float32(1), np.float32(2))), 1.0]
    pool = tf.function(lambda x: tf.raw_ops.FractionalMaxPool(value=x, pooling_ratio=ratio)[0])
    n, height, width, channels = pool.get_concrete_function(spec).outputs[0].shape
    assert (n, height, channels) == (2**24 + 1, 2**24 + 3, 2**24 + 1) and 1 <= width <= 2**24 + 3
    x = tf.ones([1, 1, 1, 2**24 + 1])
    for function in (tf.nn.fractional_max_pool, tf.nn.fractional_avg_pool):
        y = function(x, [1.0, 1.0, 1.0, 1.0]).output
        assert y.shape == x.shape and float(tf.reduce_min(y)) == 1


@pytest.mark.parametrize("ratio", (np.nan, 0.0, -1.0, 1e-30, -1e-30, 0.5))
def test_fractional_pools_refuse_ratios_below_one(ratio):
    pool = tf.function(lambda x: tf.raw_ops.FractionalMaxPool(value=x, pooling_ratio=[1.0, ratio, 1.0, 1.0])[0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="pooling_ratio cannot be smaller than 1, got: "):
        pool.python_function(tf.ones([1, 4, 4, 1]))
    least = {-1.0: "-4", 0.5: None}.get(ratio, "-9223372036854775808")
    text = (
        f"Size computed for dim 1 is negative: {least}" if least else "pooling_ratio cannot be smaller than 1, got: 0.5"
    )
    with pytest.raises(ValueError, match=text):
        pool.get_concrete_function(tf.TensorSpec([1, 4, 4, 1]))


@pytest.mark.parametrize("padding", ("VALID", "SAME"))
def test_the_window_may_be_given_as_tensors(padding):
    x = tf.constant(RNG.normal(size=(2, 5, 6, 3)).astype(np.float32))
    ksize, strides = [1, 2, 3, 1], [1, 2, 1, 1]
    attrs = {"ksize": ksize, "strides": strides, "padding": padding}
    wanted = raw.MaxPool(input=x, **attrs)
    dy, ddx = tf.ones_like(wanted), x * 2.0

    @tf.function
    def pooled(ksize, strides):
        given = {"ksize": ksize, "strides": strides, "padding": padding}
        y = raw.MaxPoolV2(input=x, **given)
        assert y.shape.rank is None
        dx = raw.MaxPoolGradV2(orig_input=x, orig_output=y, grad=dy, **given)
        assert dx.shape == x.shape
        return y, dx, raw.MaxPoolGradGradV2(orig_input=x, orig_output=y, grad=ddx, **given)

    found = pooled(tf.constant(ksize), tf.constant(strides))
    gradient = raw.MaxPoolGrad(orig_input=x, orig_output=wanted, grad=dy, **attrs)
    second = raw.MaxPoolGradGrad(orig_input=x, orig_output=wanted, grad=ddx, **attrs)
    for got, want in zip(found, (wanted, gradient, second), strict=True):
        np.testing.assert_array_equal(got, want)
    known = tf.function(lambda: raw.MaxPoolV2(input=x, **attrs)).get_concrete_function()
    assert known.output_shapes == wanted.shape


def test_gradients_through_a_window_given_as_tensors():
    x = tf.constant(RNG.normal(size=(1, 4, 4, 2)).astype(np.float32))
    found = []
    for op in (raw.MaxPool, raw.MaxPoolV2):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                total = tf.reduce_sum(op(input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID") ** 3)
            first = inner.gradient(total, x)
        found.append([first, outer.gradient(first, x)])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ksize": [1, 2, 2]}, "Sliding window ksize field must specify 4 dimensions"),
        ({"strides": [1, 2, 2]}, "Sliding window stride field must specify 4 dimensions"),
        ({"ksize": [2, 2, 2, 1]}, "Pooling is not yet supported on the batch dimension."),
        ({"strides": [1, 0, 1, 1]}, "Stride must be > 0, but got 0"),
        ({"ksize": [1, -1, 2, 1]}, "Sliding window ksize must be positive."),
        ({"ksize": [1, 9, 2, 1]}, "Computed output size would be negative"),
    ],
)
def test_errors_of_a_window_given_as_tensors(given, words):
    arguments = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID", **given}
    x = tf.ones([1, 4, 4, 2])
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.UnimplementedError), match=re.escape(words)):
        raw.MaxPoolV2(input=x, **arguments)

    @tf.function
    def pooled(ksize, strides):
        return raw.MaxPoolV2(input=x, **{**arguments, "ksize": ksize, "strides": strides})

    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.UnimplementedError, ValueError)):
        pooled(tf.constant(arguments["ksize"]), tf.constant(arguments["strides"]))
