"""Calculations whose rounding errors are compared with TensorFlow's: the same inputs, narrow and in double."""

from __future__ import annotations

import numpy as np

DTYPES = ("float32", "float16", "bfloat16")


def conv(tf, x, w):
    return tf.nn.conv2d(x, w, 1, "SAME")


def conv_images(tf, w, dy):
    sizes = [*dy.shape[:3], w.shape[2]]
    return tf.raw_ops.Conv2DBackpropInput(input_sizes=sizes, filter=w, out_backprop=dy, strides=[1] * 4, padding="SAME")


def conv_filters(tf, x, dy):
    sizes = [3, 3, x.shape[3], dy.shape[3]]
    return tf.raw_ops.Conv2DBackpropFilter(
        input=x, filter_sizes=sizes, out_backprop=dy, strides=[1] * 4, padding="SAME"
    )


def depthwise(tf, x, w):
    return tf.nn.depthwise_conv2d(x, w, [1] * 4, "SAME")


def depthwise_filters(tf, x, dy):
    return tf.raw_ops.DepthwiseConv2dNativeBackpropFilter(
        input=x, filter_sizes=[3, 3, 24, 1], out_backprop=dy, strides=[1] * 4, padding="SAME"
    )


# Name -> the function, the shapes of its inputs, and the mean of their elements: sums of positive numbers grow.
CASES = {
    "product of 64": (lambda tf, a, b: tf.matmul(a, b), ((64, 64), (64, 64)), 0),
    "product of 300 x 1000 x 200": (lambda tf, a, b: tf.matmul(a, b), ((300, 1000), (1000, 200)), 0),
    "product of 256 x 288 x 64": (lambda tf, a, b: tf.matmul(a, b), ((256, 288), (288, 64)), 0),
    "product of 64 x 4096 x 64": (lambda tf, a, b: tf.matmul(a, b), ((64, 4096), (4096, 64)), 0),
    "product of positive numbers": (lambda tf, a, b: tf.matmul(a, b), ((60, 3000), (3000, 50)), 4),
    "product with a transposed matrix": (
        lambda tf, a, b: tf.matmul(a, b, transpose_b=True),
        ((8, 2000), (300, 2000)),
        0,
    ),
    "transposed product": (lambda tf, a, b: tf.matmul(a, b, transpose_a=True), ((900, 70), (900, 90)), 1),
    "matrix by vector": (lambda tf, a, b: tf.matmul(a, b), ((500, 3000), (3000, 1)), 0),
    "vector by matrix": (lambda tf, a, b: tf.matmul(a, b), ((1, 3000), (3000, 500)), 0),
    "batches of products": (lambda tf, a, b: tf.matmul(a, b), ((7, 30, 40), (7, 40, 50)), 0),
    "convolution": (conv, ((2, 20, 21, 32), (3, 3, 32, 40)), 0),
    "convolution of positive numbers": (conv, ((2, 20, 21, 32), (3, 3, 32, 40)), 4),
    "convolution, gradient of images": (conv_images, ((3, 3, 32, 40), (2, 20, 21, 40)), 0),
    "convolution, gradient of filters": (conv_filters, ((2, 20, 21, 32), (2, 20, 21, 40)), 0),
    "convolution of 64 channels": (conv, ((2, 30, 31, 64), (3, 3, 64, 64)), 0),
    "convolution of 64 channels, gradient of images": (conv_images, ((3, 3, 64, 64), (2, 30, 31, 64)), 0),
    "convolution of 64 channels, gradient of filters": (conv_filters, ((2, 30, 31, 64), (2, 30, 31, 64)), 0),
    "depthwise": (depthwise, ((2, 20, 21, 24), (3, 3, 24, 1)), 0),
    "depthwise, gradient of filters": (depthwise_filters, ((2, 40, 41, 24), (2, 40, 41, 24)), 0),
    "average pool": (lambda tf, x: tf.nn.avg_pool2d(x, 5, 2, "SAME"), ((2, 40, 41, 24),), 1),
    "sum": (lambda tf, x: tf.reduce_sum(x), ((100_003,),), 4),
    "sum of rows": (lambda tf, x: tf.reduce_sum(x, 1), ((50, 5000),), 4),
    "sum of columns": (lambda tf, x: tf.reduce_sum(x, 0), ((5000, 50),), 4),
    "mean": (lambda tf, x: tf.reduce_mean(x, 0), ((5000, 50),), 4),
    "variance": (lambda tf, x: tf.math.reduce_variance(x, 0), ((5000, 50),), 4),
    "norm": (lambda tf, x: tf.norm(x, axis=1), ((50, 5000),), 0),
    "cumulative sum": (lambda tf, x: tf.cumsum(x, 0), ((3000, 20),), 1),
    "cumulative sum along rows": (lambda tf, x: tf.cumsum(x, 1), ((20, 3000),), 1),
    "log of sums of exponentials": (lambda tf, x: tf.reduce_logsumexp(x, 1), ((50, 1000),), 0),
    "softmax": (lambda tf, x: tf.nn.softmax(x), ((50, 1000),), 0),
    "log softmax": (lambda tf, x: tf.nn.log_softmax(x), ((50, 1000),), 0),
    "cross entropy": (
        lambda tf, x, y: tf.nn.softmax_cross_entropy_with_logits(y * y, x),
        ((50, 1000), (50, 1000)),
        0,
    ),
}


def errors(tf, name: str, dtype: str) -> tuple[float, float]:
    """The root of the mean square and the largest of the errors, relative to the root of the mean square of the result."""
    function, shapes, mean = CASES[name]
    random = np.random.RandomState(5)
    inputs = [tf.cast(tf.constant(random.standard_normal(shape) + mean), dtype) for shape in shapes]
    found = np.asarray(tf.cast(function(tf, *inputs), tf.float64))
    exact = np.asarray(function(tf, *(tf.cast(x, tf.float64) for x in inputs)))
    size = np.sqrt(np.mean(exact**2))
    distance = np.abs(found - exact) / size
    return float(np.sqrt(np.mean(distance**2))), float(distance.max())
