"""Batch normalization, local response normalization and statistics, compared with NumPy in double precision."""

import numpy as np
import pytest
import tracefn as tf
from support.windows import channels_second

RNG = np.random.default_rng(9)
raw = tf.raw_ops


def normalized(x, scale, offset, mean, variance, epsilon):
    return (x - mean) / np.sqrt(variance + epsilon) * scale + offset


@pytest.mark.parametrize("layout", ("NHWC", "NCHW", "NDHWC", "NCDHW"))
@pytest.mark.parametrize("dtype", ("float32", "float16", "bfloat16"))
def test_training(dtype, layout):
    shape = (3, 4, 5, 6) if len(layout) == 4 else (2, 3, 4, 3, 6)
    x = (RNG.normal(size=shape) * 2 + 3).astype(np.float32)
    scale, offset = (RNG.normal(size=6).astype(np.float32) for _ in range(2))
    order = channels_second if layout[1] == "C" else np.asarray
    given = tf.cast(order(x), dtype)
    x = np.asarray(tf.cast(tf.cast(x, dtype), "float64"))
    axes = tuple(range(x.ndim - 1))
    mean, variance, n = x.mean(axes), x.var(axes), x.size // 6
    found = raw.FusedBatchNormV3(
        x=given, scale=scale, offset=offset, mean=[], variance=[], epsilon=0.01, data_format=layout
    )
    tolerance = {"float32": 1e-5, "float16": 5e-3, "bfloat16": 5e-2}[dtype]
    y = normalized(x, scale, offset, mean, variance, 0.01)
    np.testing.assert_allclose(tf.cast(found.y, "float64"), order(y), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(found.batch_mean, mean, rtol=1e-5)
    np.testing.assert_allclose(found.batch_variance, variance * n / (n - 1), rtol=1e-5)
    np.testing.assert_allclose(found.reserve_space_1, mean, rtol=1e-5)
    np.testing.assert_allclose(found.reserve_space_2, variance, rtol=1e-5)
    assert found.reserve_space_3.shape == () and float(found.reserve_space_3) == 0


SHAPES = [(1, 1, 1, 1), (2, 3, 5, 1), (8, 31, 17, 7), (3, 40, 40, 64), (2, 5, 5, 70), (2, 9, 9, 513), (70, 70, 70, 1)]


@pytest.mark.parametrize("distance", (0, 1000))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_moments_far_from_zero(shape, distance):
    """The first pixel is an outlier, as the border of an image is."""
    x = (RNG.normal(size=shape) + distance).astype(np.float32)
    x[0, 0, 0] = 0
    ones = np.ones(shape[-1], np.float32)
    found = raw.FusedBatchNormV3(x=x, scale=ones, offset=0 * ones, mean=[], variance=[])
    reference, axes = x.astype(np.float64), (0, 1, 2)
    mean, variance = reference.mean(axes), reference.var(axes)
    np.testing.assert_allclose(found.reserve_space_1, mean, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.reserve_space_2, variance, rtol=1e-6)
    np.testing.assert_allclose(found.y, normalized(reference, 1, 0, mean, variance, 1e-4), atol=2e-5)


def test_an_infinity_is_the_mean_of_its_channel_alone():
    x = np.ones((2, 40, 40, 3), np.float32)
    x[1, 3, 2, 0], x[0, 0, 0, 1] = np.inf, np.nan
    ones = np.ones(3, np.float32)
    found = raw.FusedBatchNormV3(x=x, scale=ones, offset=ones, mean=[], variance=[])
    np.testing.assert_array_equal(found.batch_mean, np.array([np.inf, np.nan, 1], np.float32))
    np.testing.assert_array_equal(found.batch_variance, np.array([np.nan, np.nan, 0], np.float32))


def test_running_averages_and_inference():
    x = RNG.normal(size=(2, 3, 4, 5)).astype(np.float32)
    scale, offset, mean = (RNG.normal(size=5).astype(np.float32) for _ in range(3))
    variance = RNG.uniform(0.5, 2, size=5).astype(np.float32)
    found = raw.FusedBatchNormV3(
        x=x, scale=scale, offset=offset, mean=mean, variance=variance, exponential_avg_factor=0.25
    )
    np.testing.assert_allclose(found.batch_mean, 0.75 * mean + 0.25 * x.mean((0, 1, 2)), rtol=1e-5, atol=1e-6)
    unbiased = x.var((0, 1, 2)) * 24 / 23
    np.testing.assert_allclose(found.batch_variance, 0.75 * variance + 0.25 * unbiased, rtol=1e-5)
    found = raw.FusedBatchNormV3(x=x, scale=scale, offset=offset, mean=mean, variance=variance, is_training=False)
    np.testing.assert_allclose(found.y, normalized(x, scale, offset, mean, variance, 1e-4), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(found.batch_mean, mean)


@pytest.mark.parametrize("training", (True, False))
@pytest.mark.parametrize("layout", ("NHWC", "NCHW"))
def test_gradients_are_those_of_simple_ops(training, layout):
    order = channels_second if layout == "NCHW" else np.asarray
    x = tf.constant(order(RNG.normal(size=(2, 3, 4, 5)).astype(np.float32)))
    scale, offset = (tf.constant(RNG.normal(size=5).astype(np.float32)) for _ in range(2))
    mean, variance = tf.constant([0.5] * 5), tf.constant([2.0] * 5)
    weights = tf.constant(RNG.normal(size=x.shape).astype(np.float32))
    axes, wide = ([0, 2, 3], [1, 5, 1, 1]) if layout == "NCHW" else ([0, 1, 2], [5])

    def fused(x, scale, offset):
        m, v = (tf.zeros([0]), tf.zeros([0])) if training else (mean, variance)
        return raw.FusedBatchNormV3(
            x=x, scale=scale, offset=offset, mean=m, variance=v, is_training=training, data_format=layout
        ).y

    def simple(x, scale, offset):
        m = tf.reduce_mean(x, axes, keepdims=True) if training else tf.reshape(mean, wide)
        v = tf.reduce_mean((x - m) ** 2, axes, keepdims=True) if training else tf.reshape(variance, wide)
        return (x - m) * tf.math.rsqrt(v + 1e-4) * tf.reshape(scale, wide) + tf.reshape(offset, wide)

    found = []
    for function in (fused, simple):
        given = [x, scale, offset]
        with tf.GradientTape() as outer:
            outer.watch(given)
            with tf.GradientTape() as inner:
                inner.watch(given)
                y = tf.reduce_sum(tf.sin(function(*given)) * weights)
            first = inner.gradient(y, given)
            total = sum(tf.reduce_sum(tf.cos(g) * (i + 1.0)) for i, g in enumerate(first))
        found.append([*first, *outer.gradient(total, given)])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3)


def test_an_empty_batch():
    y = raw.FusedBatchNormV3(x=tf.zeros([0, 2, 3, 4]), scale=[1.0] * 4, offset=[0.0] * 4, mean=[], variance=[])
    assert y.y.shape == [0, 2, 3, 4] and np.isnan(y.batch_mean.numpy()).all()


@pytest.mark.parametrize("radius", (0, 1, 3, 100))
def test_local_response(radius):
    x = RNG.normal(size=(2, 3, 4, 9)).astype(np.float32)
    sums = np.stack([(x.astype(float)[..., max(k - radius, 0) : k + radius + 1] ** 2).sum(-1) for k in range(9)], -1)
    y = tf.nn.lrn(x, radius, bias=1.5, alpha=0.3, beta=0.7)
    np.testing.assert_allclose(y, x / (1.5 + 0.3 * sums) ** 0.7, rtol=1e-5)
    given = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(given)
        loss = tf.reduce_sum(tf.nn.local_response_normalization(given, radius, bias=1.5, alpha=0.3, beta=0.7) ** 2)
    v = RNG.normal(size=x.shape)
    total = []
    for sign in (1, -1):
        moved = x + sign * 1e-4 * v
        sums = np.stack([(moved[..., max(k - radius, 0) : k + radius + 1] ** 2).sum(-1) for k in range(9)], -1)
        total.append(((moved / (1.5 + 0.3 * sums) ** 0.7) ** 2).sum())
    exact = (tape.gradient(loss, given).numpy() * v).sum()
    np.testing.assert_allclose(exact, (total[0] - total[1]) / 2e-4, rtol=1e-3, atol=1e-3)


def test_an_infinity_does_not_reach_far_channels():
    x = np.ones((1, 1, 1, 9), np.float32)
    x[0, 0, 0, 0] = np.inf
    y = tf.nn.lrn(x, 1).numpy().ravel()
    np.testing.assert_allclose(y[3:8], 0.5)


def test_statistics():
    x = RNG.normal(size=(4, 5, 6))
    for shift in (None, np.float64(0.5)):
        found = tf.nn.sufficient_statistics(tf.constant(x), [0, 2], shift, keepdims=True)
        mean, variance = tf.nn.normalize_moments(*found)
        np.testing.assert_allclose(mean, x.mean((0, 2), keepdims=True), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(variance, x.var((0, 2), keepdims=True), rtol=1e-10)
    traced = tf.function(lambda x: tf.nn.sufficient_statistics(x, [0, -1])[0])
    assert float(traced.get_concrete_function(tf.TensorSpec([None] * 3, "float64"))(tf.constant(x))) == 24


def test_weighted_moments_of_narrow_floats_are_computed_as_floats():
    for dtype in ("float16", "bfloat16"):
        moments = tf.nn.weighted_moments(tf.ones([70000], dtype), [0], 1.0)
        assert [float(m) for m in moments] == [1, 0] and all(m.dtype == dtype for m in moments)


@pytest.mark.parametrize("version", ("", "V2"))
@pytest.mark.parametrize("training", (True, False))
def test_versions_before_the_third_give_the_same(version, training):
    x = RNG.normal(size=(2, 3, 4, 5)).astype(np.float32)
    scale, offset, mean = (RNG.normal(size=5).astype(np.float32) for _ in range(3))
    given = {"x": x, "scale": scale, "offset": offset, "mean": mean, "variance": mean**2, "is_training": training}
    given |= {"exponential_avg_factor": 0.5}
    wanted = raw.FusedBatchNormV3(**given)
    found = getattr(raw, f"FusedBatchNorm{version}")(**given)
    assert len(found) == 5
    for got, want in zip(found, wanted[:5], strict=True):
        np.testing.assert_array_equal(got, want)
    given = {"y_backprop": x * 2, "x": x, "scale": scale, "reserve_space_1": mean, "reserve_space_2": mean**2}
    wanted = raw.FusedBatchNormGradV3(**given, reserve_space_3=[], is_training=training)
    found = getattr(raw, f"FusedBatchNormGrad{version}")(**given, is_training=training)
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(got, want)
    with pytest.raises(tf.errors.InvalidArgumentError, match="input must be 4-dimensional"):
        getattr(raw, f"FusedBatchNorm{version}")(x=x[None], scale=scale, offset=offset, mean=[], variance=[])
