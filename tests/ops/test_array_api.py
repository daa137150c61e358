"""`tf.array_api` against array-api-strict, the standard's reference implementation: values, dtypes and shapes, eagerly and traced."""

import itertools
import subprocess
import sys
import warnings

import numpy as np
import pytest
import tracefn as tf

strict = pytest.importorskip("array_api_strict")
xp = tf.array_api

INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
REAL = [*INTEGERS, *FLOATS]
NUMERIC = [*REAL, *COMPLEX]
EVERY = ["bool", *NUMERIC]
TOLERANCE = {"float32": 2e-6, "complex64": 4e-6, "float64": 1e-13, "complex128": 1e-13}

UNARY = {
    **dict.fromkeys("abs negative positive sign square conj real isfinite isinf isnan round".split(), NUMERIC),
    **dict.fromkeys("ceil floor trunc".split(), REAL),
    **dict.fromkeys("signbit".split(), FLOATS),
    **dict.fromkeys(
        "acos acosh asin asinh atan atanh cos cosh exp expm1 log log1p log2 log10 reciprocal sin sinh sqrt tan tanh".split(),
        [*FLOATS, *COMPLEX],
    ),
    "imag": COMPLEX,
    "bitwise_invert": ["bool", *INTEGERS],
    "logical_not": ["bool"],
}
BINARY = {
    **dict.fromkeys("add subtract multiply pow".split(), NUMERIC),
    **dict.fromkeys("equal not_equal".split(), EVERY),
    **dict.fromkeys("less less_equal greater greater_equal maximum minimum floor_divide remainder".split(), REAL),
    **dict.fromkeys("atan2 copysign hypot logaddexp nextafter".split(), FLOATS),
    "divide": [*FLOATS, *COMPLEX],
    **dict.fromkeys("bitwise_and bitwise_or bitwise_xor".split(), ["bool", *INTEGERS]),
    **dict.fromkeys("bitwise_left_shift bitwise_right_shift".split(), INTEGERS),
    **dict.fromkeys("logical_and logical_or logical_xor".split(), ["bool"]),
}


def sample(dtype: str) -> np.ndarray:
    """Values of a dtype: those that the standard names in its special cases, of complex numbers finite ones."""
    if dtype == "bool":
        return np.array([True, False, True])
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        return np.array([0, 1, 2, 3, 5, 7, limits.max] + ([-1, -2, -5] if limits.min else []), dtype)
    if dtype in FLOATS:
        values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 2.5, -2.5, 3.7, 1e-7, np.inf, -np.inf, np.nan]
        return np.array(values, dtype)
    return np.array([0.5 + 1j, -1.25 + 0.5j, 2 - 3j, 1j, -2.5 - 0.25j, 3.0], dtype)


def both(x: np.ndarray) -> tuple:
    return strict.asarray(x), tf.constant(x)


def compare(got, want, where, dtype=None) -> None:
    if isinstance(want, (tuple, list)):
        assert isinstance(got, (tuple, list)) and len(got) == len(want), where
        for part, wanted in zip(got, want, strict=True):
            compare(part, wanted, where, dtype)
        return
    array = np.asarray(want)
    assert got.dtype.name == (dtype or array.dtype.name), where
    assert tuple(got.shape) == array.shape, where
    tolerance = TOLERANCE.get(got.dtype.name, 0)
    np.testing.assert_allclose(got.numpy(), array, rtol=tolerance, atol=tolerance, err_msg=str(where))


def check(compute, *arrays, dtype=None, where=None) -> None:
    """`compute(namespace, *arrays)` gives the same in both, and when it is traced, with and without known shapes."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want = compute(strict, *(strict.asarray(x) for x in arrays))
    given = [tf.constant(x) for x in arrays]
    compare(compute(xp, *given), want, ("eager", where), dtype)
    function = tf.function(lambda *given: compute(xp, *given))
    compare(function(*given), want, ("traced", where), dtype)
    specs = [tf.TensorSpec([None] * x.ndim, x.dtype) for x in arrays]
    unknown = tf.function(lambda *given: compute(xp, *given), input_signature=specs)
    compare(unknown(*given), want, ("unknown sizes", where), dtype)


@pytest.mark.parametrize(("name", "dtype"), [(name, dtype) for name, kinds in UNARY.items() for dtype in kinds])
def test_functions_of_one_array(name, dtype):
    check(lambda m, x: getattr(m, name)(x), sample(dtype), where=(name, dtype))


def pairs(name: str, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of values for which the standard says what the result is."""
    x, y = (a.ravel() for a in np.meshgrid(sample(dtype), sample(dtype)))
    keep = np.ones(x.shape, bool)
    if dtype in INTEGERS:
        if name in ("floor_divide", "remainder"):
            keep = y != 0
        elif name == "pow":
            keep = (y >= 0) & (y < 8)
        elif "shift" in name:
            keep = (y >= 0) & (y < np.iinfo(dtype).bits) & ((x >= 0) | ("right" in name))
    elif name in ("floor_divide", "remainder"):
        # Infinite operands are left to implementations, and so is the quotient by 0. A quotient that is near an integer
        # is rounded before it is rounded down.
        keep = np.isfinite(x) & np.isfinite(y) & (np.abs(y) > 1e-3)
    return x[keep], y[keep]


@pytest.mark.parametrize(("name", "dtype"), [(name, dtype) for name, kinds in BINARY.items() for dtype in kinds])
def test_functions_of_two_arrays(name, dtype):
    check(lambda m, x, y: getattr(m, name)(x, y), *pairs(name, dtype), where=(name, dtype))


@pytest.mark.parametrize("name", BINARY)
def test_promotion_and_broadcasting(name):
    for first, second in itertools.product(BINARY[name], repeat=2):
        x, y = np.ones([2, 1], first), np.ones([3], second)
        try:
            want = getattr(strict, name)(*map(strict.asarray, (x, y)))
        except TypeError:
            with pytest.raises(TypeError, match="promot"):
                getattr(xp, name)(tf.constant(x), tf.constant(y))
            continue
        compare(getattr(xp, name)(tf.constant(x), tf.constant(y)), want, (name, first, second))
        assert xp.result_type(tf.constant(x), y.dtype) == strict.result_type(strict.asarray(x), getattr(strict, second))._np_dtype


@pytest.mark.parametrize("name", BINARY)
def test_python_numbers_are_weak(name):
    for dtype in BINARY[name]:
        x = np.ones([2], dtype)
        for number in (True, 2, 1.5, 1j):
            if isinstance(number, complex) and dtype in FLOATS and "complex64" not in BINARY[name]:
                with pytest.raises(TypeError, match="complex"):
                    getattr(xp, name)(tf.constant(x), number)
                continue
            try:
                want = [getattr(strict, name)(strict.asarray(x), number), getattr(strict, name)(number, strict.asarray(x))]
            except TypeError:
                with pytest.raises(TypeError):
                    getattr(xp, name)(tf.constant(x), number)
                continue
            got = [getattr(xp, name)(tf.constant(x), number), getattr(xp, name)(number, tf.constant(x))]
            compare(got, want, (name, dtype, number))


@pytest.mark.parametrize(("name", "kinds"), [*UNARY.items(), *BINARY.items()])
def test_other_dtypes_are_type_errors(name, kinds):
    for dtype in set(EVERY) - set(kinds):
        x = tf.cast(tf.constant([1, 0]), dtype)
        with pytest.raises(TypeError, match=name):
            getattr(xp, name)(x) if name in UNARY else getattr(xp, name)(x, x)


A = np.array([[3, -1, 2], [0, 5, -4]])
STRUCTURE = """
m.broadcast_arrays(x, x[:1, :])
m.broadcast_to(x, (4, 2, 3))
m.concat([x, x], axis=0)
m.concat((x, x), axis=-1)
m.concat([x, x], axis=None)
m.expand_dims(x, axis=0)
m.expand_dims(x, axis=-1)
m.flip(x)
m.flip(x, axis=1)
m.flip(x, axis=(0, -1))
m.moveaxis(x, 0, 1)
m.moveaxis(x, (0, 1), (1, 0))
m.permute_dims(x, (1, 0))
m.repeat(x, 2)
m.repeat(x, 2, axis=1)
m.reshape(x, (3, 2))
m.reshape(x, (-1,), copy=True)
m.roll(x, 1)
m.roll(x, -2, axis=1)
m.roll(x, (1, 2), axis=(0, 1))
m.squeeze(m.expand_dims(x, axis=1), 1)
m.squeeze(m.reshape(x, (1, 6, 1)), (0, 2))
m.stack([x, x])
m.stack((x, x), axis=-1)
m.tile(x, (2,))
m.tile(x, (2, 1, 2))
m.matrix_transpose(x)
m.tril(x)
m.triu(x, k=1)
m.tril(x, k=-1)
m.take(x, m.asarray([1, 0, 1]), axis=1)
m.take(m.reshape(x, (-1,)), m.asarray([5, 0]))
m.take_along_axis(x, m.asarray([[0], [1]]), axis=1)
m.nonzero(x)
m.count_nonzero(x, axis=1)
m.count_nonzero(x, keepdims=True)
m.all(x)
m.all(x, axis=1, keepdims=True)
m.any(x, axis=(0, 1))
m.any(x, axis=0)
m.where(m.asarray([True, False, True]), x, x[:1, :])
m.not_equal(m.astype(x, m.complex128), 2)
m.zeros_like(x)
m.ones_like(x)
m.full_like(x, 1)
m.ones_like(x, dtype=m.int8)
"""
ORDERED = """
m.argmax(x)
m.argmax(x, axis=1)
m.argmin(x, axis=0, keepdims=True)
m.argmin(x, keepdims=True)
m.max(x)
m.max(x, axis=1, keepdims=True)
m.min(x, axis=(0, 1))
m.sort(x)
m.sort(x, axis=0)
m.sort(x, descending=True)
m.argsort(x)
m.argsort(x, axis=0)
m.argsort(m.floor_divide(x, 3), descending=True)
m.searchsorted(m.sort(m.reshape(x, (-1,))), x)
m.searchsorted(m.sort(m.reshape(x, (-1,))), x, side="right")
m.searchsorted(m.reshape(x, (-1,)), x, sorter=m.argsort(m.reshape(x, (-1,))))
m.clip(x, 1, 3)
m.clip(x, max=2)
m.clip(x, x[:1, :], None)
"""
NUMBERS = """
m.sum(x)
m.sum(x, axis=0)
m.sum(x, axis=(0, 1), keepdims=True)
m.sum(x, dtype=m.complex128)
m.prod(x, axis=1)
m.cumulative_sum(x, axis=1)
m.cumulative_sum(x, axis=0, include_initial=True)
m.cumulative_prod(x, axis=-1)
m.cumulative_prod(x, axis=1, include_initial=True)
m.diff(x)
m.diff(x, axis=0)
m.diff(x, n=2)
m.diff(x, prepend=x[:, :1], append=x[:, :2])
m.matmul(x, m.matrix_transpose(x))
m.matmul(x, x[0, :])
m.matmul(x[0, :], m.matrix_transpose(x))
m.matmul(m.stack([x, x]), m.matrix_transpose(x))
m.tensordot(x, x, axes=([0], [0]))
m.tensordot(x, m.matrix_transpose(x), axes=1)
m.tensordot(x, x, axes=0)
m.vecdot(x, x)
m.vecdot(x, x[:1, :], axis=-1)
"""
MOMENTS = """
m.mean(x)
m.mean(x, axis=1, keepdims=True)
"""
REAL_MOMENTS = """
m.var(x)
m.var(x, axis=0, correction=1)
m.std(x, axis=(0, 1))
m.std(x, axis=1, correction=0.5, keepdims=True)
"""


def lines(*texts: str) -> list[str]:
    return [line for text in texts for line in text.strip().splitlines()]


EXPRESSIONS = [
    *((line, dtype) for line in lines(STRUCTURE) for dtype in EVERY),
    *((line, dtype) for line in lines(ORDERED) for dtype in REAL),
    *((line, dtype) for line in lines(NUMBERS) for dtype in NUMERIC),
    *((line, dtype) for line in lines(MOMENTS) for dtype in [*FLOATS, *COMPLEX]),
    *((line, dtype) for line in lines(REAL_MOMENTS) for dtype in FLOATS),
]


@pytest.mark.parametrize(("expression", "dtype"), EXPRESSIONS)
def test_functions_of_whole_arrays(expression, dtype):
    values = np.abs(A) if dtype.startswith("uint") else A
    x = values.astype(dtype) * (1 + 0.5j if dtype in COMPLEX else 1)
    wanted = None
    if expression.startswith(("m.sum", "m.prod", "m.cumulative")) and "dtype" not in expression and dtype in INTEGERS:
        wide = np.dtype(dtype).itemsize < 4
        wanted = ("uint32" if dtype.startswith("u") else "int32") if wide else dtype
    code = compile(expression, "<expression>", "eval")
    check(lambda m, x: eval(code, {"m": m, "x": x}), x.astype(dtype), dtype=wanted, where=(expression, dtype))


CREATION = """
m.arange(5, dtype=m.int8)
m.arange(1, 7, 2, dtype=m.int64)
m.arange(5, 0, -2, dtype=m.float32)
m.arange(0.0, 1.0, 0.25, dtype=m.float64)
m.arange(3, 1, dtype=m.uint8)
m.asarray([1, 2.5], dtype=m.float64)
m.asarray([[True], [False]])
m.asarray([1, 2], dtype=m.complex64)
m.asarray([], dtype=m.int16)
m.asarray(7, dtype=m.uint64)
m.asarray(2**63, dtype=m.uint64)
m.eye(3, dtype=m.int32)
m.eye(2, 4, k=1, dtype=m.float64)
m.eye(3, 2, k=-1, dtype=m.bool)
m.full((2, 1), 7, dtype=m.int16)
m.full(3, 1.5, dtype=m.float32)
m.full((), 2j, dtype=m.complex128)
m.full(2, True)
m.linspace(0, 1, 5, dtype=m.float32)
m.linspace(1, -2, 4, dtype=m.float64, endpoint=False)
m.linspace(0, 3, 1, dtype=m.float64)
m.linspace(0, 3, 0, dtype=m.float64)
m.linspace(1, 1j, 3, dtype=m.complex128)
m.ones((2, 0), dtype=m.float64)
m.zeros(3, dtype=m.complex64)
m.zeros((), dtype=m.bool)
m.meshgrid(m.asarray([1, 2], dtype=m.int8), m.asarray([3, 4, 5], dtype=m.int8))
m.meshgrid(m.asarray([1, 2], dtype=m.int8), m.asarray([3, 4, 5], dtype=m.int8), indexing="ij")
m.where(m.asarray([True, False]), m.asarray(1, dtype=m.int8), 2)
m.isin(m.asarray([1, 2, 3], dtype=m.int8), m.asarray([3, 1], dtype=m.int8))
"""


@pytest.mark.parametrize("expression", lines(CREATION))
def test_creation(expression):
    check(lambda m: eval(expression, {"m": m}), where=expression)


def test_defaults():
    assert [xp.asarray(x).dtype for x in (True, 1, 2**40, 1.5, 1j, [1, 2.5], [1, 1j], [])] == [
        tf.bool, tf.int32, tf.int64, tf.float32, tf.complex64, tf.float32, tf.complex64, tf.float32,
    ]  # fmt: skip
    assert xp.ones(2).dtype == xp.eye(2).dtype == xp.linspace(0, 1, 3).dtype == xp.arange(2.0).dtype == tf.float32
    assert xp.arange(3).dtype == xp.full(2, 3).dtype == tf.int32 and xp.full(2, 1j).dtype == tf.complex64
    assert xp.argmax(xp.ones(2)).dtype == xp.nonzero(xp.ones(2))[0].dtype == tf.int64


@pytest.mark.parametrize("dtype", EVERY)
def test_distinct_elements(dtype):
    x = np.array([[3, 1, 3], [0, 1, 1]]).astype(dtype)
    for function in (lambda m, x: m.unique_all(x), tf.function(lambda m, x: m.unique_all(x))):
        values, indices, inverse, counts = function(xp, tf.constant(x))
        want, counted = np.unique(x, return_counts=True)
        order = np.argsort(values.numpy())
        np.testing.assert_array_equal(values.numpy()[order], want)
        np.testing.assert_array_equal(counts.numpy()[order], counted)
        np.testing.assert_array_equal(x.ravel()[indices.numpy()], values)
        np.testing.assert_array_equal(values.numpy()[inverse.numpy()], x)
    assert tuple(xp.unique_counts(tf.constant(x))._fields) == ("values", "counts")
    np.testing.assert_array_equal(np.sort(xp.unique_values(tf.constant(x))), want)
    values, inverse = xp.unique_inverse(tf.constant(x))
    np.testing.assert_array_equal(values.numpy()[inverse.numpy()], x)


def test_distinct_floats():
    result = xp.unique_all(tf.constant([np.nan, 0.0, np.nan, -0.0, 1.0]))
    assert result.counts.numpy().tolist() == [1, 2, 1, 1]  # each NaN is itself; the zeros are equal
    np.testing.assert_array_equal(result.values, [np.nan, 0.0, np.nan, 1.0])
    assert xp.unique_values(tf.constant([1 + 2j, 2 + 1j, 1 + 2j])).numpy().tolist() == [1 + 2j, 2 + 1j]
    assert xp.unique_all(tf.zeros([0])).counts.shape == [0]


def test_elements_that_are_not_among_others():
    assert xp.isin(tf.constant([1, 2, 3]), 2, invert=True).numpy().tolist() == [True, False, True]


_OPERATORS = """
import itertools, operator, sys
import array_api_strict as strict, numpy as np, tracefn as tf
tf.experimental.numpy.experimental_enable_numpy_behavior()
names = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()
compared = 0
for name in "add sub mul truediv floordiv mod pow eq ne lt le gt ge and_ or_ xor".split():
    compute = getattr(operator, name)
    for first, second in itertools.product(names, repeat=2):
        if name == "pow" and first.startswith("uint") and second.startswith("uint"):
            continue  # not among the dtypes of TensorFlow's op; the function takes them
        x, y = np.ones([2, 1], first), np.ones([3], second)
        try:
            want = compute(strict.asarray(x), strict.asarray(y))
        except TypeError:
            continue
        got = compute(tf.constant(x), tf.constant(y))
        assert got.dtype.name == np.asarray(want).dtype.name, (name, first, second, got.dtype)
        np.testing.assert_array_equal(got, np.asarray(want))
        compared += 1
x = tf.constant([[1, 2], [3, 4]])
assert x.T.numpy().tolist() == x.mT.numpy().tolist() == [[1, 3], [2, 4]] and x.size == 4 and x.ndim == 2
assert x[tf.constant([1, 0]), tf.constant([0, 1])].numpy().tolist() == [3, 2]
assert compared > 400, compared
"""


def test_operators_promote_after_enabling_it():
    done = subprocess.run([sys.executable, "-c", _OPERATORS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# A program of the standard alone: it knows neither NumPy nor tracefn.
def softmax_regression_step(x, labels, weights, rate):
    m = x.__array_namespace__()
    scores = m.matmul(x, weights)
    scores = scores - m.max(scores, axis=-1, keepdims=True)
    exponentials = m.exp(scores)
    shares = exponentials / m.sum(exponentials, axis=-1, keepdims=True)
    wanted = m.astype(labels[:, None] == m.arange(weights.shape[1], dtype=labels.dtype), x.dtype)
    loss = -m.mean(m.sum(wanted * m.log(shares), axis=-1))
    return weights - rate * m.matmul(m.matrix_transpose(x), shares - wanted) / x.shape[0], loss


def test_a_portable_program_in_a_function():
    random = np.random.default_rng(5)
    x, labels = random.normal(size=(20, 4)), random.integers(0, 3, 20)
    ours, theirs = tf.zeros([4, 3], tf.float64), strict.zeros((4, 3), dtype=strict.float64)
    step = tf.function(softmax_regression_step)
    for _ in range(5):
        ours, loss = step(tf.constant(x), tf.constant(labels), ours, 0.5)
        theirs, wanted = softmax_regression_step(strict.asarray(x), strict.asarray(labels), theirs, 0.5)
        np.testing.assert_allclose(loss, np.asarray(wanted))
    np.testing.assert_allclose(ours, np.asarray(theirs))
    with tf.GradientTape() as tape:
        tape.watch(ours)
        _, loss = step(tf.constant(x), tf.constant(labels), ours, 0.5)
    moved, _ = step(tf.constant(x), tf.constant(labels), ours, 1.0)
    np.testing.assert_allclose(tape.gradient(loss, ours), ours - moved, rtol=1e-6, atol=1e-12)


def test_dtypes_and_limits():
    info = xp.__array_namespace_info__()
    other = strict.__array_namespace_info__()
    for kind in (None, "bool", "signed integer", "integral", "real floating", "complex floating", "numeric", ("bool", "integral")):
        assert set(info.dtypes(kind=kind)) == set(other.dtypes(kind=kind))
    assert set(info.default_dtypes()) == set(other.default_dtypes())
    assert info.devices() == [info.default_device()] == [tf.constant(1).device]
    assert set(info.capabilities()) >= {"boolean indexing", "data-dependent shapes", "max dimensions"}
    for name in EVERY:
        ours, theirs = getattr(xp, name), getattr(strict, name)
        for kind in ("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"):
            assert xp.isdtype(ours, kind) == strict.isdtype(theirs, kind), (name, kind)
        for target in EVERY:
            assert xp.can_cast(ours, getattr(xp, target)) == strict.can_cast(theirs, getattr(strict, target)), (name, target)
    for name in [*FLOATS, *COMPLEX]:
        ours, theirs = xp.finfo(getattr(xp, name)), strict.finfo(getattr(strict, name))
        for field in ("bits", "eps", "max", "min", "smallest_normal"):
            assert getattr(ours, field) == getattr(theirs, field), (name, field)
    for name in INTEGERS:
        ours, theirs = xp.iinfo(getattr(xp, name)), strict.iinfo(getattr(strict, name))
        assert (ours.bits, ours.max, ours.min) == (theirs.bits, theirs.max, theirs.min)
    with pytest.raises(ValueError, match="kind"):
        xp.isdtype(xp.int8, "nonsense")


def test_every_name_of_the_standard_is_there():
    extensions = {"fft", "linalg"}
    own = {"Device", "ArrayAPIStrictFlags", "__version__"}
    missing = {name for name in strict.__all__ if not hasattr(xp, name) and "strict_flags" not in name} - own - extensions
    assert not missing
    assert xp.__array_api_version__ == strict.__array_api_version__


def test_tensors_know_the_namespace():
    x = tf.constant([[1.0, 2.0]])
    assert x.__array_namespace__() is xp and x.__array_namespace__(api_version="2024.12") is xp
    with pytest.raises(ValueError, match="version"):
        x.__array_namespace__(api_version="1999.12")
    assert x.mT.shape == [2, 1] and x.to_device(x.device) is x
    with pytest.raises(ValueError, match="device"):
        x.to_device("GPU:0")

    @tf.function
    def standardized(x):
        m = x.__array_namespace__()
        return (x - m.mean(x, axis=0)) / m.std(x, axis=0) @ x.mT

    np.testing.assert_allclose(standardized(tf.constant([[1.0], [3.0]])), [[-1, -3], [1, 3]])


ERRORS = [
    (lambda: xp.sum([1]), TypeError, "asarray"),
    (lambda: xp.add(1, 2), TypeError, "arrays"),
    (lambda: xp.add(tf.constant(1), 1.5), TypeError, "Python scalar"),
    (lambda: xp.add(tf.constant(1), tf.constant(1.5)), TypeError, "promoted"),
    (lambda: xp.where(tf.constant([1]), 1, 2), TypeError, "where"),
    (lambda: xp.sum(tf.constant([1]), axis=1), IndexError, "axis 1"),
    (lambda: xp.squeeze(tf.zeros([2]), 0), ValueError, "size 2"),
    (lambda: xp.concat([]), ValueError, "at least one"),
    (lambda: xp.expand_dims(tf.zeros([2]), axis=3), IndexError, "axis 3"),
    (lambda: xp.take(tf.zeros([2, 2]), tf.constant([0])), ValueError, "axis is required"),
    (lambda: xp.nonzero(tf.constant(1)), ValueError, "rank"),
    (lambda: xp.matmul(tf.constant(1), tf.constant([1])), ValueError, "rank 1"),
    (lambda: xp.matrix_transpose(tf.constant([1])), ValueError, "rank 2"),
    (lambda: xp.tril(tf.constant([1])), ValueError, "rank 2"),
    (lambda: xp.astype(tf.constant(1j), tf.float32), TypeError, "imaginary"),
    (lambda: xp.asarray([1], copy=False), ValueError, "copy"),
    (lambda: xp.asarray([1], device="GPU:0"), ValueError, "device"),
    (lambda: xp.arange(3, step=0), ValueError, "non-zero"),
    (lambda: xp.linspace(0, 1, -1), ValueError, "non-negative"),
    (lambda: xp.cumulative_sum(tf.zeros([2, 2])), ValueError, "axis is required"),
    (lambda: xp.diff(tf.zeros([2]), n=-1), ValueError, "non-negative"),
    (lambda: xp.vecdot(tf.zeros([2]), tf.zeros([3])), ValueError, "sizes 2 and 3"),
    (lambda: xp.meshgrid(tf.zeros([2]), tf.constant([1])), ValueError, "same dtype"),
    (lambda: xp.searchsorted(tf.zeros([2]), tf.zeros([2]), side="x"), ValueError, "side"),
    (lambda: xp.finfo(tf.int8), TypeError, "floating"),
    (lambda: xp.iinfo(tf.float32), TypeError, "integer"),
    (lambda: xp.result_type(1, 2), ValueError, "array or dtype"),
    (lambda: xp.broadcast_shapes((2,), (3,)), ValueError, "broadcast"),
    (lambda: xp.abs(tf.constant("a")), TypeError, "string"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS)
def test_errors(call, kind, text):
    with pytest.raises(kind, match=text):
        call()
