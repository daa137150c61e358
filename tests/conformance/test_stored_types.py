"""Quantized integers, float8 and 4-bit integers: types that hold numbers but have no arithmetic."""

import functools

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")

ml_dtypes = pytest.importorskip("ml_dtypes")

QUANTIZED = ["qint8", "quint8", "qint16", "quint16", "qint32"]
FLOAT8 = ["float8_e4m3fn", "float8_e5m2"]
FOUR_BITS = ["int4", "uint4"]
WITH_ARITHMETIC = ["bool", "uint8", "int16", "int32", "int64", "bfloat16", "float16", "float32", "float64", "complex64"]


def named(tf, name):
    return getattr(tf, name, None) or getattr(tf.dtypes.experimental, name)


@pytest.mark.parametrize("name", QUANTIZED + FLOAT8 + FOUR_BITS)
def test_arrays_make_the_trip(tf, name):
    dtype = named(tf, name)
    array = np.array([1, 0, 3]).astype(dtype.as_numpy_dtype)
    tensor = tf.constant(array)
    assert tensor.dtype is dtype and tf.convert_to_tensor(array).dtype is dtype
    assert tensor.numpy().tolist() == [1, 0, 3]
    assert tensor.numpy().dtype == (name.removeprefix("q") if name in QUANTIZED else dtype.as_numpy_dtype)


@pytest.mark.parametrize("name", ["qint8", "quint8", "qint32", *FLOAT8, *FOUR_BITS])
def test_moving_ops_and_functions(tf, name):
    tensor = tf.constant(np.array([1, 0, 3, 2]).astype(named(tf, name).as_numpy_dtype))
    moved = tf.function(lambda x: tf.expand_dims(tf.reshape(tf.identity(x), [2, 2]), 0))(tensor)
    assert moved.shape == [1, 2, 2] and moved.numpy().tolist() == [[[1, 0], [3, 2]]]
    variable = tf.Variable(tensor)
    variable.assign(tf.reshape(moved, [4]))
    assert variable.dtype is tensor.dtype and variable.numpy().tolist() == [1, 0, 3, 2]


def pairs():
    for other in WITH_ARITHMETIC:
        for name in QUANTIZED:
            yield other, name
            yield name, other
        for name in FLOAT8:
            yield name, other
            if "float" in other:
                yield other, name
        if other not in ("bool", "complex64") and "float" not in other:
            for name in FOUR_BITS:
                yield other, name
                yield name, other
    yield from [(a, b) for a in FLOAT8 for b in FLOAT8 + QUANTIZED] + [(a, b) for a in QUANTIZED for b in FOUR_BITS]


@pytest.mark.parametrize(("source", "target"), list(pairs()))
def test_casts(tf, source, target):
    source, target = named(tf, source), named(tf, target)
    tensor = tf.constant(np.array([1, 0, 1]).astype(source.as_numpy_dtype))
    for cast in (tf.cast, tf.function(tf.cast, autograph=False)):
        result = cast(tensor, target)
        assert result.dtype is target and np.real(result.numpy()).astype(float).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("source", "target"),
    [("int32", "float8_e5m2"), ("bool", "float8_e4m3fn"), ("float32", "int4"), ("uint4", "bool"), ("qint8", "float8_e5m2"),
     ("float8_e4m3fn", "uint4")],
)  # fmt: skip
def test_casts_that_there_are_not(tf, source, target):
    tensor = tf.constant(np.array([1, 0]).astype(named(tf, source).as_numpy_dtype))
    names = source.replace("float32", "float"), target
    with pytest.raises(tf.errors.UnimplementedError, match=f"Cast {names[0]} to {names[1]} is not supported"):
        tf.cast(tensor, named(tf, target))


@pytest.mark.parametrize("name", FLOAT8)
@pytest.mark.parametrize("wide", ["float32", "float64"])
def test_float8_rounds_to_nearest(tf, name, wide):
    """Every float8, the numbers halfway between two, which go to the even one, and those just beside these."""
    dtype = named(tf, name)
    every = np.arange(256, dtype=np.uint8).view(dtype.as_numpy_dtype).astype(wide)
    numbers = np.unique(every[np.isfinite(every)])
    lower, upper = numbers[:-1], numbers[1:]
    halfway = (lower + upper) / 2
    is_even = lower.astype(dtype.as_numpy_dtype).view(np.uint8) % 2 == 0
    cases = [(every, every), (halfway, np.where(is_even, lower, upper)), (np.nextafter(halfway, np.inf), upper),
             (np.nextafter(halfway, -np.inf), lower)]  # fmt: skip
    too_large = np.nan if name == "float8_e4m3fn" else np.inf
    cases.append((np.array([numbers[-1] * 1.2, np.inf, np.nan], wide), np.array([too_large, too_large, np.nan])))
    for values, expected in cases:
        result = tf.cast(values, dtype)
        assert result.dtype is dtype
        np.testing.assert_array_equal(tf.cast(result, wide), expected)


def test_integers_of_four_bits_wrap(tf):
    numbers = tf.range(-20, 20)
    assert tf.cast(tf.cast(numbers, tf.dtypes.experimental.int4), tf.int32).numpy().tolist() == [
        (i + 8) % 16 - 8 for i in range(-20, 20)
    ]
    assert tf.cast(tf.cast(numbers, tf.dtypes.experimental.uint4), tf.int32).numpy().tolist() == [
        i % 16 for i in range(-20, 20)
    ]


def test_negative_integers_of_four_bits_from_arrays(tf):
    """The bytes are those of ml_dtypes: the low four bits, and zeros."""
    int4 = tf.dtypes.experimental.int4
    array = np.array([-8, -1, 3], np.int8).astype(ml_dtypes.int4)
    for tensor in (tf.constant(array), tf.cast([-8, -1, 3], int4), tf.constant([-8, -1, 3], int4)):
        assert tf.cast(tensor, tf.int32).numpy().tolist() == [-8, -1, 3]
        assert tensor.numpy().tobytes() == array.tobytes() == b"\x08\x0f\x03"
        assert repr(tensor) == "<tf.Tensor: shape=(3,), dtype=int4, numpy=array([-8, -1, 3], dtype=int4)>"
    other_bits = np.array([0xF8, 0x08, 0x7F, 0x80], np.uint8)
    assert tf.cast(other_bits.view(ml_dtypes.int4), tf.int32).numpy().tolist() == [-8, -8, -1, 0]
    assert tf.cast(other_bits.view(ml_dtypes.uint4), tf.int32).numpy().tolist() == [8, 8, 15, 0]
    assert list(tf.make_tensor_proto(array).int_val) == [-8, -1, 3]


@pytest.mark.parametrize("name", QUANTIZED)
def test_quantized_integers_are_numbers(tf, name):
    tensor = tf.constant([1, 2], named(tf, name))
    other = tf.constant([1, 3], tensor.dtype)
    for equal in (tf.equal, tf.function(tf.equal, autograph=False)):
        assert equal(tensor, other).numpy().tolist() == [True, False]
    assert (tensor != tensor).numpy().tolist() == [False, False] and tf.debugging.is_numeric_tensor(tensor)
    assert memoryview(tensor).tolist() == [1, 2]


def test_numbers_of_types_without_arithmetic(tf):
    for name in FLOAT8 + FOUR_BITS:
        assert not tf.debugging.is_numeric_tensor(tf.constant(np.array([1]).astype(named(tf, name).as_numpy_dtype)))
    assert tf.zeros_initializer()([2], tf.qint8).numpy().tolist() == [0, 0] and [0, 1][tf.constant(1, tf.qint8)] == 1


def test_no_arithmetic(tf):
    for name in QUANTIZED + FLOAT8 + FOUR_BITS:
        tensor = tf.constant(np.array([1, 0]).astype(named(tf, name).as_numpy_dtype))
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"Value for attr 'T' of {name} is not in the list"):
            tensor + tensor
    quantized = tf.constant([1, 2], tf.qint8)
    for call in (tf.reduce_sum, tf.reduce_max, tf.cumsum, tf.argmax, tf.nn.relu):
        with pytest.raises(tf.errors.NotFoundError, match="Could not find device for node"):
            call(quantized)
    with pytest.raises(tf.errors.NotFoundError, match="Could not find device for node"):
        tf.nn.bias_add(quantized[None], quantized)


@pytest.mark.parametrize(
    ("name", "text"),
    [("float8_e4m3fn", "numpy=array([1.5, -2], dtype='float8_e4m3fn')>"), ("qint8", "numpy=array([ 1, -2], dtype=int8)>"),
     ("int4", "numpy=array([1, -2], dtype=int4)>"), ("quint16", "numpy=array([1, 2], dtype=uint16)>")],
)  # fmt: skip
def test_texts(tf, name, text):
    values = {"f": [1.5, -2.0], "q": [1, -2], "i": [1, -2]}[name[0]] if name != "quint16" else [1, 2]
    tensor = tf.constant(values, named(tf, name))
    assert repr(tensor) == f"<tf.Tensor: shape=(2,), dtype={name}, {text}"
    assert tf.strings.format("{}", tensor).numpy() == f"[{values[0]} {values[1]:g}]".encode()


@pytest.mark.parametrize("name", QUANTIZED + FLOAT8 + FOUR_BITS)
def test_graphs_and_protos(tf, name):
    array = np.array([1, 0, 3]).astype(named(tf, name).as_numpy_dtype)
    for value in (array, array[2]):
        fn = tf.function(functools.partial(tf.constant, value))
        nodes = {n.op: n for n in fn.get_concrete_function().graph.as_graph_def().node}
        proto = nodes["Const"].attr["value"].tensor
        if name not in QUANTIZED:
            assert tf.make_ndarray(proto).tolist() == value.tolist()
        assert proto.dtype == named(tf, name).as_datatype_enum
        assert fn().numpy().tolist() == tf.constant(value).numpy().tolist()


RANGES = [(-1.0, 6.0), (0.0, 6.0), (1.0, 6.0), (0.0, 0.0), (-3.0, 3.0)]
NUMBERS = np.array([-10.0, -1.2, -0.5, 0, 0.25, 0.5, 1, 2.5, 6, 1e9], np.float32)


@pytest.mark.parametrize("name", ["qint8", "quint8", "qint16", "quint16"])
@pytest.mark.parametrize("mode", ["MIN_COMBINED", "MIN_FIRST", "SCALED"])
def test_quantize_and_back(tf, name, mode):
    """What is in the range comes back within a step, and the ends of the range that the op gives are exact."""
    dtype = named(tf, name)
    info = np.iinfo(name.removeprefix("q"))
    for low, high in RANGES:
        result = tf.quantization.quantize(NUMBERS, low, high, dtype, mode=mode)
        assert result.output.dtype is dtype and result._fields == ("output", "output_min", "output_max")
        low, high = float(result.output_min), float(result.output_max)
        assert low <= 0 <= high and high > low
        back = tf.quantization.dequantize(result.output, low, high, mode=mode).numpy()
        step = (high - low) / (int(info.max) - int(info.min))
        np.testing.assert_allclose(back, np.clip(NUMBERS, low, high), atol=1.01 * step)


def test_quantized_numbers(tf):
    q = tf.quantization.quantize
    x = [-1.2, 0.0, 0.5, 1.5, 2.5, 7.0]
    assert q(x, -1.0, 6.0, tf.qint8).output.numpy().tolist() == [-128, -92, -73, -37, -1, 127]
    assert q(x, -1.0, 6.0, tf.quint8, "MIN_FIRST").output.numpy().tolist() == [0, 36, 54, 91, 127, 255]
    assert q(x, -3.0, 3.0, tf.qint8, "SCALED").output.numpy().tolist() == [-51, 0, 21, 64, 106, 127]
    even = q([0.5, 1.5, 2.5], -127.0, 127.0, tf.qint8, "SCALED", "HALF_TO_EVEN", narrow_range=True)
    assert even.output.numpy().tolist() == [0, 2, 2]
    each = q([[1.0, 2.0, 3.0], [-4.0, 5.0, 6.0]], [-1.0, -2.0], [3.0, 4.0], tf.quint8, axis=0)
    assert each.output.numpy().tolist() == [[128, 191, 255], [0, 255, 255]] and each.output_max.numpy().tolist() == [3, 4]
    assert tf.quantization.dequantize(tf.constant([1, 2], tf.quint8), 0.0, 255.0, dtype=tf.bfloat16).numpy().tolist() == [1, 2]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda tf: tf.quantization.quantize([1.0], 3.0, 1.0, tf.qint8), "InvalidArgumentError", "input_max_range must be"),
        (lambda tf: tf.quantization.quantize([1.0], 0.0, 1.0, tf.int8), "InvalidArgumentError", "'T' of int8 is not in the"),
        (lambda tf: tf.quantization.quantize([1.0], 0.0, 1.0, tf.qint8, "X"), "InvalidArgumentError", "'mode' of \"X\""),
        (lambda tf: tf.quantization.quantize([1.0, 2], [0.0, 0], [1.0, 1], tf.qint8, "MIN_FIRST", axis=0), "UnimplementedError",
         "MIN_FIRST mode is not implemented for Quantize with axis != -1."),
        (lambda tf: tf.quantization.quantize([1.0, 2.0], [0.0], [1.0], tf.qint8, axis=0), "InvalidArgumentError",
         "min_range is a 1-D tensor of size 1 and input's axis dimension is of size 2"),
        (lambda tf: tf.quantization.quantize([1.0], 0.0, 1.0, tf.qint8, round_mode="HALF_TO_EVEN"), "InvalidArgumentError",
         "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is 'MIN_COMBINED'"),
        (lambda tf: tf.quantization.dequantize(tf.constant([1]), 0.0, 1.0), "InvalidArgumentError", "'T' of int32"),
        (lambda tf: tf.quantization.dequantize(tf.constant([1], tf.qint8), 0.0, 1.0, "SCALED", dtype=tf.bfloat16),
         "InvalidArgumentError", "When output type is bfloat16, Mode string must be 'MIN_COMBINED', is 'SCALED'"),
    ],
)  # fmt: skip
def test_wrong_quantization(tf, call, error, text):
    with pytest.raises(getattr(tf.errors, error), match=text.replace("(", "\\(")):
        call(tf)


@pytest.mark.parametrize("axis", [2, 1000, 10**6])
def test_axes_beyond_the_rank(tf, axis):
    @tf.function
    def quantized():
        return tf.raw_ops.QuantizeV2(input=np.ones((3, 4), np.float32), min_range=[-1.0], max_range=[1.0], T=tf.qint8, axis=axis)

    with pytest.raises(ValueError, match=f"Shape must be at least rank {axis + 1} but is rank 2"):
        quantized()


def test_no_gradient_of_quantized_numbers(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        output, low, high = tf.quantization.quantize(x, 0.0, 3.0, tf.qint8)
        y = tf.quantization.dequantize(output, low, high)
    with pytest.raises(LookupError, match="gradient registry has no entry for: Dequantize"):
        tape.gradient(y, x)
