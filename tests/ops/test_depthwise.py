"""Depthwise and separable convolutions, morphological dilation, and blocks moved to the batch and to the channels."""

import numpy as np
import pytest
import tracefn as tf
from support.windows import channels_second, depthwise, differences, pool

RNG = np.random.default_rng(8)


def values(*shape):
    return RNG.normal(size=shape)


@pytest.mark.parametrize("second", (False, True))  # TensorFlow's kernels for CPUs take no NCHW
@pytest.mark.parametrize("padding", ("SAME", "VALID", [(1, 2), (0, 3)]))
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (5, 1), (1, 2), (1, 3)])
@pytest.mark.parametrize(("channels", "multiplier"), [(5, 1), (3, 4), (70, 1), (1, 1)])
def test_depthwise_and_its_gradients(channels, multiplier, stride, dilation, padding, second):
    x, f = values(2, 9, 8, channels), values(3, 2, channels, multiplier)
    steps = (stride, stride), (dilation, dilation)
    y = depthwise(x, f, *steps, padding)
    dy, vx, vf = values(*y.shape), values(*x.shape), values(*f.shape)
    order = channels_second if second else np.asarray
    if isinstance(padding, list):
        pairs = [(0, 0), (0, 0), *padding] if second else [(0, 0), *padding, (0, 0)]
    else:
        pairs = padding
    strides = [1, 1, stride, stride] if second else [1, stride, stride, 1]
    given, filters = tf.constant(order(x)), tf.constant(f)
    with tf.GradientTape() as tape:
        tape.watch([given, filters])
        found = tf.nn.depthwise_conv2d(given, filters, strides, pairs, "NCHW" if second else None, [dilation, dilation])
    np.testing.assert_allclose(found, order(y), atol=1e-12)
    dx, df = tape.gradient(found, [given, filters], tf.constant(order(dy)))
    along_x = (depthwise(vx, f, *steps, padding) * dy).sum()
    along_f = (depthwise(x, vf, *steps, padding) * dy).sum()
    np.testing.assert_allclose((dx.numpy() * order(vx)).sum(), along_x, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose((df.numpy() * vf).sum(), along_f, rtol=1e-9, atol=1e-9)


def test_second_order():
    x, f = values(1, 4, 3, 2), values(2, 2, 2, 2)

    def gradient_sum(x, f):
        x, f = tf.constant(x), tf.constant(f)
        with tf.GradientTape() as tape:
            tape.watch([x, f])
            y = tf.reduce_sum(tf.nn.depthwise_conv2d(x, f, [1, 2, 2, 1], "SAME") ** 2)
        dx, df = tape.gradient(y, [x, f])
        return tf.reduce_sum(tf.sin(dx)) + tf.reduce_sum(tf.cos(df))

    given = [tf.constant(x), tf.constant(f)]
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = gradient_sum(*given)
    for exact, approximate in zip(tape.gradient(y, given), differences(gradient_sum, [x, f], 1e-5), strict=True):
        np.testing.assert_allclose(exact, approximate, rtol=1e-5, atol=1e-4)


def test_the_number_of_threads_changes_no_bit():
    x, f = tf.constant(values(4, 60, 50, 40).astype(np.float32)), tf.constant(values(3, 3, 40, 1).astype(np.float32))
    before = tf.config.threading.get_intra_op_parallelism_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            with tf.GradientTape() as tape:
                tape.watch([x, f])
                y = tf.nn.depthwise_conv2d(x, f, [1, 2, 2, 1], "SAME")
            found.append([y.numpy(), *(g.numpy() for g in tape.gradient(y, [x, f]))])
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_separable():
    x, one, two = values(2, 7, 6, 3), values(3, 3, 3, 2), values(1, 1, 6, 4)
    y = depthwise(x, one, (1, 1), (2, 2), "SAME") @ two[0, 0]
    np.testing.assert_allclose(tf.nn.separable_conv2d(x, one, two, [1] * 4, "SAME", dilations=[2, 2]), y, atol=1e-12)


@pytest.mark.parametrize("padding", ("SAME", "VALID"))
def test_dilation_and_erosion(padding):
    x, f = values(2, 6, 7, 3), values(3, 2, 3)
    flat = tf.nn.dilation2d(x, np.zeros((3, 2, 3)), [1, 2, 1, 1], padding, "NHWC", [1, 1, 1, 1])
    np.testing.assert_array_equal(flat, pool(x, (3, 2), (2, 1), padding, lambda e: e.max(0)))
    opposite = -tf.nn.dilation2d(-x, f[::-1, ::-1], [1, 1, 1, 1], padding, "NHWC", [1, 2, 1, 1])
    np.testing.assert_array_equal(tf.nn.erosion2d(x, f, [1, 1, 1, 1], padding, "NHWC", [1, 2, 1, 1]), opposite)

    def total(x, f):
        return tf.reduce_sum(tf.sin(tf.nn.dilation2d(x, f, [1, 1, 2, 1], padding, "NHWC", [1, 2, 1, 1])))

    given = [tf.constant(x), tf.constant(f)]
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = total(*given)
    for exact, approximate in zip(tape.gradient(y, given), differences(total, [x, f], 1e-6), strict=True):
        np.testing.assert_allclose(exact, approximate, rtol=1e-4, atol=1e-6)


def test_pool_with_gaps():
    x = RNG.permutation(2 * 9 * 8 * 3).reshape(2, 9, 8, 3).astype(np.float64)
    y = tf.nn.pool(x, [2, 3], "MAX", dilations=[3, 2]).numpy()
    expected = np.stack([x[:, a : a + 6, b : b + 4] for a in (0, 3) for b in (0, 2, 4)]).max(0)
    np.testing.assert_array_equal(y, expected)
    traced = tf.function(lambda x: tf.nn.pool(x, [2, 3], "AVG", dilations=[3, 2]))
    spec = tf.TensorSpec([None, None, None, 3], "float64")
    expected = np.stack([x[:, a : a + 6, b : b + 4] for a in (0, 3) for b in (0, 2, 4)]).mean(0)
    np.testing.assert_allclose(traced.get_concrete_function(spec)(tf.constant(x)), expected)
    np.testing.assert_array_equal(tf.nn.pool(x, [2, 2], "MAX", [2, 2], "SAME"), tf.nn.max_pool2d(x, 2, 2, "SAME"))


def test_no_block_dimensions():
    for paddings in tf.required_space_to_batch_paddings(np.zeros(0, np.int32), np.zeros(0, np.int32)):
        assert paddings.shape == (0, 2) and paddings.dtype == "int32"
    x = tf.ones([1, 4, 4, 1])
    assert tf.nn.with_space_to_batch(x, np.zeros(0, np.int32), "VALID", lambda *a: a[1:], spatial_dims=[1]) == (
        0,
        "VALID",
    )
    with pytest.raises(IndexError, match="list index out of range"):  # as in TensorFlow
        tf.nn.with_space_to_batch(x, np.zeros(0, np.int32), "VALID", lambda *a: a)


def test_the_warning_about_strides_names_the_line_of_the_program():
    x, f = tf.ones([1, 4, 4, 1]), tf.ones([1, 1, 1, 1])
    for call in (
        lambda: tf.nn.depthwise_conv2d(x, f, [1, 2, 2, 1], "VALID", dilations=[2, 2]),
        lambda: tf.nn.separable_conv2d(x, f, f, [1, 2, 2, 1], "VALID", dilations=[2, 2]),
    ):
        with pytest.warns(UserWarning, match="When dilation rate is greater than 1") as warned:
            call()
        assert [w.filename for w in warned] == [__file__]


@pytest.mark.parametrize("dtype", ("float32", "int64", "complex128", "bool", "string"))
def test_blocks_and_back(dtype):
    x = RNG.integers(0, 9, size=(2, 5, 6, 3))
    x = x.astype(str).astype(object) if dtype == "string" else x.astype(dtype)
    given = tf.constant(x)
    parts = tf.space_to_batch(given, [2, 3], [[1, 0], [2, 1]])
    assert parts.shape == [12, 3, 3, 3] and parts.dtype == dtype
    np.testing.assert_array_equal(tf.batch_to_space(parts, [2, 3], [[1, 0], [2, 1]]), given)
    if dtype != "string":
        padded = np.pad(x, [(0, 0), (1, 0), (2, 1), (0, 0)])
        expected = padded.reshape(2, 3, 2, 3, 3, 3).transpose(2, 4, 0, 1, 3, 5).reshape(12, 3, 3, 3)
        np.testing.assert_array_equal(parts, expected)
    even = given[:, :4]
    deep = tf.nn.space_to_depth(even, 2)
    assert deep.shape == [2, 2, 3, 12]
    np.testing.assert_array_equal(tf.nn.depth_to_space(deep, 2), even)
    second = tf.nn.space_to_depth(tf.transpose(even, [0, 3, 1, 2]), 2, "NCHW")
    np.testing.assert_array_equal(tf.transpose(second, [0, 2, 3, 1]), deep)
    np.testing.assert_array_equal(tf.nn.depth_to_space(second, 2, "NCHW"), tf.transpose(even, [0, 3, 1, 2]))
