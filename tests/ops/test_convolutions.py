"""Convolutions and their gradients, compared with loops: layouts, paddings, strides, dilations, groups, dtypes."""

import numpy as np
import pytest
import tracefn as tf
from support.windows import channels_second, conv, differences

RNG = np.random.default_rng(5)

# (image, filter, channels, channels of a group, filters)
SHAPES = {
    "pixels": ((4, 5), (1, 1), 3, 3, 4),
    "odd": ((7, 5), (3, 3), 3, 3, 4),
    "prime": ((11, 13), (2, 5), 2, 2, 5),
    "two groups": ((6, 7), (3, 2), 4, 2, 6),
    "groups of one": ((5, 6), (2, 2), 3, 1, 6),
    "one": ((1, 1), (1, 1), 1, 1, 1),
    "filter beyond the image": ((2, 3), (5, 4), 2, 2, 3),
    "long lines of one channel": ((9, 70), (3, 3), 1, 1, 16),
    "long lines of few channels": ((12, 130), (2, 5), 3, 3, 31),
}
STEPS = {
    "1": ((1, 1), (1, 1)),
    "2": ((2, 2), (1, 1)),
    "3, 1": ((3, 1), (1, 1)),
    "dilated": ((1, 1), (2, 3)),
    "both": ((2, 3), (3, 2)),
}
PADDINGS = ("SAME", "VALID", [(1, 2), (0, 3)], [(4, 0), (3, 5)])


def values(*shape):
    return RNG.normal(size=shape)


def fits(image, window, dilations, padding):
    pairs = [(0, 0)] * len(image) if padding in ("SAME", "VALID") else padding
    return padding == "SAME" or all(
        n + sum(p) >= (w - 1) * d + 1 for n, w, d, p in zip(image, window, dilations, pairs, strict=True)
    )


def arguments(strides, dilations, padding, second=False):
    """The keyword arguments of tf.nn.conv2d and of its like."""
    if isinstance(padding, list):
        padding = [(0, 0), (0, 0), *padding] if second else [(0, 0), *padding, (0, 0)]
    return {
        "strides": list(strides),
        "dilations": list(dilations),
        "padding": padding,
        "data_format": ("NCHW" if len(strides) == 2 else "NCDHW")
        if second
        else ("NHWC" if len(strides) == 2 else "NDHWC"),
    }


@pytest.mark.parametrize("padding", PADDINGS, ids=str)
@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("shape", SHAPES)
def test_conv2d_and_its_gradients(shape, steps, padding):
    image, window, channels, of_group, filters = SHAPES[shape]
    strides, dilations = STEPS[steps]
    if not fits(image, window, dilations, padding):
        return
    x, f = values(2, *image, channels), values(*window, of_group, filters)
    expected = conv(x, f, strides, dilations, padding)
    # The gradient of <y, dy> is linear in x and in f: it is checked along random directions.
    dy, vx, vf = values(*expected.shape), values(*x.shape), values(*f.shape)
    along_x = (conv(vx, f, strides, dilations, padding) * dy).sum()
    along_f = (conv(x, vf, strides, dilations, padding) * dy).sum()
    for second in (False, True):  # TensorFlow's kernels for CPUs take no NCHW
        order = channels_second if second else np.asarray
        given, filters_ = tf.constant(order(x)), tf.constant(f)
        with tf.GradientTape() as tape:
            tape.watch([given, filters_])
            y = tf.nn.conv2d(given, filters_, **arguments(strides, dilations, padding, second))
        np.testing.assert_allclose(y, order(expected), atol=1e-11)
        dx, df = tape.gradient(y, [given, filters_], tf.constant(order(dy)))
        assert dx.shape == given.shape and df.shape == f.shape
        np.testing.assert_allclose((dx.numpy() * order(vx)).sum(), along_x, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose((df.numpy() * vf).sum(), along_f, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("padding", ("SAME", "VALID"))
@pytest.mark.parametrize(
    ("strides", "dilations"), [((1, 1, 1), (1, 1, 1)), ((2, 1, 3), (1, 1, 1)), ((1, 1, 1), (2, 1, 2))]
)
@pytest.mark.parametrize(("channels", "of_group", "filters"), [(3, 3, 2), (4, 2, 6)])
def test_conv3d_and_its_gradients(channels, of_group, filters, strides, dilations, padding):
    x, f = values(2, 5, 4, 7, channels), values(2, 3, 2, of_group, filters)
    expected = conv(x, f, strides, dilations, padding)
    dy, vx, vf = values(*expected.shape), values(*x.shape), values(*f.shape)
    along_x = (conv(vx, f, strides, dilations, padding) * dy).sum()
    along_f = (conv(x, vf, strides, dilations, padding) * dy).sum()
    for second in (False, True):
        order = channels_second if second else np.asarray
        surround = (lambda n: [1, 1, *n]) if second else (lambda n: [1, *n, 1])
        given, filters_ = tf.constant(order(x)), tf.constant(f)
        with tf.GradientTape() as tape:
            tape.watch([given, filters_])
            y = tf.nn.conv3d(
                given, filters_, surround(strides), padding, "NCDHW" if second else "NDHWC", surround(dilations)
            )
        np.testing.assert_allclose(y, order(expected), atol=1e-11)
        dx, df = tape.gradient(y, [given, filters_], tf.constant(order(dy)))
        np.testing.assert_allclose((dx.numpy() * order(vx)).sum(), along_x, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose((df.numpy() * vf).sum(), along_f, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("second", (False, True))
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 3)])
def test_conv1d_and_its_transpose(stride, dilation, second):
    x, f = values(2, 9, 3), values(4, 3, 5)
    expected = conv(x, f, [stride], [dilation], "SAME")
    order = channels_second if second else np.asarray
    kwargs = {"data_format": "NCW" if second else "NWC", "dilations": dilation}
    y = tf.nn.conv1d(order(x), f, stride, "SAME", **kwargs)
    np.testing.assert_allclose(y, order(expected), atol=1e-11)
    dy = values(*expected.shape)
    back = tf.nn.conv1d_transpose(order(dy), f, order(x).shape, stride, "SAME", **kwargs)
    np.testing.assert_allclose((back.numpy() * order(x)).sum(), (expected * dy).sum(), rtol=1e-9)


def test_transposes_are_gradients():
    x, f = values(2, 6, 7, 3), values(3, 2, 3, 4)
    y = conv(x, f, (2, 3), (1, 1), "SAME")
    dy = values(*y.shape)
    back = tf.nn.conv2d_transpose(dy, f, x.shape, [2, 3])
    np.testing.assert_allclose((back.numpy() * x).sum(), (y * dy).sum(), rtol=1e-9)
    np.testing.assert_array_equal(tf.nn.conv_transpose(dy, f, list(x.shape), [2, 3]), back)
    v, g = values(1, 4, 5, 6, 2), values(2, 3, 2, 2, 3)
    z = conv(v, g, (1, 2, 1), (1, 1, 1), "VALID")
    dz = values(*z.shape)
    back = tf.nn.conv3d_transpose(dz, g, v.shape, [1, 2, 1], "VALID")
    np.testing.assert_allclose((back.numpy() * v).sum(), (z * dz).sum(), rtol=1e-9)
    np.testing.assert_array_equal(tf.nn.conv_transpose(dz, g, v.shape, [1, 2, 1], "VALID"), back)


@pytest.mark.parametrize("padding", ("SAME", "VALID"))
def test_atrous_convolutions(padding):
    x, f = values(2, 9, 8, 3), values(3, 2, 3, 4)
    y = conv(x, f, (1, 1), (2, 2), padding)
    np.testing.assert_allclose(tf.nn.atrous_conv2d(x, f, 2, padding), y, atol=1e-11)
    np.testing.assert_allclose(tf.nn.convolution(x, f, padding=padding, dilations=2), y, atol=1e-11)
    dy = values(*y.shape)
    back = tf.nn.atrous_conv2d_transpose(dy, f, list(x.shape), 2, padding)
    np.testing.assert_allclose((back.numpy() * x).sum(), (y * dy).sum(), rtol=1e-9)


def test_more_batch_dimensions():
    x, f = values(2, 3, 5, 6, 2), values(2, 2, 2, 3)
    y = conv(x.reshape(6, 5, 6, 2), f, (1, 1), (1, 1), "SAME").reshape(2, 3, 5, 6, 3)
    np.testing.assert_allclose(tf.nn.conv2d(x, f, 1, "SAME"), y, atol=1e-11)
    np.testing.assert_allclose(tf.nn.convolution(x, f, padding="SAME"), y, atol=1e-11)
    assert tf.nn.conv1d(values(2, 3, 4, 5), values(2, 5, 3), 1, "VALID").shape == (2, 3, 3, 3)
    assert tf.nn.conv3d(values(2, 3, 4, 5, 6, 1), values(1, 1, 1, 1, 2), [1] * 5, "VALID").shape == (2, 3, 4, 5, 6, 2)
    traced = tf.function(lambda x: tf.nn.conv2d(x, f, 1, "VALID"))
    spec = tf.TensorSpec([2, None, None, 6, 2], "float64")
    assert traced.get_concrete_function(spec).output_shapes.as_list() == [2, None, None, 5, 3]
    np.testing.assert_allclose(traced.get_concrete_function(spec)(tf.constant(x)), tf.nn.conv2d(x, f, 1, "VALID"))


@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32", "float64", "int32"))
def test_dtypes(dtype):
    x = RNG.integers(-3, 4, size=(2, 6, 5, 3)).astype(np.float64)
    f = RNG.integers(-2, 3, size=(3, 2, 3, 4)).astype(np.float64)
    y = tf.nn.conv2d(tf.cast(x, dtype), tf.cast(f, dtype), 1, "SAME")
    assert y.dtype == dtype
    np.testing.assert_array_equal(tf.cast(y, "float64"), conv(x, f, (1, 1), (1, 1), "SAME"))


@pytest.mark.parametrize("dtype", ("float32", "float64", "int32"))
@pytest.mark.parametrize(("window", "of_group", "dilation"), [((13, 12), 1, 1), ((150, 1), 2, 1), ((3, 60), 2, 2)])
def test_windows_of_many_pieces(dtype, window, of_group, dilation):
    image = [(w - 1) * dilation + 3 for w in window]
    x = RNG.integers(-3, 4, size=(1, *image, 2)).astype(np.float64)
    f = RNG.integers(-2, 3, size=(*window, of_group, 4)).astype(np.float64)
    given, filters = tf.cast(x, dtype), tf.cast(f, dtype)
    with tf.GradientTape() as tape:
        tape.watch([given, filters])
        y = tf.nn.conv2d(given, filters, 1, "VALID", dilations=dilation)
    np.testing.assert_array_equal(y, conv(x, f, (1, 1), (dilation, dilation), "VALID"))
    if dtype != "int32":
        dy = RNG.integers(-2, 3, size=y.shape).astype(np.float64)
        dx, df = tape.gradient(y, [given, filters], tf.cast(dy, dtype))
        total = (y.numpy() * dy).sum()  # linear in x, and in f
        assert (dx.numpy() * x).sum() == total and (df.numpy() * f).sum() == total


def test_narrow_floats_are_summed_as_floats():
    x = tf.fill([1, 1, 1, 4096], tf.constant(1.0, "float16"))
    y = tf.nn.conv2d(x, tf.fill([1, 1, 4096, 1], tf.constant(1.0, "float16")), 1, "VALID")
    assert float(y[0, 0, 0, 0]) == 4096.0  # a sum of float16 would end at 2048


@pytest.mark.parametrize(
    ("x", "f"),
    [
        ((0, 4, 5, 2), (2, 2, 2, 3)),
        ((1, 0, 5, 2), (2, 2, 2, 3)),
        ((1, 4, 5, 2), (2, 2, 2, 0)),
        ((2, 4, 5, 0), (1, 1, 1, 3)),
    ],
)
def test_nothing_to_do(x, f):
    given, filters = tf.zeros(x), tf.zeros(f)
    with tf.GradientTape() as tape:
        tape.watch([given, filters])
        y = tf.nn.conv2d(given, filters, 1, "SAME")
    assert y.shape == (*x[:3], f[3]) and not np.any(y.numpy())
    dx, df = tape.gradient(y, [given, filters])
    assert dx.shape == x and df.shape == f and not np.any(dx.numpy()) and not np.any(df.numpy())


def test_special_numbers():
    x = np.zeros((1, 3, 3, 1), np.float32)
    x[0, 1, 1, 0] = np.nan
    x[0, 0, 0, 0] = np.inf
    y = tf.nn.conv2d(x, np.ones((2, 2, 1, 1), np.float32), 1, "VALID")[0, :, :, 0].numpy()
    np.testing.assert_array_equal(y, np.full((2, 2), np.nan))
    y = tf.nn.conv2d(x, np.ones((1, 1, 1, 1), np.float32), 1, "VALID")[0, :, :, 0].numpy()
    np.testing.assert_array_equal(y, x[0, :, :, 0])


def test_second_order():
    x, f = values(2, 4, 3, 2), values(3, 2, 2, 3)

    def gradient_sum(x, f):
        x, f = tf.constant(x), tf.constant(f)
        with tf.GradientTape() as tape:
            tape.watch([x, f])
            y = tf.reduce_sum(tf.nn.conv2d(x, f, [2, 1], "SAME") ** 2)
        dx, df = tape.gradient(y, [x, f])
        return tf.reduce_sum(tf.sin(dx)) + tf.reduce_sum(tf.cos(df))

    given = [tf.constant(x), tf.constant(f)]
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = gradient_sum(*given)
    for exact, approximate in zip(tape.gradient(y, given), differences(gradient_sum, [x, f], 1e-5), strict=True):
        np.testing.assert_allclose(exact, approximate, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("channels", [1, 3, 8, 17])
@pytest.mark.parametrize("strides", [1, 2])
def test_the_number_of_threads_changes_no_bit(channels, strides):
    x, f = (tf.constant(values(*s).astype(np.float32)) for s in [(4, 60, 57, channels), (3, 3, channels, 32)])
    before = tf.config.threading.get_intra_op_parallelism_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            with tf.GradientTape() as tape:
                tape.watch([x, f])
                y = tf.nn.conv2d(x, f, strides, "SAME")
            found.append([y.numpy(), *(g.numpy() for g in tape.gradient(y, [x, f]))])
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)
