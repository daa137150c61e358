"""`tf.compat.v1.distributions`: samples, probabilities and statistics, as TensorFlow computes them."""

import re

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")

NAN, INF = float("nan"), float("inf")
# Distribution, and a value.
CASES = {
    "normal": (lambda d: d.Normal([0.0, 1.0], [[1.0], [2.0]]), [[-12.0, 0.3], [2.0, 9.0]]),
    "laplace": (lambda d: d.Laplace([0.0, 1.0], 2.0), [-3.0, 0.5]),
    "uniform": (lambda d: d.Uniform([0.0, 1.0], 4.0), [[-3.0, 0.5], [2.0, 5.0]]),
    "student": (lambda d: d.StudentT([0.5, 1.5, 3.0], [0.0, 1.0, 2.0], 2.0), [-3.0, 0.5, 1.0]),
    "gamma": (lambda d: d.Gamma([0.5, 3.0], [2.0, 1.0]), [0.3, 0.5]),
    "exponential": (lambda d: d.Exponential([0.5, 3.0]), [0.3, 0.5]),
    "beta": (lambda d: d.Beta([0.5, 3.0], [2.0, 2.0]), [0.3, 0.5]),
    "bernoulli": (lambda d: d.Bernoulli(logits=[0.5, -3.0]), [1, 0]),
    "bernoulli of probs": (lambda d: d.Bernoulli(probs=[0.5, 0.1]), [[1], [0]]),
    "categorical": (lambda d: d.Categorical(logits=[[0.5, -3.0, 1.0], [0.0, 1.0, 2.0]]), [1, 2]),
    "categorical of probs": (lambda d: d.Categorical(probs=[0.5, 0.25, 0.25]), [1, 2]),
    "dirichlet": (lambda d: d.Dirichlet([2.0, 3.0, 4.0]), [0.2, 0.3, 0.5]),
    "dirichlet multinomial": (lambda d: d.DirichletMultinomial(4.0, [0.5, 3.0, 2.0]), [1.0, 3.0, 0.0]),
    "multinomial": (lambda d: d.Multinomial([4.0, 5.0], [0.5, 3.0, 2.0]), [[1.0, 3.0, 0.0], [2.0, 2.0, 1.0]]),
    "multinomial of probs": (lambda d: d.Multinomial(4.0, probs=[0.5, 0.25, 0.25]), [1.0, 3.0, 0.0]),
}
# What TensorFlow gives; other methods are not implemented. Samples are two, of seeds 1 and 5.
KNOWN = {
    "normal": {
        "mean": [0.0, 1.0, 0.0, 1.0],
        "variance": [1.0, 1.0, 4.0, 4.0],
        "mode": [0.0, 1.0, 0.0, 1.0],
        "entropy": [1.4189, 1.4189, 2.1121, 2.1121],
        "log_prob": [-72.919, -1.1639, -2.1121, -9.6121],
        "cdf": [1.7765e-33, 0.24196, 0.84134, 0.99997],
        "log_cdf": [-75.411, -1.419, -0.17275, -3.1651e-05],
        "log_survival_function": [-1.7765e-33, -0.27702, -1.841, -10.36],
        "sample": [0.33695, 2.7748, 2.8377, 0.89029, -0.48576, 0.51228, -3.5101, -2.2925],
    },
    "laplace": {
        "mean": [0.0, 1.0],
        "variance": [8.0, 8.0],
        "mode": [0.0, 1.0],
        "entropy": [2.3863, 2.3863],
        "log_prob": [-2.8863, -1.6363],
        "cdf": [0.11157, 0.3894],
        "log_cdf": [-2.1931, -0.94315],
        "log_survival_function": [-0.11829, -0.49331],
        "sample": [-1.877, -4.6361, -0.6298, -0.33769],
    },
    "uniform": {
        "mean": [2.0, 2.5],
        "variance": [1.3333, 0.75],
        "entropy": [1.3863, 1.0986],
        "log_prob": [-INF, -INF, -1.3863, -INF],
        "cdf": [0.0, 0.0, 0.5, 1.0],
        "log_cdf": [-INF, -INF, -0.69315, 0.0],
        "log_survival_function": [-0.0, -0.0, -0.69315, -INF],
        "sample": [0.78242, 1.0896, 1.4597, 1.7685],
    },
    "student": {
        "mean": [NAN, 1.0, 2.0],
        "variance": [NAN, INF, 12.0],
        "mode": [0.0, 1.0, 2.0],
        "entropy": [4.3599, 2.8428, 2.4666],
        "log_prob": [-3.2822, -1.8208, -1.8541],
        "cdf": [0.25395, 0.41625, 0.32572],
        "log_cdf": [-1.3706, -0.87646, -1.1217],
        "log_survival_function": [-0.29296, -0.53829, -0.39412],
        "sample": [4.8988, 5.6857, 4.4514, -0.40035, -1.7426, 0.78564],
    },
    "gamma": {
        "mean": [0.25, 3.0],
        "variance": [0.125, 3.0],
        "mode": [NAN, 2.0],
        "entropy": [-0.60254, 1.8476],
        "log_prob": [-0.2238, -2.5794],
        "cdf": [0.72668, 0.014388],
        "log_cdf": [-0.31927, -4.2414],
        "log_survival_function": [-1.2971, -0.014492],
        "sample": [0.12181, 0.88522, 0.00040887, 2.8475],
    },
    "exponential": {
        "mean": [2.0, 0.33333],
        "variance": [4.0, 0.11111],
        "mode": [NAN, NAN],
        "entropy": [1.6931, -0.098612],
        "log_prob": [-0.84315, -0.40139],
        "cdf": [0.13929, 0.77687],
        "log_cdf": [-1.9712, -0.25248],
        "log_survival_function": [-0.15, -1.5],
        "sample": [3.2633, 1.1704, 2.0161, 0.454],
    },
    "beta": {
        "mean": [0.2, 0.6],
        "variance": [0.045714, 0.04],
        "mode": [NAN, 0.66667],
        "entropy": [-0.76528, -0.23491],
        "log_prob": [-0.042371, 0.40547],
        "cdf": [0.73943, 0.3125],
        "log_cdf": [-0.30188, -1.1632],
        "log_survival_function": [-1.3449, -0.37469],
        "sample": [0.21565, 0.56639, 0.00012827, 0.66729],
    },
    "bernoulli": {
        "mean": [0.62246, 0.047426],
        "variance": [0.235, 0.045177],
        "mode": [1.0, 0.0],
        "entropy": [0.66285, 0.19087],
        "log_prob": [-0.47408, -0.048587],
        "sample": [1.0, 1.0, 1.0, 0.0],
    },
    "bernoulli of probs": {
        "mean": [0.5, 0.1],
        "variance": [0.25, 0.09],
        "mode": [0.0, 0.0],
        "entropy": [0.69315, 0.32508],
        "log_prob": [-0.69315, -2.3026, -0.69315, -0.10536],
        "sample": [1.0, 1.0, 1.0, 0.0],
    },
    "categorical": {
        "mode": [2.0, 2.0],
        "entropy": [0.71714, 0.8324],
        "log_prob": [-4.4854, -0.40761],
        "cdf": [0.37328, 0.33476],
        "log_cdf": [-0.98541, -1.0943],
        "log_survival_function": [-0.46726, -0.40761],
        "sample": [2.0, 1.0, 2.0, 2.0],
    },
    "categorical of probs": {
        "mode": [0.0],
        "entropy": [1.0397],
        "log_prob": [-1.3863, -1.3863],
        "cdf": [0.5, 0.75],
        "log_cdf": [-0.69315, -0.28768],
        "log_survival_function": [-0.69315, -1.3863],
        "sample": [1.0, 2.0],
    },
    "dirichlet": {
        "mean": [0.22222, 0.33333, 0.44444],
        "variance": [0.017284, 0.022222, 0.024691],
        "mode": [0.16667, 0.33333, 0.5],
        "entropy": [-1.3126],
        "covariance": [0.017284, -0.0074074, -0.0098765, -0.0074074, 0.022222, -0.014815, -0.0098765, -0.014815, 0.024691],
        "log_prob": [2.0229],
        "sample": [0.42619, 0.11833, 0.45548, 0.395, 0.30993, 0.29507],
    },
    "dirichlet multinomial": {
        "mean": [0.36364, 2.1818, 1.4545],
        "variance": [0.48315, 1.4495, 1.3528],
        "covariance": [0.48315, -0.28989, -0.19326, -0.28989, 1.4495, -1.1596, -0.19326, -1.1596, 1.3528],
        "log_prob": [-2.944],
        "sample": [0.0, 2.0, 2.0, 0.0, 3.0, 1.0],
    },
    "multinomial": {
        "mean": [0.22645, 2.7587, 1.0149, 0.28306, 3.4484, 1.2686],
        "variance": [0.21363, 0.8561, 0.75738, 0.26703, 1.0701, 0.94672],
        "covariance": [0.21363, -0.15617, -0.057453, -0.15617, 0.8561, -0.69992, -0.057453, -0.69992, 0.75738, 0.26703, -0.19522, -0.071817, -0.19522, 1.0701, -0.8749, -0.071817, -0.8749, 0.94672],
        "log_prob": [-2.5999, -4.4565],
        "sample": [0.0, 3.0, 1.0, 1.0, 3.0, 1.0, 0.0, 3.0, 1.0, 1.0, 3.0, 1.0],
    },
    "multinomial of probs": {
        "mean": [2.0, 1.0, 1.0],
        "variance": [1.0, 0.75, 0.75],
        "covariance": [1.0, -0.5, -0.5, -0.5, 0.75, -0.25, -0.5, -0.25, 0.75],
        "log_prob": [-3.4657],
        "sample": [2.0, 1.0, 1.0, 0.0, 3.0, 1.0],
    },
}
STATISTICS = ("mean", "variance", "mode", "entropy", "covariance")
OF_VALUES = ("log_prob", "cdf", "log_cdf", "log_survival_function")


def _computed(distribution, method, value):
    return getattr(distribution, method)(*([] if method in STATISTICS else [value]))


@pytest.mark.parametrize("method", STATISTICS + OF_VALUES)
@pytest.mark.parametrize("case", CASES)
def test_values(tf, case, method):
    make, value = CASES[case]
    distribution = make(tf.compat.v1.distributions)
    expected = KNOWN[case].get(method)
    if expected is None:
        with pytest.raises(NotImplementedError, match=f"{method} is not implemented: {type(distribution).__name__}"):
            _computed(distribution, method, value)
        return
    traced = tf.function(lambda: _computed(make(tf.compat.v1.distributions), method, value))
    for found in (_computed(distribution, method, value), traced()):
        np.testing.assert_allclose(np.ravel(found.numpy()), expected, rtol=2e-4, atol=1e-6)


@pytest.mark.parametrize("case", CASES)
def test_samples(tf, case):
    distribution = CASES[case][0](tf.compat.v1.distributions)
    tf.random.set_seed(1)
    found = distribution.sample(2, seed=5)
    assert found.dtype == distribution.dtype
    np.testing.assert_allclose(np.ravel(found.numpy()), KNOWN[case]["sample"], rtol=2e-4)
    shape = distribution.batch_shape.as_list() + distribution.event_shape.as_list()
    assert distribution.batch_shape_tensor().numpy().tolist() == distribution.batch_shape.as_list()
    assert distribution.event_shape_tensor().numpy().tolist() == distribution.event_shape.as_list()
    for before in ([], [3], [2, 3], [0]):
        assert distribution.sample(before).shape == before + shape
    shapes = []
    tf.function(lambda: shapes.append(distribution.sample([2, 3]).shape.as_list()))()
    assert shapes == [[2, 3, *shape]]
    with pytest.raises(ValueError, match="neither scalar nor vector"):
        distribution.sample([[1]])


@pytest.mark.parametrize("case", CASES)
def test_divergences(tf, case):
    d = tf.compat.v1.distributions
    one = CASES[case][0](d)
    if type(one) in (d.Normal, d.Gamma, d.Exponential, d.Beta, d.Bernoulli, d.Categorical, d.Dirichlet):
        np.testing.assert_allclose(d.kl_divergence(one, one).numpy(), 0.0, atol=1e-5)
        np.testing.assert_allclose(one.cross_entropy(one).numpy(), one.entropy().numpy(), atol=1e-5)
    else:
        with pytest.raises(NotImplementedError, match=re.escape("No KL(distribution_a || distribution_b) registered")):
            one.kl_divergence(one)


def test_divergences_of_others(tf):
    d = tf.compat.v1.distributions
    pairs = {
        1.0 / 8.0 + 0.5 * (0.25 - 1.0 - np.log(0.25)): (d.Normal(0.0, 1.0), d.Normal(1.0, 2.0)),
        np.log(2.0) - 0.5: (d.Exponential(2.0), d.Exponential(1.0)),
        0.5 * np.log(2.0) + 0.5 * np.log(2.0 / 3.0): (d.Categorical(probs=[0.5, 0.5]), d.Categorical(probs=[0.25, 0.75])),
        0.5 * np.log(4.0 / 3.0): (d.Bernoulli(probs=0.5), d.Bernoulli(probs=0.25)),
        1.0 - np.log(2.0) + 0.0: (d.Beta(1.0, 1.0), d.Beta(2.0, 1.0)),
        1.0 - np.log(2.0): (d.Dirichlet([1.0, 1.0]), d.Dirichlet([2.0, 1.0])),
    }
    for expected, (a, b) in pairs.items():
        np.testing.assert_allclose(float(a.kl_divergence(b)), expected, rtol=1e-4)


def test_texts_and_parameters(tf):
    d = tf.compat.v1.distributions
    normal = d.Normal([0.0, 1.0], 2.0)
    assert repr(normal) == "<tfp.distributions.Normal 'None' batch_shape=(2,) event_shape=() dtype=float32>"
    with tf.Graph().as_default():
        dirichlet = d.Dirichlet([1.0, 2.0], name="d")
        assert str(dirichlet) == 'tfp.distributions.Dirichlet("d/", batch_shape=(), event_shape=(2,), dtype=float32)'
        assert d.Gamma(1.0, 1.0).copy(rate=[1.0, 2.0]).name == "Gamma_1/"
    assert sorted(normal.parameters) == ["allow_nan_stats", "loc", "name", "scale", "validate_args"]
    assert (normal.allow_nan_stats, normal.validate_args) == (True, False)
    assert normal.copy(scale=[[3.0]]).stddev().numpy().tolist() == [[3.0, 3.0]]
    assert d.Normal.param_static_shapes([2, 3]) == {"loc": [2, 3], "scale": [2, 3]}
    assert normal.reparameterization_type is d.FULLY_REPARAMETERIZED
    assert repr(d.Bernoulli(0.0).reparameterization_type) == "<Reparameterization Type: NOT_REPARAMETERIZED>"
    assert bool(normal.is_scalar_event())
    assert not bool(normal.is_scalar_batch())


def test_names_of_parameters(tf):
    """The tensors of parameters are named as the arguments, also after checks."""
    d = tf.compat.v1.distributions
    with tf.Graph().as_default():
        for validate in (False, True):
            prefix = "_1" if validate else ""
            assert d.StudentT(3.0, 0.0, 1.0, validate_args=validate).df.name == f"StudentT{prefix}/df:0"
            assert d.Laplace(0.0, 1.0, validate_args=validate).loc.name == f"Laplace{prefix}/loc:0"
            assert d.Uniform(0.0, 1.0, validate_args=validate).high.name == f"Uniform{prefix}/high:0"
            assert d.Exponential(1.0, validate_args=validate).rate.name == f"Exponential{prefix}/rate_1:0"
            assert d.Categorical([1.0, 2.0], validate_args=validate).probs.name == f"Categorical{prefix}/probs:0"
        assert d.Bernoulli(probs=0.5, validate_args=True, name="b").probs.name == "b/validate_probs/control_dependency:0"
        assert d.Multinomial(4.0, probs=[0.5, 0.5], name="m").logits.name == "m/logits/Log:0"
        assert d.Normal(0.0, 1.0, name="n").sample(2).name == "n/sample/Reshape:0"
        assert d.Dirichlet([1.0, 2.0], True, name="c").concentration.name == "c/control_dependency:0"


@pytest.mark.parametrize("shape", [[], [1], [0], [2, 1]])
def test_too_few_classes(tf, shape):
    """Where the size is not known yet, it is checked when the ops run."""
    d = tf.compat.v1.distributions
    text = f"must have at least {'2 events' if shape else '1 dimension'}."
    for make in (lambda x: d.Categorical(x, validate_args=True), lambda x: d.Multinomial(1.0, x, validate_args=True)):
        with pytest.raises(ValueError, match=re.escape(f"A categorical-distribution parameter {text}")):
            make(tf.zeros(shape))
    if shape:
        compute = tf.function(lambda x: d.Categorical(x, validate_args=True).logits, input_signature=[tf.TensorSpec(None)])
        with pytest.raises(tf.errors.InvalidArgumentError, match=re.escape(text)):
            compute(tf.zeros(shape))
        assert compute(tf.zeros([3, 2])).shape == [3, 2]


def test_more_classes_than_a_dtype_counts(tf):
    d = tf.compat.v1.distributions
    assert d.Categorical(tf.zeros([2048], tf.float16), validate_args=True).event_size == 2048
    with pytest.raises(ValueError, match=re.escape("float16 implies shape (2049) cannot exceed 2048.")):
        d.Categorical(tf.zeros([2049], tf.float16), validate_args=True)


def test_laplace_samples_of_half_precision(tf):
    """Their uniform numbers keep a distance from -1 that the dtype has, so that no sample is infinite."""
    d = tf.compat.v1.distributions
    tf.random.set_seed(1)
    half = d.Laplace(tf.constant(0.0, tf.float16), tf.constant([1.0, 2.0], tf.float16)).sample(4, seed=5).numpy()
    expected = [-0.21191, 0.55078, 0.028229, -0.54297, 2.03711, -0.55322, 2.11523, 1.00488]
    np.testing.assert_allclose(np.ravel(half), expected, rtol=2e-3)
    assert np.isfinite(d.Laplace(tf.constant(0.0, tf.float16), tf.constant(1.0, tf.float16)).sample(100000, seed=5).numpy()).all()


def test_gradients_through_samples(tf):
    d = tf.compat.v1.distributions
    scale = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(scale)
        sample = d.Normal(1.0, scale).sample(seed=3)
    np.testing.assert_allclose(float(tape.gradient(sample, scale)), (float(sample) - 1.0) / 2.0, rtol=1e-5)


def test_own_distributions(tf):
    d = tf.compat.v1.distributions

    class Half(d.Distribution):
        def __init__(self):
            super().__init__(tf.float32, d.NOT_REPARAMETERIZED, False, True)

        def _prob(self, value):
            return value / 2.0

    half = Half()
    assert float(half.prob(2.0)) == 1.0
    assert float(half.log_prob(2.0)) == 0.0
    assert half.batch_shape.rank is None
    for method in ("mean", "variance", "stddev", "mode", "entropy", "covariance", "batch_shape_tensor"):
        with pytest.raises(NotImplementedError, match=f"{method} is not implemented: Half"):
            getattr(half, method)()
    with pytest.raises(NotImplementedError, match="sample_n is not implemented: Half"):
        half.sample()
    d.RegisterKL(Half, d.Normal)(lambda a, b, name=None: tf.constant(NAN))
    assert np.isnan(float(d.kl_divergence(half, d.Normal(0.0, 1.0))))
    with pytest.raises(tf.errors.InvalidArgumentError, match="returned NaN values"):
        d.kl_divergence(half, d.Normal(0.0, 1.0), allow_nan_stats=False)
    with pytest.raises(ValueError, match=re.escape("KL(Half || Normal) has already been registered to:")):
        d.RegisterKL(Half, d.Normal)(print)
    with pytest.raises(TypeError, match="kl_fn must be callable, received: 3"):
        d.RegisterKL(Half, Half)(3)


ERRORS = {
    "scale": (lambda d: d.Normal(0.0, -1.0, validate_args=True), "InvalidArgumentError", "Condition x > 0 did not hold"),
    "integers": (lambda d: d.Normal(0, 1), "ValueError", "Expected floating point type"),
    "bounds": (lambda d: d.Uniform(2.0, 1.0, validate_args=True), "InvalidArgumentError", "uniform not defined when low >= high."),
    "neither": (lambda d: d.Bernoulli(), "ValueError", "Must pass probs or logits, but not both."),
    "both": (lambda d: d.Categorical([1.0], [1.0]), "ValueError", "Must pass probs or logits, but not both."),
    "whole logits": (lambda d: d.Bernoulli(1), "TypeError", "logits must having floating type."),
    "large": (lambda d: d.Bernoulli(probs=1.5, validate_args=True), "InvalidArgumentError", "probs has components greater than 1."),
    "sum": (lambda d: d.Categorical(probs=[0.5, 0.6], validate_args=True), "InvalidArgumentError", "probs does not sum to 1."),
    "size": (lambda d: d.Dirichlet([1.0], validate_args=True), "InvalidArgumentError", "must have event_size >= 2."),
    "part": (lambda d: d.Bernoulli(probs=0.5, validate_args=True).prob(0.5), "InvalidArgumentError", "Elements must be bool-equivalent."),
    "exceeding": (lambda d: d.Bernoulli(probs=0.5, validate_args=True).prob(2), "InvalidArgumentError", "Elements cannot exceed 1."),
    "text": (lambda d: d.Categorical(probs=[0.5, 0.5]).prob("a"), "TypeError", "`value` should have integer `dtype`"),
    "total": (lambda d: d.Multinomial(3.0, [1.0, 2.0], validate_args=True).prob([1.0, 1.0]), "InvalidArgumentError", "counts must sum to"),
    "fraction": (lambda d: d.Multinomial(1.5, [1.0, 2.0], validate_args=True), "InvalidArgumentError", "cannot contain fractional components."),
    "mode": (lambda d: d.Gamma(1.0, 1.0, allow_nan_stats=False).mode(), "InvalidArgumentError", "mode not defined when any concentration <= 1"),
    "mean": (lambda d: d.StudentT(1.0, 0.0, 1.0, allow_nan_stats=False).mean(), "InvalidArgumentError", "mean not defined for components of df <= 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_errors(tf, case):
    program, kind, words = ERRORS[case]
    error = getattr(tf.errors, kind, None) or {"ValueError": ValueError, "TypeError": TypeError}[kind]
    with pytest.raises(error, match=re.escape(words)):
        program(tf.compat.v1.distributions)


def test_distributions_in_sessions(tf):
    d = tf.compat.v1.distributions
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loc = tf.compat.v1.placeholder(tf.float32, None)
        normal = d.Normal(loc, [1.0, 2.0])
        assert normal.batch_shape.rank is None
        shape, sample = session.run([normal.batch_shape_tensor(), normal.sample(3)], {loc: [[0.0], [1.0]]})
        assert shape.tolist() == [2, 2]
        assert sample.shape == (3, 2, 2)
