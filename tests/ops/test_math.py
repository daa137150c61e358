"""The functions of tf.math that are more than one op: conversions, choices of op, names of nodes, errors."""

import numpy as np
import pytest
import tracefn as tf


@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [
        (tf.add, (1.0, 2.0), "Add:0"),
        (tf.subtract, (1.0, 2.0), "Sub:0"),
        (tf.multiply, (1.0, 2.0), "Mul:0"),
        (tf.divide, (1.0, 2.0), "truediv:0"),
        (tf.math.truediv, (1.0, 2.0), "truediv:0"),
        (tf.math.floordiv, (1.0, 2.0), "floordiv:0"),
        (tf.math.divide_no_nan, (1.0, 2.0), "div_no_nan:0"),
        (tf.math.multiply_no_nan, (1.0, 2.0), "multiply_no_nan:0"),
        (tf.math.reciprocal_no_nan, (1.0,), "reciprocal_no_nan:0"),
        (tf.pow, (1.0, 2.0), "Pow:0"),
        (tf.abs, (1.0,), "Abs:0"),
        (tf.sign, (1.0,), "Sign:0"),
        (tf.round, (1.0,), "Round:0"),
        (tf.cast, (1.0, tf.int32), "Cast:0"),
        (tf.saturate_cast, (1.0, tf.uint8), "saturate_cast:0"),
        (tf.clip_by_value, (1.0, 0.0, 3.0), "clip_by_value:0"),
        (tf.nn.leaky_relu, (1.0,), "LeakyRelu:0"),
        (tf.math.log_sigmoid, (1.0,), "LogSigmoid:0"),
        (tf.math.erfcinv, (0.5,), "erfcinv/mul_1:0"),
        (tf.math.conj, (1j,), "Conj:0"),
        (tf.math.real, (1j,), "Real:0"),
        (tf.math.imag, (1j,), "Imag:0"),
        (tf.math.angle, (1j,), "Angle:0"),
        (tf.complex, (1.0, 2.0), "Complex:0"),
        (tf.math.logical_xor, (True, False), "LogicalXor:0"),
        (tf.equal, (1.0, 2.0), "Equal:0"),
        (tf.not_equal, (1.0, 2.0), "NotEqual:0"),
        (tf.scalar_mul, (2.0, 1.0), "scalar_mul:0"),
        (tf.math.polyval, ([1.0, 2.0], 2.0), "polyval/add:0"),
        (tf.math.mod, (1.0, 2.0), "FloorMod:0"),
        (tf.math.exp, (1.0,), "Exp:0"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_node_names(function, arguments, name):
    names = []

    @tf.function
    def traced():
        values = [tf.constant(a) if isinstance(a, (float, bool, complex)) else a for a in arguments]
        names.append(function(*values).name)

    traced()
    assert names == [name]


def test_the_other_operand_decides_the_dtype_of_numbers():
    assert (1 + tf.constant(2.0)).dtype == tf.float32
    assert tf.add(tf.constant(2, tf.int64), 1).dtype == tf.int64
    assert tf.multiply(2, tf.constant(1.5)).numpy() == 3.0
    assert tf.maximum(0, tf.constant(1.5)).dtype == tf.float32


def test_division_of_integers():
    assert tf.divide(3, 2).numpy() == 1.5
    assert tf.math.truediv(tf.constant(3, tf.int8), tf.constant(2, tf.int8)).dtype == tf.float32
    assert tf.math.truediv(3, 2).dtype == tf.float64
    assert tf.math.divide_no_nan(3, 0).numpy() == 0.0
    with pytest.raises(TypeError, match="`x` and `y` must have the same dtype"):
        tf.math.truediv(tf.constant(1), tf.constant(1.0))


def test_abs_and_parts_of_complex_numbers():
    z = tf.constant([3 + 4j, -1 + 0j], tf.complex64)
    assert tf.abs(z).numpy().tolist() == [5.0, 1.0] and tf.abs(z).dtype == tf.float32
    np.testing.assert_allclose(tf.math.angle(z).numpy(), np.angle(z.numpy()), rtol=1e-6)
    np.testing.assert_allclose(tf.math.angle([-1.0, 2.0]).numpy(), [np.pi, 0], rtol=1e-6)
    assert tf.math.real([1.0, 2.0]).numpy().tolist() == [1.0, 2.0]
    assert tf.math.imag([1.0, 2.0]).numpy().tolist() == [0.0, 0.0]
    with pytest.raises(TypeError, match="incorrect types: float32 float64"):
        tf.complex(1.0, tf.constant(1.0, tf.float64))
    with pytest.raises(TypeError, match="Expected numeric or variant tensor"):
        tf.math.conj("a")


def test_round_leaves_integers():
    x = tf.constant([1, 2])
    assert tf.round(x).numpy().tolist() == [1, 2]
    assert tf.round([0.5, 1.5, 2.5, -0.5]).numpy().tolist() == [0.0, 2.0, 2.0, -0.0]


def test_cast():
    x = tf.constant([1.8, -2.2])
    assert tf.cast(x, tf.float32) is x
    assert tf.cast(x, "int32").numpy().tolist() == [1, -2]
    assert tf.cast([0, 2], tf.bool).numpy().tolist() == [False, True]
    with pytest.raises(tf.errors.UnimplementedError, match="Cast float to string is not supported"):
        tf.cast(x, tf.string)


@pytest.mark.parametrize(
    ("values", "dtype", "wanted"),
    [
        ([-3.7, 300.0], "uint8", [0, 255]),
        ([1e20, -1e20], "int32", [2147483520, -2147483648]),
        ([1e20, -1e20], "int64", [9223371487098961920, -9223372036854775808]),
        ([300, -5], "int8", [127, -5]),
        ([1e300], "float32", [np.finfo(np.float32).max]),
    ],
)
def test_saturate_cast(values, dtype, wanted):
    source = tf.float64 if 1e300 in values else None
    assert tf.saturate_cast(tf.constant(values, source), dtype).numpy().tolist() == wanted


@pytest.mark.parametrize(("dtype", "count"), [("float32", 1), ("uint8", 1), ("complex64", 0)])
def test_saturated_complex_numbers(caplog, dtype, count):
    tf.saturate_cast(tf.constant([300.0 - 5.0j]), dtype)
    assert [each.getMessage() for each in caplog.records] == ["Casting complex to real discards imaginary part."] * count


def test_clip_by_value():
    assert tf.clip_by_value([-5, 3, 50], 0, 10).numpy().tolist() == [0, 3, 10]
    assert tf.clip_by_value([[1.0, 9.0]], [[2.0, 3.0]], 5.0).numpy().tolist() == [[2.0, 5.0]]
    with pytest.raises(ValueError, match="are incompatible"):
        tf.clip_by_value(1.0, [0.0, 0.5], 5.0)


def test_add_n():
    assert tf.add_n([tf.constant([1.0]), [2.0], np.float32([3.0])]).numpy().tolist() == [6.0]
    with pytest.raises(ValueError, match="Inputs must be an iterable of at least one Tensor"):
        tf.add_n([])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same size and shape"):
        tf.add_n([tf.constant([1.0]), tf.constant([1.0, 2.0])])
    assert tf.math.accumulate_n([1.0, 2.0], shape=[], tensor_dtype=tf.float32).numpy() == 3.0


def test_scalar_mul_and_polyval():
    assert tf.scalar_mul(2, tf.constant(1.5)).numpy() == 3.0
    with pytest.raises(ValueError, match="must be a 0-D value"):
        tf.scalar_mul([2.0], tf.constant(1.5))
    assert tf.math.polyval([2.0, 0.0, 1.0], [3.0, 1.0]).numpy().tolist() == [19.0, 3.0]
    assert tf.math.polyval([], 3.0).numpy() == 0.0


def test_activations():
    x = np.float32([-2, 3])
    assert tf.nn.leaky_relu(x, 0.5).numpy().tolist() == [-1.0, 3.0]
    assert tf.nn.leaky_relu(tf.constant([-5, 3])).dtype == tf.float32
    np.testing.assert_allclose(tf.math.log_sigmoid(x).numpy(), -np.log1p(np.exp(-x)), rtol=1e-6)
    np.testing.assert_allclose(tf.math.erfcinv([0.5, 1.5]).numpy(), [0.4769363, -0.4769363], rtol=1e-6)
