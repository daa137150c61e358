"""tf.random: TensorFlow's numbers for given seeds, recorded from 2.21."""

import numpy as np
import pytest
import tracefn as tf


def test_global_seed_eagerly():
    tf.random.set_seed(42)
    first = tf.random.uniform([2]).numpy()
    np.testing.assert_array_equal(first, np.float32([0.6645621, 0.44100678]))
    np.testing.assert_allclose(tf.random.normal([2], seed=3).numpy(), [0.8021455, 0.505679], rtol=3e-7)
    tf.random.set_seed(42)
    np.testing.assert_array_equal(tf.random.uniform([2]).numpy(), first)


def test_global_seed_in_a_function():
    @tf.function
    def f():
        return tf.random.uniform([2])

    tf.random.set_seed(42)
    np.testing.assert_array_equal(f().numpy(), np.float32([0.8354591, 0.9162973]))
    np.testing.assert_array_equal(f().numpy(), np.float32([0.95270336, 0.23137903]))
    tf.random.set_seed(42)
    np.testing.assert_array_equal(f().numpy(), np.float32([0.8354591, 0.9162973]))
    assert f.experimental_get_tracing_count() == 1


def test_op_seed_goes_on_in_one_stream():
    tf.random.set_seed(None)
    np.testing.assert_array_equal(tf.random.uniform([3], seed=1).numpy(), np.float32([0.239037395, 0.920399547, 0.0505124331]))
    np.testing.assert_array_equal(tf.random.uniform([3], seed=1).numpy(), np.float32([0.851476192, 0.28712368, 0.797627687]))


def test_stateless():
    seed = [1, 2]
    numbers = tf.random.stateless_uniform([2], seed, minval=None, maxval=None, dtype=tf.int32)
    assert numbers.numpy().tolist() == [1105988140, 1738052849]
    assert tf.random.split(seed, 2).numpy().tolist() == [[1105988140, 1738052849], [-335576002, 370444179]]
    assert tf.random.fold_in(seed, 3).numpy().tolist() == [1105988140, 3]
    assert tf.random.stateless_categorical([[0.0, 1.0]], 5, seed).numpy().tolist() == [[1, 1, 0, 1, 1]]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int32", "int64"])
def test_uniform_stays_within_its_bounds(dtype):
    x = tf.raw_ops.Cast(x=tf.random.uniform([1000], 2, 5, dtype=dtype, seed=1), DstT=tf.float64).numpy()
    assert x.min() >= 2
    assert x.max() <= 5
    assert len(set(x.tolist())) > 2


def test_errors():
    with pytest.raises(ValueError, match="Must specify maxval for integer dtype tf.int32"):
        tf.random.uniform([2], dtype=tf.int32)
    with pytest.raises(ValueError, match="Argument `dtype` got invalid value <dtype: 'int8'>"):
        tf.random.uniform([2], dtype=tf.int8)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval, got 5 >= 1"):
        tf.random.uniform([2], 5, 1, tf.int32)
    with pytest.raises(ValueError, match="must be both None or not None"):
        tf.random.stateless_uniform([2], [1, 2], dtype=tf.int32)


def test_shuffle_keeps_the_rows():
    x = tf.reshape(tf.range(20), [10, 2])
    rows = tf.random.shuffle(x, seed=1).numpy()
    assert sorted(map(tuple, rows.tolist())) == list(map(tuple, x.numpy().tolist()))


def drawn():
    n, seed = [300_001], [5, 6]
    for name in ("normal", "truncated_normal", "uniform"):
        for dtype in ("float16", "float32", "float64"):
            yield getattr(tf.random, f"stateless_{name}")(n, seed, dtype=dtype).numpy()
    for dtype in ("int32", "int64"):
        yield tf.random.stateless_uniform(n, seed, -3, 1000, dtype=dtype).numpy()
    yield tf.random.stateless_uniform(n, seed, None, None, dtype="uint64").numpy()
    n, few = [40_001, 3], tf.constant([0.5, 3.0, 50.0])
    yield tf.random.stateless_gamma(n, seed, few).numpy()
    yield tf.random.stateless_poisson(n, seed, few).numpy()
    yield tf.random.stateless_binomial(n, seed, few * 10, 0.3).numpy()
    yield tf.random.stateless_parameterized_truncated_normal(n, seed, few, 1.0, 0.0, 60.0).numpy()
    yield tf.random.stateless_categorical(tf.reshape(few, [1, 3]), 100_001, seed).numpy()
    yield tf.random.stateless_categorical(tf.zeros([1001, 70]), 37, seed).numpy()
    yield tf.random.experimental.stateless_shuffle(tf.range(100_001), seed).numpy()
    tf.random.set_seed(8)
    given = {"means": 0.0, "stdevs": 1.0, "minvals": 0.5, "maxvals": 2.0, "seed": 1, "seed2": 2}
    yield tf.raw_ops.ParameterizedTruncatedNormal(shape=[30_001], **given).numpy()


def test_the_number_of_threads_changes_no_bit():
    before = tf.config.threading.get_intra_op_parallelism_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            found.append(list(drawn()))
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"alg": 2}, "Unsupported algorithm id: 2"),
        ({"alg": [1]}, r"input 3 \(0-based\) must have shape \[\], not \[1\]"),
        ({"key": [1, 2]}, r"key must have shape \[1\], not \[2\]"),
        ({"counter": [1]}, r"counter must be a vector with length at least 2; got shape: \[1\]"),
        ({"counter": 1}, r"counter must be a vector with length at least 1; got shape: \[\]"),
    ],
)
def test_keys_counters_and_algorithms_are_checked(given, message):
    given = {"key": [1], "counter": [2, 3], "alg": 1, **given}
    for name in ("key", "counter"):
        given[name] = tf.constant(given[name], tf.uint64)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.StatelessRandomNormalV2(shape=[2], **given)


def test_nothing_is_drawn_of_an_unknown_algorithm():
    assert tf.random.stateless_normal([0], [1, 2], alg="threefry").shape == [0]


def test_stateless_categories_of_many_rows_follow_each_other():
    logits = tf.math.sin(tf.reshape(tf.range(7 * 5, dtype=tf.float32), [7, 5]))
    rows = tf.random.stateless_categorical(logits, 13, [1, 2]).numpy()
    numbers = tf.random.stateless_uniform([7, 13], [1, 2], dtype=tf.float64).numpy()
    weights = np.cumsum(np.exp(logits.numpy().astype(np.float64)), 1)
    expected = [np.searchsorted(w, u * w[-1], side="right") for w, u in zip(weights, numbers, strict=True)]
    np.testing.assert_array_equal(rows, expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_samples_have_the_distributions_moments(dtype):
    def moments(x):
        x = tf.cast(x, tf.float64).numpy()
        return x.mean(), x.var()

    n, seed = [100_000], [3, 4]
    alpha, lam, count = (tf.constant(v, dtype) for v in (2.5, 12.5, 40.0))
    np.testing.assert_allclose(moments(tf.random.stateless_gamma(n, seed, alpha, dtype=dtype)), [2.5, 2.5], rtol=0.03)
    drawn = tf.random.stateless_poisson(n, seed, lam, dtype=dtype)
    np.testing.assert_allclose(moments(drawn), [12.5, 12.5], rtol=0.03)
    drawn = tf.random.stateless_binomial(n, seed, count, tf.constant(0.7, dtype), dtype)
    np.testing.assert_allclose(moments(drawn), [28, 8.4], rtol=0.03)


def test_gradients_flow_to_the_parameters():
    alpha, beta = tf.Variable([0.5, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x = tf.random.stateless_gamma([50, 2], [1, 2], alpha, beta)
        y = tf.reduce_sum(x)
    to_alpha, to_beta = tape.gradient(y, [alpha, beta])
    slopes = tf.raw_ops.RandomGammaGrad(alpha=tf.broadcast_to(alpha, [50, 2]), sample=x * beta)
    np.testing.assert_allclose(to_alpha, tf.reduce_sum(slopes / beta, 0), rtol=1e-5)
    np.testing.assert_allclose(to_beta, -y / beta, rtol=1e-5)

    mean = tf.Variable([0.5, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.random.stateless_parameterized_truncated_normal([50, 2], [1, 2], mean, 2.0, -30.0, 30.0))
    np.testing.assert_allclose(tape.gradient(y, mean), [50, 50], rtol=1e-5)
    with pytest.raises(LookupError):
        with tf.GradientTape() as tape:
            y = tf.raw_ops.RandomPoissonV2(shape=[2], rate=mean, dtype=tf.float32)
        tape.gradient(y, mean)


def test_gradients_of_unknown_sizes():
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([2], tf.int32)])
    def f(alpha, shape):
        with tf.GradientTape() as tape:
            tape.watch(alpha)
            y = tf.reduce_sum(tf.random.stateless_gamma(shape, [1, 2], alpha))
        return tape.gradient(y, alpha)

    alpha = tf.constant([0.5, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        y = tf.reduce_sum(tf.random.stateless_gamma([5, 2], [1, 2], alpha))
    np.testing.assert_allclose(f(alpha, [5, 2]), tape.gradient(y, alpha), rtol=1e-6)


INVALID = [
    (lambda: tf.random.stateless_gamma([3, 2], [1, 2], [1.0, 2, 3]), "Shape passed in must end with broadcasted shape"),
    (lambda: tf.random.stateless_poisson([3, 2], [1, 2], [1.0, 2, 3]), "Shape passed in must end with broadcasted shape"),
    (lambda: tf.random.stateless_poisson([3], [1, 2], np.nan), "rate of a Poisson distribution must be finite"),
    (lambda: tf.random.poisson([3], np.inf, "int32"), "rate of a Poisson distribution must be finite"),
    (lambda: tf.random.poisson([3], 1e10, "int32"), "fit the output's dtype"),
    (lambda: tf.random.stateless_binomial([3], [1, 2], [1.0, 2, 3], [0.5, 0.5]), "must have compatible batch dimensions"),
    (lambda: tf.random.stateless_binomial([3], [1, 2], [1.0, 2], 0.5), "Shape passed in must end with broadcasted shape"),
    (lambda: tf.random.stateless_parameterized_truncated_normal([3], [1, 2], 0.0, 1.0, 2.0, 1.0), "Invalid parameters"),
    (lambda: tf.random.stateless_parameterized_truncated_normal([3], [1, 2], 0.0, np.nan), "Invalid parameters"),
    (lambda: tf.random.stateless_gamma([-1], [1, 2], 1.0), "Dimension -1 must be >= 0"),
    (lambda: tf.random.gamma([2**20, 2**20, 2**20, 2**20], 1.0), "too many elements"),
    (lambda: tf.random.stateless_poisson([2**62, 4], [1, 2], 1.0), "too many elements"),
    (lambda: tf.random.stateless_gamma([2], [1, 2, 3], 1.0), r"seed must have shape \[2\], not \[3\]"),
    (lambda: tf.random.experimental.stateless_shuffle([1, 2], [1, 2], "threefry"), "Unsupported algorithm id: 2"),
    (lambda: tf.random.experimental.index_shuffle(5, [1, 2], 4), "max_index must be >= index, but 4 < 5"),
    (lambda: tf.random.experimental.index_shuffle(-5, [1, 2], 4), "index must be >= 0 but was -5"),
    (lambda: tf.random.categorical(tf.zeros([0, 0]), 3), "num_classes should be positive, got 0"),
    (lambda: tf.random.stateless_normal([[2]], [1, 2]), r"shape must be a vector of \{int32,int64\}, got shape \[1,1\]"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), INVALID)
def test_invalid_arguments(call, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        call()


@pytest.mark.parametrize(
    ("state", "algorithm", "error", "message"),
    [
        ([1, 2], 1, "InvalidArgumentError", "the size of state must be at least 3; got 2"),
        ([[1, 2, 3]], 1, "InvalidArgumentError", "RNG state must have one and only one dimension, not 2"),
        ([1.0, 2, 3], 1, "InvalidArgumentError", "dtype of RNG state variable must be int64, not float"),
        ([1, 2, 3], 2, "UnimplementedError", "Non-XLA devices don't support the ThreeFry algorithm"),
        ([1, 2, 3], 7, "InvalidArgumentError", "Unsupported algorithm id: 7"),
    ],
)
def test_states_of_generators_are_checked(state, algorithm, error, message):
    state = np.array(state, np.int64 if np.asarray(state).dtype.kind == "i" else np.float32)
    variable = tf.Variable(state)
    with pytest.raises(getattr(tf.errors, error), match=message):
        tf.raw_ops.StatefulUniform(resource=variable.handle, algorithm=algorithm, shape=[2], dtype=tf.float32)
    np.testing.assert_array_equal(variable.numpy(), state)


def test_samplers_give_up():
    with pytest.raises(tf.errors.InternalError, match="rejection sampler failed to accept a sample"):
        tf.random.stateless_parameterized_truncated_normal([3], [1, 2], np.nan)


def test_nothing_is_drawn_for_empty_shapes():
    empty = tf.zeros([0])
    assert tf.random.gamma([2], empty).shape == [2, 0]
    assert tf.random.gamma([0], [1.0, 2.0]).shape == [0, 2]
    assert tf.random.stateless_gamma([0, 5], [1, 2], [1.0, 2, 3]).shape == [0, 5]
    assert tf.random.poisson([0], 3.0).shape == [0]
    assert tf.random.stateless_binomial([3, 0], [1, 2], empty, 0.5).shape == [3, 0]
    assert tf.random.stateless_parameterized_truncated_normal([0], [1, 2]).shape == [0]
    assert tf.random.shuffle(tf.zeros([5, 0])).shape == [5, 0]
    assert tf.random.categorical(tf.zeros([0, 3]), 4).shape == [0, 4]
    assert tf.random.categorical(tf.zeros([2, 3]), 0).shape == [2, 0]


def test_binomial_edges():
    counts = tf.constant([0.0, -3, 20, 20, np.nan, np.inf, 20])
    probs = tf.constant([0.5, 0.5, 0, 1, 0.5, 0.5, np.nan])
    drawn = tf.random.stateless_binomial([7], [1, 2], counts, probs, tf.float64).numpy()
    np.testing.assert_array_equal(drawn, [0, 0, 0, 20, np.nan, np.inf, np.nan])
