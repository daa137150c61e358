"""`tf.quantization`: fake quantization in floating-point tensors, with gradients and errors."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")

X = np.float32([-7, -1.2, 0, 0.3, 3.4, 5, 9])
GRID = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)


def near(tensor, expected):
    np.testing.assert_allclose(tensor.numpy(), np.asarray(expected, tensor.dtype.as_numpy_dtype), rtol=2e-7)


def test_args(tf):
    q = tf.quantization.fake_quant_with_min_max_args
    near(q(X), [-6.0235295, -1.1764706, 0, 0.28235295, 3.3882353, 4.9882355, 5.9764705])
    near(q(X, min=1, max=5), [0, 0, 0, 0.29803923, 3.4039218, 4, 4][:7])
    near(q(X, min=-8, max=-5, narrow_range=True, num_bits=3), [-3, -1, 0, 0, 0, 0, 0])
    assert np.isnan(q(np.float32([np.nan])).numpy()).all()
    near(tf.function(q)(X), q(X).numpy())


def test_vars(tf):
    q = tf.quantization.fake_quant_with_min_max_vars
    near(q(X, 0.0, 0.0), np.zeros(7))
    near(q(X, 2.0, 1.0), np.ones(7))
    assert np.isnan(q(X, 1.0, 1.0).numpy()).all()
    assert q(np.zeros([0, 2], np.float32), -1.0, 1.0).shape == (0, 2)


def test_channels(tf):
    q = tf.quantization.fake_quant_with_min_max_vars_per_channel
    expected = [[0, -0.9960785, -1.992157, -2.9882352], [0, -0.9960785, 0, 1.0117648], [0, 1.0039216, 2.0078433, 2.9882352]]
    near(q(GRID, [0.0, -1, -2, -3], [0.0, 1, 2, 3]), expected)
    assert q(np.ones([2, 2, 2, 2, 3], np.float32), [0.0] * 3, [1.0] * 3).shape == (2, 2, 2, 2, 3)


def test_gradients(tf):
    low, high = tf.constant(-1.0), tf.constant(3.0)
    x = tf.constant(X)

    def gradients(x, low, high):
        with tf.GradientTape() as tape:
            tape.watch([x, low, high])
            y = tf.quantization.fake_quant_with_min_max_vars(x, low, high) * tf.range(7.0)
        return tape.gradient(y, [x, low, high])

    for run in (gradients, tf.function(gradients)):
        dx, dlow, dhigh = run(x, low, high)
        near(dx, [0, 0, 2, 3, 0, 0, 0])
        assert (float(dlow), float(dhigh)) == (1, 15)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.quantization.fake_quant_with_min_max_args(x)
    near(tape.gradient(y, x), [0, 1, 1, 1, 1, 1, 0])
    m, lows, highs = tf.constant(GRID), tf.constant([0.0, -1, -2, -3]), tf.constant([0.0, 1, 2, 3])
    with tf.GradientTape() as tape:
        tape.watch([m, lows, highs])
        y = tf.quantization.fake_quant_with_min_max_vars_per_channel(m, lows, highs) * GRID
    dm, dlows, dhighs = tape.gradient(y, [m, lows, highs])
    near(dm, [[-6, 0, 0, -3], [-2, 0, 0, 1], [2, 0, 0, 0]])
    near(dlows, [0, -6, -4, 0])
    near(dhighs, [0, 3, 4, 5])


def test_gradients_of_no_range(tf):
    found = tf.quantization.fake_quant_with_min_max_vars_gradient(X, X, 0.0, 0.0)
    near(found[0], X)
    assert (float(found[1]), float(found[2])) == (0, 0)


def test_quantize_and_dequantize(tf):
    q = tf.quantization.quantize_and_dequantize_v2
    near(q(X, -1, 5), [-7.0157485, -1.2047244, 0, 0.28346458, 3.401575, 5.0314965, 9])
    near(q(X.astype("float64"), -1, 5)[:2], [X[0].astype("float64") * 0 - 7.015748031496063, -1.2047244094488188])
    near(q(X, -1, 5, range_given=True), [-5.03937, -1.1811024, 0, 0.31496063, 3.3858268, 5, 5])
    halves = q(X, -1, 5, range_given=True, num_bits=4, round_mode="HALF_UP", narrow_range=True)
    near(halves, [-5, -1.4285715, 0, 0, 3.5714288, 5, 5])
    near(q(X, 1, 5, range_given=True, signed_input=False), [0, 0, 0, 0.29411766, 3.392157, 5, 5])
    near(q(GRID, 0.0, 0.0, axis=0, num_bits=3), [[-6, -4.5, -4.5, -3], [-2, -1, 0, 1], [1.6666666, 3.3333333, 3.3333333, 5]])
    near(q(tf.constant(GRID), 0.0, 0.0, axis=-2, num_bits=3), q(GRID, 0.0, 0.0, axis=0, num_bits=3).numpy())
    near(q(GRID, 0.0, 0.0, num_bits=1)[0], [-6, -6, -6, 0])
    near(q(np.zeros(2, np.float32), 0.0, 0.0), [0, 0])
    assert q(np.zeros([0], np.float32), 0.0, 0.0).shape == (0,)


def test_straight_through(tf):
    x = tf.constant(X)
    for function, expected in (
        (tf.quantization.quantize_and_dequantize, np.ones(7)),
        (tf.quantization.quantize_and_dequantize_v2, [0, 0, 1, 1, 1, 1, 0]),
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, -1.0, 5.0, range_given=True)
        near(tape.gradient(y, x), expected)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda q: q.fake_quant_with_min_max_args(X, min=1, max=1), "min has to be smaller than max, was: 1 >= 1"),
        (lambda q: q.fake_quant_with_min_max_args(X, num_bits=1), "num_bits must be between 2 and 16, inclusive"),
        (lambda q: q.fake_quant_with_min_max_args(X, num_bits=17), "num_bits must be between 2 and 16, inclusive"),
        (lambda q: q.fake_quant_with_min_max_vars(X, [0.0], 1.0), "`min` must be rank 0 but is rank 1"),
        (lambda q: q.fake_quant_with_min_max_vars_gradient(X, X[:2], 0.0, 0.0), "gradient and input must be the same size"),
        (lambda q: q.fake_quant_with_min_max_args_gradient(X, X[:3]), "must have the same size and shape"),
        (
            lambda q: q.fake_quant_with_min_max_vars_per_channel(GRID, [0.0] * 3, [1.0] * 3),
            "min has incorrect size, expected 4 was 3",
        ),
        (lambda q: q.fake_quant_with_min_max_vars_per_channel(GRID, 1.0, 2.0), "`min` must be rank 1 but is rank 0"),
        (lambda q: q.quantize_and_dequantize_v2(X, 5.0, 1, range_given=True), "Invalid range: input_min 5 > input_max 1"),
        (lambda q: q.quantize_and_dequantize_v2(X, [-1.0], [5], range_given=True), "input_min must be a scalar"),
        (lambda q: q.quantize_and_dequantize_v2(GRID, 0.0, 0.0, axis=2), "Shape must be at least rank 3 but is rank 2"),
        (lambda q: q.quantize_and_dequantize_v2(GRID, 0.0, 0.0, num_bits=0), "num_bits is out of range: 0 with signed_input_ 1"),
        (lambda q: q.quantize_and_dequantize_v2(GRID, 0.0, 0.0, num_bits=64), "num_bits is out of range: 64"),
    ],
)
def test_errors(tf, call, match):
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        call(tf.quantization)


def test_errors_while_tracing(tf):
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 4 and 3"):
        tf.function(lambda: tf.quantization.fake_quant_with_min_max_vars_per_channel(GRID, [0.0] * 3, [1.0] * 3))()
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        tf.function(lambda: tf.quantization.fake_quant_with_min_max_vars(GRID, [0.0], 1.0))()


@pytest.mark.parametrize("name", ["quantize_and_dequantize", "quantize_and_dequantize_v2"])
def test_rounded_numbers_of_other_kinds(tf, name):
    function, low, high = getattr(tf.quantization, name), tf.constant(-1.0), tf.constant(1.0)
    assert function(2, low, high).dtype == tf.float32 and function([1, 2], low, high).numpy()[1] == 2.0
    invalid = tf.errors.InvalidArgumentError
    for arguments, kind, text in (
        (([1, 2], -1, 1), invalid, "Value for attr 'T' of int32 is not in the list of allowed values"),
        (("a", low, high), TypeError, "Cannot convert 'a' to EagerTensor of dtype float"),
        ((tf.constant([1, 2]), low, high), invalid, "Value for attr 'T' of int32 is not in the list of allowed values"),
        ((tf.constant(["a"]), low, high), invalid, "Value for attr 'T' of string is not in the list of allowed values"),
        ((low, tf.constant(1), high), invalid, r"input #1\(zero-based\) was expected to be a float tensor but is a int32"),
        ((low, low, tf.constant(1.0, tf.float64)), invalid, r"input #2\(zero-based\) was expected to be a float tensor"),
    ):
        with pytest.raises(kind, match=text):
            function(*arguments)


def test_ties_of_quantized_numbers(tf):
    x = [0.1, 0.5, 0.9, 0.3]
    by_args = tf.quantization.fake_quant_with_min_max_args(x, 0.0, 1.0)
    by_channel = tf.quantization.fake_quant_with_min_max_vars_per_channel(x, [0.0] * 4, [1.0] * 4)
    by_vars = tf.quantization.fake_quant_with_min_max_vars(x, 0.0, 1.0)
    for found, steps in ((by_args, [26, 128, 230, 77]), (by_channel, [26, 128, 230, 77]), (by_vars, [25, 127, 229, 77])):
        np.testing.assert_allclose(found, np.array(steps) / 255, rtol=1e-6)
