"""The same bits on one, two and three threads: the heavy ops that have no such test of their own."""

import numpy as np
import pytest
import tracefn as tf

raw = tf.raw_ops
RNG = np.random.default_rng(12)


def floats(*shape, dtype="float32"):
    return tf.cast(tf.constant(RNG.normal(size=shape)), dtype)


def ints(most, *shape):
    return tf.constant(RNG.integers(0, most, shape), tf.int32)


WIDE, LONG, TALL = floats(70, 9001), floats(700_001), floats(90_001, 7)
IMAGES, VOLUMES, LINES = floats(3, 65, 66, 16), floats(2, 20, 21, 22, 8), floats(8, 3000, 12)
IDS, SORTED = ints(1000, 90_001), tf.sort(ints(1000, 90_001))
REDUCTIONS = ("sum", "mean", "prod", "max", "min", "logsumexp", "euclidean_norm", "variance", "std")


def reductions():
    for name in REDUCTIONS:
        function = getattr(tf, f"reduce_{name}", None) or getattr(tf.math, f"reduce_{name}")
        for x in (WIDE, TALL, tf.cast(WIDE, "float16"), tf.cast(WIDE, "float64"), tf.cast(TALL, "complex64")):
            if x.dtype.is_complex and name in ("max", "min", "logsumexp", "variance", "std"):
                continue
            yield from (function(x, axis) for axis in (0, 1, None))
    yield from (f(WIDE > -4, axis) for f in (tf.reduce_all, tf.reduce_any) for axis in (0, 1, None))
    yield from (f(x, axis) for f in (tf.argmax, tf.argmin) for x in (WIDE, TALL) for axis in (0, 1))


def scans():
    for function in (tf.cumsum, tf.math.cumprod, tf.math.cumulative_logsumexp):
        for x in (WIDE, TALL, tf.cast(TALL, "float16")):
            for axis in (0, 1):
                yield function(x, axis)
                yield function(x, axis, exclusive=True, reverse=True)


def sorting():
    rows = tf.round(floats(300, 500) * 4)
    for x in (rows, LONG, tf.cast(rows, "int64"), tf.cast(rows, "float16")):
        yield tf.sort(x)
        yield tf.function(tf.sort)(x)
        yield tf.argsort(x, direction="DESCENDING")
        yield from tf.math.top_k(x, 17)
    yield from tf.unique(IDS)
    yield from tf.unique_with_counts(IDS)
    yield tf.searchsorted(tf.sort(LONG), LONG)


def by_index():
    yield tf.gather(TALL, IDS)
    yield tf.gather(WIDE, IDS, axis=1)
    yield tf.tensor_scatter_nd_add(TALL, IDS[:, None], TALL)
    yield tf.scatter_nd(IDS[:, None], TALL, [1000, 7])
    yield tf.one_hot(IDS, 33)
    yield tf.math.bincount(IDS, weights=TALL[:, 0])
    yield tf.where(WIDE > 0)
    yield tf.boolean_mask(LONG, LONG > 0)
    for name in ("sum", "mean", "prod", "max", "min"):
        yield getattr(tf.math, f"segment_{name}")(TALL, SORTED)
        yield getattr(tf.math, f"unsorted_segment_{name}")(TALL, IDS, 1000)
    yield tf.sparse.segment_mean(TALL, IDS, SORTED)
    yield tf.histogram_fixed_width(LONG, [-2.0, 2.0], 50)


def copies():
    yield tf.transpose(WIDE)
    yield tf.transpose(IMAGES, [0, 3, 1, 2])
    yield tf.concat([WIDE, WIDE], 1)
    yield tf.pad(IMAGES, [[0, 0], [1, 2], [3, 1], [0, 0]], "REFLECT")
    yield tf.tile(WIDE, [3, 2])
    yield tf.reverse(WIDE, [0, 1])


def differentiated(function, *given):
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = function(*given)
    yield y
    yield from tape.gradient(y, given)


def convolutions():
    yield from differentiated(lambda x, f: tf.nn.conv1d(x, f, 2, "SAME"), LINES, floats(5, 12, 9))
    yield from differentiated(lambda x, f: tf.nn.conv2d(x, f, 1, "SAME", dilations=2), IMAGES, floats(3, 3, 4, 24))
    yield from differentiated(lambda x, f: tf.nn.conv2d(x, f, 1, "VALID"), IMAGES, floats(1, 1, 16, 40))
    yield from differentiated(
        lambda x, f: tf.nn.conv2d_transpose(x, f, [3, 130, 132, 5], 2), IMAGES, floats(3, 3, 5, 16)
    )
    yield from differentiated(lambda x, f: tf.nn.conv3d(x, f, [1, 1, 2, 1, 1], "SAME"), VOLUMES, floats(3, 2, 3, 8, 6))
    yield from differentiated(
        lambda x, f: tf.nn.dilation2d(x, f, [1, 1, 1, 1], "SAME", "NHWC", [1, 2, 1, 1]), IMAGES, floats(3, 3, 16)
    )


def pooling():
    for function in (tf.nn.max_pool3d, tf.nn.avg_pool3d):
        yield from differentiated(lambda x, f=function: f(x, 3, 2, "SAME"), VOLUMES)
    yield from tf.nn.max_pool_with_argmax(IMAGES, 3, 2, "SAME")
    ratios = {"pooling_ratio": [1.0, 1.5, 1.7, 1.0], "deterministic": True, "seed": 3, "seed2": 5}
    yield from raw.FractionalMaxPool(value=IMAGES, **ratios)
    yield from raw.FractionalAvgPool(value=IMAGES, **ratios)


def normalization():
    ones = tf.ones([16])
    norm = raw.FusedBatchNormV3(x=IMAGES, scale=ones, offset=ones, mean=[], variance=[])
    yield from norm[:3]
    yield from raw.FusedBatchNormGradV3(
        y_backprop=IMAGES * 2.0, x=IMAGES, scale=ones, reserve_space_1=norm[3], reserve_space_2=norm[4],
        reserve_space_3=norm[5],
    )[:3]  # fmt: skip
    yield from tf.nn.moments(IMAGES, [0, 1, 2])
    yield from differentiated(lambda x: tf.nn.lrn(x, 2), IMAGES)
    yield from differentiated(tf.nn.softmax, WIDE)
    yield from differentiated(tf.nn.log_softmax, TALL)
    yield from differentiated(lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(IDS[:70], x), WIDE)


def products():
    yield tf.einsum("bhwc,cd->bhwd", IMAGES, floats(16, 9))
    yield tf.einsum("bij,bjk->bik", floats(9, 70, 80), floats(9, 80, 60))
    yield tf.tensordot(IMAGES, IMAGES, [[0, 1, 2], [0, 1, 2]])
    yield tf.linalg.matvec(WIDE, floats(9001))
    yield tf.matmul(tf.cast(WIDE, "float16"), tf.cast(WIDE, "float16"), transpose_b=True)
    yield tf.matmul(tf.cast(WIDE, "bfloat16"), tf.cast(WIDE, "bfloat16"), transpose_b=True)
    yield tf.matmul(tf.cast(WIDE, "complex64"), tf.cast(WIDE, "complex64"), adjoint_b=True)
    yield tf.matmul(tf.cast(WIDE * 9.0, "int32"), tf.cast(WIDE * 9.0, "int32"), transpose_b=True)


FAMILIES = (reductions, scans, sorting, by_index, copies, convolutions, pooling, normalization, products)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_the_number_of_threads_changes_no_bit(family):
    global RNG
    before = tf.config.threading.get_intra_op_parallelism_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            RNG = np.random.default_rng(13)
            found.append([y.numpy().tobytes() for y in family()])
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)
    for i, results in enumerate(zip(*found, strict=True)):
        assert len(set(results)) == 1, f"result {i} differs"
