"""Gradients of batch normalization and of its gradient, to second order, against the same formula composed of simple ops in
float64, and against central differences of that formula.

TensorFlow's own rule is no reference for the second order of the gradient op (test_rules_of_ops.py says why).
"""

from __future__ import annotations

import numpy as np
import pytest
import tracefn as tf

EPSILON = 0.01
VERSIONS = ("", "V2", "V3")
LAYOUTS = ("NHWC", "NCHW", "NDHWC", "NCDHW")
# A few roundings of float32, in sums of 30 products.
TOLERANCE = 2e-4


def values(layout: str) -> dict[str, np.ndarray]:
    """Arguments in float64 that float32 holds exactly; the channels are the last dimension of the images."""
    random = np.random.default_rng(5)
    shape = (2, 3, 5, 4) if len(layout) == 4 else (2, 3, 2, 3, 4)
    given = {name: random.normal(size=shape) for name in ("x", "dy", "weights")}
    given |= {name: random.normal(size=4) for name in ("scale", "offset", "mean")}
    given["variance"] = random.uniform(0.5, 2.0, size=4)
    return {name: v.astype(np.float32).astype(np.float64) for name, v in given.items()}


def normalized(x, scale, offset, mean, variance, training):
    """The formula, for images with the channels last."""
    axes = list(range(x.shape.rank - 1))
    if training:
        mean = tf.reduce_mean(x, axes)
        variance = tf.reduce_mean((x - mean) ** 2, axes)
    return (x - mean) / tf.sqrt(variance + EPSILON) * scale + offset


def gradient_formula(dy, x, scale, mean, variance, training):
    """[dx, dscale, doffset] by the formula of the gradient."""
    axes = list(range(x.shape.rank - 1))
    if training:
        mean = tf.reduce_mean(x, axes)
        variance = tf.reduce_mean((x - mean) ** 2, axes)
    r, z = tf.math.rsqrt(variance + EPSILON), x - mean
    dscale = r * tf.reduce_sum(dy * z, axes)
    if not training:
        return [dy * scale * r, dscale, tf.reduce_sum(dy, axes)]
    dx = scale * r * (dy - tf.reduce_mean(dy, axes) - z * r**2 * tf.reduce_mean(dy * z, axes))
    return [dx, dscale, tf.reduce_sum(dy, axes)]


class Images:
    """Moves images between a layout and the channels last."""

    def __init__(self, layout: str):
        n = len(layout)
        second = layout[1] == "C"
        self.to = [0, n - 1, *range(1, n - 1)] if second else list(range(n))
        self.back = [0, *range(2, n), 1] if second else list(range(n))

    def given(self, x):
        return tf.transpose(x, self.to)

    def last(self, x):
        return tf.transpose(x, self.back)


def fused(version, layout, training):
    """The op as a function of images with the channels last, and of float32 vectors."""
    images = Images(layout)

    def function(x, scale, offset, mean, variance):
        op = getattr(tf.raw_ops, f"FusedBatchNorm{version}")
        if training:
            mean = variance = tf.zeros([0])
        results = op(
            x=images.given(x), scale=scale, offset=offset, mean=mean, variance=variance, epsilon=EPSILON,
            data_format=layout, is_training=training,
        )  # fmt: skip
        return images.last(results[0])

    return function


def fused_gradient(version, layout, training):
    """The gradient op as a function of images with the channels last. While training, the moments are those of x."""
    images = Images(layout)

    def function(dy, x, scale, mean, variance):
        axes = list(range(x.shape.rank - 1))
        if training:
            mean = tf.stop_gradient(tf.reduce_mean(x, axes))
            variance = tf.stop_gradient(tf.reduce_mean((x - mean) ** 2, axes))
        more = {"reserve_space_3": tf.zeros([0])} if version == "V3" else {}
        results = getattr(tf.raw_ops, f"FusedBatchNormGrad{version}")(
            y_backprop=images.given(dy), x=images.given(x), scale=scale, reserve_space_1=mean, reserve_space_2=variance,
            epsilon=EPSILON, data_format=layout, is_training=training, **more,
        )  # fmt: skip
        return [images.last(results[0]), results[1], results[2]]

    return function


def weighted(results):
    """A scalar that depends on all results, and not linearly."""
    total = 0.0
    for i, y in enumerate(tf.nest.flatten(results)):
        weights = np.random.default_rng([7, i]).uniform(0.5, 1.5, size=y.shape)
        total += tf.reduce_sum(tf.constant(weights, y.dtype) * (y + y**2 / 2))
    return total


def derivatives(function, given):
    """[first gradients, gradients of these weighted]."""
    with tf.GradientTape() as outer:
        outer.watch(given)
        with tf.GradientTape() as inner:
            inner.watch(given)
            total = weighted(function(*given))
        first = inner.gradient(total, given)
        again = weighted([g for g in first if g is not None])
    return [first, outer.gradient(again, given)]


def assert_like(found, wanted):
    for of_order, wanted_of_order in zip(found, wanted, strict=True):
        assert [g is None for g in of_order] == [g is None for g in wanted_of_order]
        for got, want in zip(of_order, wanted_of_order, strict=True):
            if want is None:
                continue
            largest = float(np.abs(want).max())
            np.testing.assert_allclose(
                tf.cast(got, "float64"), want, rtol=TOLERANCE, atol=TOLERANCE * max(largest, 1.0)
            )


def arguments(layout, names, dtype):
    of_all = values(layout)
    return [tf.constant(of_all[name], dtype) for name in names.split()]


def layouts_of(version):
    return LAYOUTS if version == "V3" else LAYOUTS[:2]


CASES = [(version, layout) for version in VERSIONS for layout in layouts_of(version)]


@pytest.mark.parametrize("training", (True, False), ids=("training", "inference"))
@pytest.mark.parametrize(("version", "layout"), CASES)
def test_of_the_normalization(version, layout, training):
    names = "x scale offset"
    function = fused(version, layout, training)
    mean, variance = arguments(layout, "mean variance", "float32")
    exact_mean, exact_variance = arguments(layout, "mean variance", "float64")
    found = derivatives(lambda x, s, o: function(x, s, o, mean, variance), arguments(layout, names, "float32"))
    wanted = derivatives(
        lambda x, s, o: normalized(x, s, o, exact_mean, exact_variance, training), arguments(layout, names, "float64")
    )
    assert_like(found, wanted)


@pytest.mark.parametrize("training", (True, False), ids=("training", "inference"))
@pytest.mark.parametrize(("version", "layout"), CASES)
def test_of_the_gradient(version, layout, training):
    names = "dy x scale" if training else "dy x scale mean variance"
    moments = [None, None] if training else []
    function = fused_gradient(version, layout, training)
    found = derivatives(lambda *a: function(*a, *moments), arguments(layout, names, "float32"))
    wanted = derivatives(lambda *a: gradient_formula(*a, *moments, training), arguments(layout, names, "float64"))
    assert_like(found, wanted)


@pytest.mark.parametrize("training", (True, False), ids=("training", "inference"))
def test_a_tensor_given_twice_counts_once_for_each_place(training):
    """TensorFlow's rule counts a tensor that is y_backprop and x twice for each."""
    moments = [None, None] if training else arguments("NHWC", "mean variance", "float32")
    exact = [None, None] if training else arguments("NHWC", "mean variance", "float64")
    function = fused_gradient("V3", "NHWC", training)
    found = derivatives(lambda x, s: function(x, x, s, *moments), arguments("NHWC", "x scale", "float32"))
    wanted = derivatives(
        lambda x, s: gradient_formula(x, x, s, *exact, training), arguments("NHWC", "x scale", "float64")
    )
    assert_like(found, wanted)


@pytest.mark.parametrize("training", (True, False), ids=("training", "inference"))
def test_of_both_by_central_differences(training):
    """Of the formulas in float64, to which the ops are compared above."""
    of_all = values("NHWC")
    names = ["dy", "x", "scale", "mean", "variance"]
    directions = {name: np.random.default_rng([3, i]).normal(size=of_all[name].shape) for i, name in enumerate(names)}

    def at(step, function, taken):
        given = [tf.constant(of_all[n] + step * directions.get(n, 0.0)) for n in taken]
        return function(*given, training)

    for function, taken in ((gradient_formula, names), (normalized, ["x", "scale", "offset", "mean", "variance"])):
        given = [tf.constant(of_all[n]) for n in taken]
        with tf.GradientTape() as tape:
            tape.watch(given)
            total = weighted(function(*given, training))
        slopes = tape.gradient(total, given, unconnected_gradients="zero")
        slope = sum(
            float(tf.reduce_sum(g * directions[n])) for g, n in zip(slopes, taken, strict=True) if n in directions
        )
        step = 1e-6
        difference = float(weighted(at(step, function, taken)) - weighted(at(-step, function, taken))) / (2 * step)
        assert slope == pytest.approx(difference, rel=1e-6)
