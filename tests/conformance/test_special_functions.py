"""Special functions of tf.math: values from tables and identities, dtypes, broadcasting, special arguments, gradients."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

RNG = np.random.default_rng(12)
INF, NAN = np.inf, np.nan

# Values to 15 digits, from Abramowitz and Stegun and from mpmath.
VALUES = {
    "bessel_i0": {0.0: 1.0, 0.5: 1.06348337074132352, 5.0: 27.2398718236044469, -20.0: 43558282.5595535333},
    "bessel_i1": {0.0: 0.0, 0.5: 0.257894305390896316, 5.0: 24.3356421424505272, -20.0: -42454973.3851277702},
    "bessel_j0": {0.0: 1.0, 1.0: 0.765197686557966551, 10.0: -0.245935764451348335, -50.0: 0.055812327669251815},
    "bessel_j1": {0.0: 0.0, 1.0: 0.440050585744933516, 10.0: 0.0434727461688614367, -50.0: 0.0975118281251751377},
    "bessel_k0": {0.5: 0.924419071227665862, 2.0: 0.113893872749533436, 20.0: 5.74123781533652429e-10, 0.0: INF, -1.0: INF},
    "bessel_k1": {0.5: 1.65644112000330089, 2.0: 0.139865881816522427, 20.0: 5.88305796955703818e-10, 0.0: INF, -1.0: INF},
    "bessel_k0e": {0.5: 1.52410938577390953, 2.0: 0.841568215070771418, 200.0: 0.0885674583392966582},
    "bessel_k1e": {0.5: 2.73100970821178571, 2.0: 1.03347684706868857, 200.0: 0.0887886015850036798},
    "bessel_y0": {1.0: 0.088256964215676958, 10.0: 0.0556711672835993914, 0.0: -INF, -1.0: -INF},
    "bessel_y1": {1.0: -0.781212821300288717, 10.0: 0.249015424206953884, -1.0: -INF},
    "dawsn": {
        0.0: 0.0, 0.25: 0.239839163562898212, -1.0: -0.538079506912768419, 1.5: 0.428249071085398625,
        3.0: 0.178271030610558287, -4.5: -0.11408861022682498, 30.0: 0.0166759414010591758, INF: 0.0, NAN: NAN,
    },
    "expint": {
        0.1: -1.62281281396927661, 1.0: 1.89511781635593676, 3.0: 9.93383257062541656,
        6.0: 85.9897621424392048, 12.0: 14959.5326663975289, 25.0: 3005950906.52554869, 50.0: 1.0585636897131691e+20,
        200.0: 3.63123523315935685e+84, 0.0: -INF, -1.0: NAN,
    },
    "fresnel_cos": {0.0: 0.0, 0.5: 0.492344225871446393, -1.5: -0.445261176039821535, 2.0: 0.488253406075340755, 10.0: 0.499898694205515724},
    "fresnel_sin": {0.0: 0.0, 0.5: 0.0647324328599992776, -1.5: -0.697504960082093013, 2.0: 0.343415678363698242, 10.0: 0.46816997858488224},
    "spence": {0.0: 1.64493406684822644, 0.25: 0.978469392930306104, 1.0: 0.0, 1.5: -0.448414206923646202, 2.0: -0.822467033424113218, 20.0: -5.92783972437652145, -1.0: NAN},
}  # fmt: skip


def close(got, expected, dtype):
    tolerance = {"float64": 1e-13, "float32": 3e-6, "float16": 4e-3}[dtype]
    with np.errstate(over="ignore"):
        expected = np.asarray(expected, "float64").astype(dtype)
    assert got.dtype.name == dtype
    np.testing.assert_allclose(got.numpy(), expected, rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", VALUES)
def test_values(tf, name, dtype):
    function = getattr(tf.math.special, name)
    x, expected = np.array(list(VALUES[name])), np.array(list(VALUES[name].values()))
    if dtype == "float16":
        if not name.startswith("bessel"):
            with pytest.raises(tf.errors.NotFoundError, match="Could not find device for node"):
                function(tf.constant(x, tf.float16))
            return
        keep = np.abs(x) < 20
        x, expected = x[keep], expected[keep]
    close(function(tf.constant(x, dtype)), expected, dtype)
    close(tf.function(function)(tf.constant(x, dtype)), expected, dtype)
    assert function(tf.zeros([0, 3], dtype)).shape == (0, 3)


@pytest.mark.superset("near its zero TensorFlow's error is absolute")
def test_zero_of_the_exponential_integral(tf):
    near = tf.math.special.expint(tf.constant([0.37250, 0.37251], tf.float64))
    np.testing.assert_allclose(near, [-0.0000288741831887459646, 0.0000100881323779144604], rtol=1e-14)


def test_public_names(tf):
    x = tf.constant([0.5, 2.0])
    for order in ("i0", "i0e", "i1", "i1e"):
        np.testing.assert_array_equal(getattr(tf.math, f"bessel_{order}")(x), getattr(tf.math.special, f"bessel_{order}")(x))
    np.testing.assert_allclose(tf.math.special.bessel_i0e(x), np.exp(-x.numpy()) * tf.math.bessel_i0(x), rtol=1e-5)
    np.testing.assert_array_equal(tf.compat.v1.igamma(x, x), tf.math.igamma(x, x))
    np.testing.assert_array_equal(tf.compat.v1.igammac(x, x), tf.math.igammac(x, x))
    np.testing.assert_array_equal(tf.compat.v1.betainc(x, x, 0.5), tf.math.betainc(x, x, 0.5))
    np.testing.assert_array_equal(tf.compat.v1.lbeta(x), tf.math.lbeta(x))


SLOPES = {
    "bessel_i0": (0.5, 2.0, -3.0), "bessel_i1": (0.5, 2.0, -3.0), "bessel_j0": (0.5, 2.0, -3.0), "bessel_j1": (0.5, 2.0, -3.0),
    "bessel_k0": (0.5, 2.0, 3.0), "bessel_k1": (0.5, 2.0, 3.0), "bessel_k0e": (0.5, 2.0, 3.0), "bessel_k1e": (0.5, 2.0, 3.0),
    "bessel_y0": (0.5, 2.0, 3.0), "bessel_y1": (0.5, 2.0, 3.0), "dawsn": (0.5, 2.0, -6.0), "expint": (0.5, 2.0, 9.0),
    "fresnel_cos": (0.5, 2.0, -3.0), "fresnel_sin": (0.5, 2.0, -3.0), "spence": (0.25, 0.75, 3.0),
}  # fmt: skip


@pytest.mark.parametrize("name", SLOPES)
def test_gradients(tf, name):
    function, x = getattr(tf.math.special, name), np.array(SLOPES[name])

    @tf.function
    def slopes(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            first = tape.gradient(y, x)
        return first, outer.gradient(first, x)

    step = 1e-5
    first, second = slopes(tf.constant(x))
    numeric = (function(x + step).numpy() - function(x - step).numpy()) / (2 * step)
    np.testing.assert_allclose(first, numeric, rtol=1e-7, atol=1e-9)
    numeric = (slopes(tf.constant(x + step))[0].numpy() - slopes(tf.constant(x - step))[0].numpy()) / (2 * step)
    np.testing.assert_allclose(second, numeric, rtol=1e-6, atol=1e-8)


def test_gradients_at_special_places(tf):
    def slope(function, x):
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return float(tape.gradient(y, x))

    special = tf.math.special
    assert slope(special.bessel_i1, 0.0) == 1.0
    assert slope(special.bessel_j1, 0.0) == 0.5
    assert slope(special.bessel_i0, 0.0) == 0.0
    assert slope(special.spence, 1.0) == -1.0
    assert np.isnan(slope(special.bessel_k1, 0.0)) or np.isinf(slope(special.bessel_k1, 0.0))


def numeric_integral(density, start, end):
    x, w = np.polynomial.legendre.leggauss(200)
    edges = np.linspace(start, end, 21)
    total = 0.0
    for a, b in zip(edges[:-1], edges[1:], strict=True):
        total += (b - a) / 2 * np.sum(w * density((a + b) / 2 + (b - a) / 2 * x))
    return total


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_incomplete_gamma(tf, dtype):
    from math import gamma

    tolerance = {"float32": 1e-4, "float64": 1e-12}[dtype]
    for a, x in ((1.5, 0.5), (2.0, 3.0), (6.0, 2.5), (3.5, 12.0)):
        lower = numeric_integral(lambda t, a=a: 2 * t ** (2 * a - 1) * np.exp(-t * t), 0, x**0.5) / gamma(a)
        np.testing.assert_allclose(tf.math.igamma(tf.constant(a, dtype), x), lower, rtol=tolerance)
        np.testing.assert_allclose(tf.math.igammac(tf.constant(a, dtype), x), 1 - lower, rtol=10 * tolerance)
    a, x = tf.constant([[0.5], [2.0]], dtype), tf.constant([0.0, 1.0, 4.0], dtype)
    assert tf.math.igamma(a, x).shape == (2, 3)
    np.testing.assert_allclose(tf.math.igamma(a, x) + tf.math.igammac(a, x), np.ones((2, 3)), rtol=1e-6)
    np.testing.assert_array_equal(tf.math.igamma(tf.constant([-1.0, 0.0, 1.0, 1.0, 2.0], dtype), [1.0, 1.0, -1.0, 0.0, INF]), [NAN, NAN, NAN, 0.0, 1.0])
    np.testing.assert_array_equal(tf.math.igammac(tf.constant([-1.0, 0.0, 1.0, 1.0, 2.0], dtype), [1.0, 1.0, -1.0, 0.0, INF]), [NAN, NAN, NAN, 1.0, 0.0])


@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_gradients_of_incomplete_gamma(tf, name):
    function = getattr(tf.math, name)
    a, x = np.array([[0.75], [2.0]]), np.array([0.5, 1.5, 4.0])

    @tf.function
    def gradients(a, x):
        with tf.GradientTape() as tape:
            tape.watch([a, x])
            y = tf.reduce_sum(function(a, x))
        return tape.gradient(y, [a, x])

    da, dx = gradients(tf.constant(a), tf.constant(x))
    step = 1e-5
    np.testing.assert_allclose(da, np.sum((function(a + step, x) - function(a - step, x)).numpy() / (2 * step), 1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(dx, np.sum((function(a, x + step) - function(a, x - step)).numpy() / (2 * step), 0), rtol=1e-6)
    with tf.GradientTape() as tape:
        t = tf.constant(a)
        tape.watch(t)
        y = tf.raw_ops.IgammaGradA(a=t, x=tf.constant(x))
    with pytest.raises(LookupError, match="IgammaGradA"):
        tape.gradient(y, t)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_incomplete_beta(tf, dtype):
    tolerance = {"float32": 2e-5, "float64": 1e-12}[dtype]
    a, b, x = (np.array(v, dtype) for v in ([1.0, 2.0, 3.0, 5.0], [1.0, 3.0, 2.0, 5.0], [0.25, 0.5, 0.75, 0.5]))
    expected = [0.25, 0.6875, 0.73828125, 0.5]
    np.testing.assert_allclose(tf.math.betainc(a, b, x), expected, rtol=tolerance)
    np.testing.assert_allclose(tf.function(tf.math.betainc)(a, b, x), expected, rtol=tolerance)
    np.testing.assert_allclose(tf.math.betainc(tf.constant(1.0, dtype), 2.0, [0.5, 1.0]), [0.75, 1.0], rtol=tolerance)
    np.testing.assert_allclose(tf.math.betainc(tf.constant([1.0, 2.0], dtype), 2.0, [0.5, 1.0]), [0.75, 1.0], rtol=tolerance)
    np.testing.assert_array_equal(
        tf.math.betainc(tf.constant([0.0, 1.0, -1.0, 1.0, 1.0], dtype), [1.0, 0.0, 1.0, 1.0, 1.0], [0.5, 0.5, 0.5, 0.0, 1.0]),
        [NAN, NAN, NAN, 0.0, 1.0],
    )
    assert tf.math.betainc(tf.zeros([0], dtype), 1.0, 0.5).shape == (0,)


def test_shapes_of_incomplete_beta(tf):
    invalid = tf.errors.InvalidArgumentError
    with pytest.raises(invalid, match=r"Shapes of a and b are inconsistent: \[2\] vs. \[3\]"):
        tf.math.betainc([1.0, 2.0], [1.0, 2.0, 3.0], 0.5)
    with pytest.raises(invalid, match=r"Shapes of a and x are inconsistent: \[1\] vs. \[2\]"):
        tf.math.betainc([1.0], 2.0, [0.1, 0.2])
    with pytest.raises(invalid, match=r"Shapes of b and x are inconsistent: \[1\] vs. \[2\]"):
        tf.math.betainc(1.0, [2.0], [0.1, 0.2])

    @tf.function
    def traced(x):
        with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal, but are 1 and 2"):
            tf.math.betainc([1.0], 2.0, [0.1, 0.2])
        return tf.math.betainc(2.0, 3.0, x)

    assert traced.get_concrete_function(tf.TensorSpec([None, 2])).structured_outputs.shape.as_list() == [None, 2]


def test_gradient_of_incomplete_beta(tf):
    a, b = tf.constant(2.0, tf.float64), tf.constant(3.0, tf.float64)
    x = tf.constant([0.25, 0.5], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch([a, b, x])
        y = tf.math.betainc(a, b, x)
    da, db, dx = tape.gradient(y, [a, b, x])
    assert da is None and db is None
    np.testing.assert_allclose(dx, 12 * x * (1 - x) ** 2, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_log_beta(tf, dtype):
    from math import lgamma

    x = RNG.uniform(0.5, 5, (2, 3)).astype(dtype)
    expected = [sum(map(lgamma, row)) - lgamma(sum(row)) for row in x.tolist()]
    np.testing.assert_allclose(tf.math.lbeta(x), expected, rtol=1e-4 if dtype == "float32" else 1e-12)
    np.testing.assert_allclose(tf.function(tf.math.lbeta, input_signature=[tf.TensorSpec(None, dtype)])(x), expected, rtol=1e-4)
    np.testing.assert_allclose(tf.math.lbeta(x[0]), expected[0], rtol=1e-4)
    np.testing.assert_array_equal(tf.math.lbeta(tf.zeros([0, 2], dtype)), np.zeros(0))
    np.testing.assert_array_equal(tf.math.lbeta(tf.zeros([2, 0], dtype)), [-INF, -INF])
