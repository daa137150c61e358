"""Convolutions, pooling and normalization: values, static shapes with unknown sizes, and errors while tracing."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

RNG = np.random.default_rng(4)
X = RNG.normal(size=(2, 7, 6, 4)).astype(np.float32)
F = RNG.normal(size=(3, 2, 2, 6)).astype(np.float32)


def padded(x, window, stride, dilation):
    """Images with the zeros of "SAME" padding around height and width."""
    pads = [(0, 0)]
    for n, w in zip(x.shape[1:3], window, strict=True):
        need = max(0, (-(-n // stride) - 1) * stride + (w - 1) * dilation + 1 - n)
        pads.append((need // 2, need - need // 2))
    return np.pad(x, [*pads, (0, 0)])


def conv(x, f, stride, dilation):
    """A convolution of two groups with "VALID" padding."""
    reach = [(n - 1) * dilation for n in f.shape[:2]]
    size = [(n - r - 1) // stride + 1 for n, r in zip(x.shape[1:3], reach, strict=True)]
    y = np.zeros((x.shape[0], *size, f.shape[3]))
    for a, b in np.ndindex(*f.shape[:2]):
        rows = slice(a * dilation, a * dilation + (size[0] - 1) * stride + 1, stride)
        columns = slice(b * dilation, b * dilation + (size[1] - 1) * stride + 1, stride)
        part = x[:, rows, columns].astype(np.float64)
        y[..., :3] += part[..., :2] @ f[a, b, :, :3]
        y[..., 3:] += part[..., 2:] @ f[a, b, :, 3:]
    return y


@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2)])
def test_grouped_convolutions(tf, stride, dilation):
    y = tf.nn.conv2d(X, F, stride, "VALID", dilations=dilation)
    np.testing.assert_allclose(y, conv(X, F, stride, dilation), rtol=1e-4, atol=1e-5)
    y = tf.nn.conv2d(X, F, stride, "SAME", dilations=dilation)
    np.testing.assert_allclose(y, conv(padded(X, (3, 2), stride, dilation), F, stride, dilation), rtol=1e-4, atol=1e-5)


def test_explicit_padding(tf):
    y = tf.nn.conv2d(X, F, 1, [[0, 0], [1, 2], [0, 1], [0, 0]])
    np.testing.assert_allclose(y, conv(np.pad(X, [(0, 0), (1, 2), (0, 1), (0, 0)]), F, 1, 1), rtol=1e-4, atol=1e-5)


def test_pools(tf):
    blocks = X[:, :6].reshape(2, 3, 2, 3, 2, 4)
    np.testing.assert_array_equal(tf.nn.max_pool2d(X, 2, 2, "VALID"), blocks.max((2, 4)))
    np.testing.assert_allclose(tf.nn.avg_pool2d(X, 2, 2, "VALID"), blocks.mean((2, 4)), rtol=1e-5, atol=1e-6)
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.nn.avg_pool2d(x, 3, 2, "SAME"))
    # Padding does not count: each window gives each of its elements the same share of 1.
    np.testing.assert_allclose(tf.reduce_sum(tape.gradient(y, x)), 2 * 4 * 3 * 4, rtol=1e-5)


def test_atrous_convolution_is_dilated(tf):
    f = RNG.normal(size=(3, 2, 4, 5)).astype(np.float32)
    expected = tf.nn.conv2d(X, f, 1, "SAME", dilations=2)
    np.testing.assert_allclose(tf.nn.atrous_conv2d(X, f, 2, "SAME"), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        tf.nn.convolution(X, f, padding="SAME", dilations=[2, 2]), expected, rtol=1e-4, atol=1e-5
    )


# expression of x and f: (the specs' shapes, the result's)
SHAPES = {
    "tf.nn.conv2d(x, f, 1, 'VALID')": ([None, 4, 5, 3], [2, 2, 3, 4], [None, 3, 4, 4]),
    "tf.nn.conv2d(x, f, 2, 'SAME')": ([None, None, 5, None], [None, 2, 3, 4], [None, None, 3, 4]),
    "tf.nn.conv2d(x, f, 1, 'SAME')": ([2, 4, 5, 3], [None, None, None, None], [2, 4, 5, None]),
    "tf.nn.conv2d(x, f, 1, 'VALID', dilations=2)": ([None, 9, None, 6], [2, 3, 3, 4], [None, 7, None, 4]),
    "tf.nn.conv2d(x, f, 1, 'SAME', 'NCHW')": ([None, 3, None, 5], [2, 2, 3, 4], [None, 4, None, 5]),
    "tf.nn.conv1d(x, f, 2, 'VALID')": ([None, 8, 3], [3, 3, 5], [None, 3, 5]),
    "tf.nn.conv3d(x, f, [1, 1, 2, 1, 1], 'VALID')": ([None, 4, 5, None, 2], [2, 2, 2, 2, 7], [None, 3, 2, None, 7]),
    "tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], 'VALID')": ([None, 4, None, 3], [2, 2, 3, 4], [None, 3, None, 12]),
    "tf.nn.max_pool2d(x, 2, 2, 'SAME') + 0 * f": ([None, None, 5, 3], [], [None, None, 3, 3]),
    "tf.nn.avg_pool3d(x, 2, 1, 'VALID') + 0 * f": ([None, 4, None, 5, 2], [], [None, 3, None, 4, 2]),
    "tf.nn.conv2d_transpose(x, f, [7, 8, 8, 3], 2)": ([None, 4, 4, 5], [3, 3, 3, 5], [None, 8, 8, 3]),
    "tf.space_to_batch(x, [2, 2], [[0, 0], [1, 1]]) + 0 * f": ([None, 4, 4, 3], [], [None, 2, 3, 3]),
    "tf.nn.depth_to_space(x, 2) + 0 * f": ([None, None, 4, 8], [], [None, None, 8, 2]),
    "tf.nn.lrn(x) + 0 * f": ([None, 2, 3, 4], [], [None, 2, 3, 4]),
}


@pytest.mark.parametrize("expression", SHAPES)
def test_static_shapes(tf, expression):
    of_x, of_f, expected = SHAPES[expression]
    function = tf.function(eval(f"lambda x, f: {expression}", {"tf": tf}), autograph=False)
    specs = [tf.TensorSpec(shape, tf.float32) for shape in (of_x, of_f)]
    assert function.get_concrete_function(*specs).structured_outputs.shape.as_list() == expected


# expression of x [1, 4, 5, 2] and f [2, 2, 2, 3]: the error while tracing
ERRORS = {
    "tf.nn.conv2d(x, f, [1, 0, 1, 1], 'VALID')": "Stride must be > 0, but got 0",
    "tf.nn.conv2d(x, f, 1, 'VALID', dilations=0)": "Dilation rate must be >= 1, but got 0",
    "tf.nn.conv2d(x, f, 1, 'VALID', dilations=9)": "Negative dimension size caused by subtracting 10 from 4",
    "tf.nn.conv2d(x, f[:, :, :1], 1, 'EXPLICIT')": "'EXPLICIT' is not a valid value for `padding`.",
    "tf.nn.conv2d(x, f, 1, [[1, 0], [0, 0], [0, 0], [0, 0]])": "Nonzero explicit padding in the batch or depth",
    "tf.nn.conv2d(x, f, 1, [[0, 0], [0, -1], [0, 0], [0, 0]])": "All elements of explicit_paddings must be nonnegative",
    "tf.nn.conv2d(x, f, 1, [[0, 0], [0, 0]])": "When padding is a list, it must be of size 4.",
    "tf.nn.conv2d(x, f, [1, 2, 3], 'SAME')": "strides should be of length 1, 2 or 4. Received: strides=[1, 2, 3] of length 3",
    "tf.nn.conv2d(x[:, :, :, :1], f, 1, 'SAME')": "Depth of input (1) is not a multiple of input depth of filter (2)",
    "tf.nn.conv2d(tf.concat([x, x], 3), f, 1, 'SAME')": "Depth of output (3) is not a multiple of the number of groups (2)",
    "tf.nn.conv2d(x, f[0], 1, 'SAME')": "Shape must be rank 4 but is rank 3",
    "tf.nn.conv2d(x, f, 1, 'FULL')": "Attr 'padding' of 'Conv2D' Op passed string 'FULL' not in: \"SAME\", \"VALID\", \"EXPLICIT\".",
    "tf.nn.conv2d(x, f, 2**31, 'SAME')": "Attr strides has value 2147483648 out of range for an int32",
    "tf.nn.depthwise_conv2d(x[..., :1], f, [1] * 4, 'SAME')": "Dimensions must be equal, but are 1 and 2",
    "tf.nn.max_pool2d(x, 5, 1, 'VALID')": "Negative dimension size caused by subtracting 5 from 4",
    "tf.nn.max_pool2d(x, 2, 0, 'VALID')": "Stride must be > 0, but got 0",
    "tf.nn.max_pool(x, [1, 2, 2], 1, 'VALID')": "ksize should be of length 1, 2 or 4. Received: ksize=[1, 2, 2] of length 3",
    "tf.nn.avg_pool2d(x[0], 2, 1, 'VALID')": "Shape must be rank 4 but is rank 3",
    "tf.nn.convolution(x, f, strides=2, dilations=2)": "`strides > 1` not supported in conjunction with `dilation_rate > 1`.",
    "tf.nn.pool(x, [2, 2], 'MAX', padding='SAME', dilations=[2, 2])": "pooling with 'SAME' padding is not implemented",
    "tf.nn.pool(x, [2, 2], 'MAX', strides=[3, 1])": "`strides` > `window_shape` not supported",
    "tf.nn.fractional_max_pool(x, 0.5)": "`pooling_ratio` should be >= 1.0. Received: pooling_ratio=0.5",
    "tf.nn.dilation2d(x, f[0], [1] * 4, 'SAME', 'NCHW', [1] * 4)": "`data_format` values other  than 'NHWC' are not supported.",
    "tf.space_to_batch(x, [3, 1], [[0, 0], [0, 0]])": "Dimension size must be evenly divisible by 3 but is 4",
    "tf.batch_to_space(x, [1, 1], [[3, 2], [0, 0]])": "Negative dimension size caused by subtracting 2 from 1",
    "tf.nn.space_to_depth(x, 2)": "Dimension size must be evenly divisible by 2 but is 5",
}


@pytest.mark.parametrize("expression", ERRORS)
def test_errors_while_tracing(tf, expression):
    function = tf.function(eval(f"lambda x, f: {expression}", {"tf": tf}), autograph=False)
    specs = [tf.TensorSpec(shape, tf.float32) for shape in ([1, 4, 5, 2], [2, 2, 2, 3])]
    with pytest.raises(ValueError) as caught:
        function.get_concrete_function(*specs)
    assert ERRORS[expression] in str(caught.value)


def test_batch_normalization(tf):
    mean, variance = tf.nn.moments(tf.constant(X), [0, 1, 2])
    y = tf.nn.batch_normalization(X, mean, variance, 0.5, 2.0, 1e-3)
    expected = (X - X.mean((0, 1, 2))) / np.sqrt(X.var((0, 1, 2)) + 1e-3) * 2 + 0.5
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-4)
    fused = tf.raw_ops.FusedBatchNormV3(
        x=X, scale=[2.0] * 4, offset=[0.5] * 4, mean=[], variance=[], epsilon=1e-3, is_training=True
    )
    np.testing.assert_allclose(fused.y, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(fused.batch_variance, X.var((0, 1, 2), ddof=1), rtol=1e-4)


# Where the windows start, of random order and of a pseudo-random one.
ROWS = [[0, 2, 3, 4, 6, 8, 10], [0, 2, 3, 5, 7, 8, 10]]
COLUMNS = [[0, 2, 4, 6, 8, 10, 12, 13], [0, 1, 3, 5, 7, 9, 11, 13]]


@pytest.mark.parametrize("pseudo_random", (False, True))
def test_fractional_windows_follow_from_the_seed(tf, pseudo_random):
    x = np.arange(2 * 10 * 13, dtype=np.float32).reshape(1, 10, 13, 2)
    found = tf.raw_ops.FractionalMaxPool(
        value=x,
        pooling_ratio=[1.0, 1.5, 1.7, 1.0],
        pseudo_random=pseudo_random,
        deterministic=True,
        seed=3,
        seed2=11,
    )
    rows, columns = ROWS[pseudo_random], COLUMNS[pseudo_random]
    assert found.row_pooling_sequence.numpy().tolist() == rows
    assert found.col_pooling_sequence.numpy().tolist() == columns
    last = x[0][np.ix_(np.array(rows[1:]) - 1, np.array(columns[1:]) - 1)]
    np.testing.assert_array_equal(found.output[0], last)


# Eager ops name what is allowed; while tracing the words are others.
@pytest.mark.parametrize(
    "expression",
    [
        "tf.raw_ops.MaxPool(input=x, ksize=[1] * 4, strides=[1] * 4, padding='FULL')",
        "tf.nn.conv2d(x, f, 1, 'FULL')",
        "tf.nn.avg_pool2d(x, 1, 1, 'FULL')",
        "tf.raw_ops.MaxPoolGradGrad(orig_input=x, orig_output=x, grad=x, ksize=[1] * 4, strides=[1] * 4, padding='FULL')",
    ],
)
def test_words_that_are_not_allowed(tf, expression):
    f = eval(f"lambda x, f: {expression}", {"tf": tf})
    given = tf.ones([1, 4, 5, 2]), tf.ones([2, 2, 2, 3])
    text = 'Value for attr \'padding\' of "FULL" is not in the list of allowed values: "SAME", "VALID"'
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        f(*given)
    with pytest.raises(ValueError, match='Op passed string \'FULL\' not in: "SAME", "VALID"'):
        tf.function(f, autograph=False)(*given)


def test_padding_of_atrous_convolutions(tf):
    with pytest.raises(ValueError, match="`padding` must be one of 'SAME' or 'VALID'. Received: padding=BAD"):
        tf.nn.atrous_conv2d(X, np.ones([2, 2, X.shape[-1], 1], np.float32), 2, "BAD")


def test_layout_of_a_bias_with_two_letters(tf):
    x = tf.reshape(tf.range(8.0), [1, 2, 4])
    assert tf.nn.bias_add(x, [1.0, 2.0], data_format="NC").numpy().tolist() == [[[1, 2, 3, 4], [6, 7, 8, 9]]]
