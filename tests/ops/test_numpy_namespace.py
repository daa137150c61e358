"""`tf.experimental.numpy`, beyond what TensorFlow's has: unknown shapes, gradients, errors, and what it costs not to use it."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import tracefn as tf

t = tf.experimental.numpy

# Needs the rank, or counts or sorts in a way that does.
_NEED_RANK = ("m.diff", "m.sort", "m.argsort", "argsort", "m.dot(", "m.inner", "matmul", "tensordot", "m.kron", " @ ", "m.hsplit(v")
_NEED_RANK += ("m.where(b)", "m.nonzero", "m.tril", "m.triu", "x[x > 12]", "m.average(i, axis=1")

_UNKNOWN = """
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy_cases, tracefn as tf
tf.get_logger().setLevel("ERROR")
module = tf.experimental.numpy
module.experimental_enable_numpy_behavior()
names = numpy_cases.arrays(tf.constant)
report = {}
for expression, _ in numpy_cases.cases():
    used = {name: names[name] for name in names if name in expression}
    if not used or any(word in expression for word in numpy_cases.EAGER_ONLY):
        continue
    results = [numpy_cases.outcome(lambda: numpy_cases.evaluate(expression, module, names))]
    for shape in (lambda v: [None] * v.shape.rank, lambda v: None):
        signature = [{name: tf.TensorSpec(shape(value), value.dtype) for name, value in used.items()}]
        compute = lambda used: numpy_cases.evaluate(expression, module, used)
        function = tf.function(compute, input_signature=signature, autograph=False)
        results.append(numpy_cases.outcome(lambda: function(used)))
    report[expression] = results
print(json.dumps(report))
"""


def test_unknown_shapes_give_the_same_results():
    folder = pathlib.Path(__file__).parents[1] / "conformance"
    done = subprocess.run([sys.executable, "-c", _UNKNOWN, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert len(report) > 300
    for expression, (eager, of_rank, of_none) in report.items():
        assert json.dumps(of_rank) == json.dumps(eager), expression
        if expression.startswith(_NEED_RANK) or any(word in expression for word in _NEED_RANK):
            assert isinstance(of_none, str) or json.dumps(of_none) == json.dumps(eager), expression
        else:
            assert json.dumps(of_none) == json.dumps(eager), expression


GRADIENTS = {
    "where": lambda x: t.where(x > 0, x * x, 3.0 * x),
    "take": lambda x: t.take(x, [0, 2, 0]),
    "take_along_axis": lambda x: t.take_along_axis(x, t.argsort(x), 1),
    "cumsum": lambda x: t.cumsum(x, 1) ** 2,
    "kron": lambda x: t.kron(x, x),
    "cross": lambda x: t.cross(x, x[::-1] + 1.0),
    "linspace": lambda x: t.linspace(x, 2.0, 4) ** 2,
    "geomspace": lambda x: t.geomspace(x**2 + 0.1, 2.0, 3),
    "var": lambda x: t.var(x, axis=0, ddof=1),
    "average": lambda x: t.average(x, axis=1, weights=[1, 2, 3]),
    "nanmean": lambda x: t.nanmean(x**2),
    "tile": lambda x: t.tile(x, 2) ** 2,
    "repeat": lambda x: t.repeat(x, [1, 2, 0], axis=1) ** 2,
    "roll": lambda x: t.roll(x, 1) * x,
    "rot90": lambda x: t.rot90(x) ** 2,
    "diagonal": lambda x: t.diagonal(x, 1) ** 2,
    "triu": lambda x: t.triu(x) ** 2,
    "vander": lambda x: t.vander(x[0], 3),
    "dot": lambda x: t.dot(x, t.transpose(x)),
    "einsum": lambda x: t.einsum("ij,kj->ik", x, x),
    "logaddexp": lambda x: t.logaddexp(x, 2 * x),
    "hypot": lambda x: t.hypot(x, 2.0),
    "sinc": lambda x: t.sinc(x),
    "polyval": lambda x: t.polyval([1.0, 2.0, 3.0], x),
    "select": lambda x: t.select([x > 1, x > 0], [x**3, x**2], 0.0),
    "clip": lambda x: t.clip(x, -0.6, 0.8) ** 2,
    "pad": lambda x: t.pad(x, [[1, 1], [0, 2]], "reflect") ** 2,
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_are_those_of_differences(name):
    compute = GRADIENTS[name]
    x = np.array([[0.5, -1.25, 1.7], [0.9, 0.25, -0.75]])

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(compute(x))
        return tape.gradient(y, x)

    want = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-6
        change = tf.reduce_sum(compute(tf.constant(x + step))) - tf.reduce_sum(compute(tf.constant(x - step)))
        want[place] = change.numpy() / 2e-6
    np.testing.assert_allclose(gradient(tf.constant(x)), want, rtol=1e-4, atol=1e-6)


ERRORS = [
    (lambda: t.clip([1], None, None), ValueError, "Not more than one of"),
    (lambda: t.arange(3, step=0), ValueError, "step must be non-zero"),
    (lambda: t.gcd(1.0, 2), ValueError, "must be integers"),
    (lambda: t.split([1, 2, 3], [2, 1]), ValueError, "boundary 1 is smaller"),
    (lambda: t.split([1, 2, 3], [1], axis=1), ValueError, "axis 1 is out of bound"),
    (lambda: t.hsplit([1, 2, 3], 2), ValueError, "equal division"),
    (lambda: t.take([1], [0], mode="raise"), ValueError, "'raise' mode"),
    (lambda: t.take([1], [0], mode="x"), ValueError, "Invalid mode"),
    (lambda: t.where([True], [1]), ValueError, "Both x and y"),
    (lambda: t.select([], []), ValueError, "non-empty"),
    (lambda: t.select([[True]], []), ValueError, "1 vs 0"),
    (lambda: t.concatenate([]), ValueError, "at least one array"),
    (lambda: t.moveaxis([[1]], [0, 1], 0), ValueError, "lengths of source"),
    (lambda: t.reshape([1], 1, order="A"), ValueError, "order argument A"),
    (lambda: t.flatten([1], "X"), ValueError, "order can only be"),
    (lambda: t.pad([1], [[0, 0]], "edge"), ValueError, "padding mode: edge"),
    (lambda: t.tril([1]), ValueError, "rank at least 2"),
    (lambda: t.diag([[[1]]]), ValueError, "rank"),
    (lambda: t.vander([[1]]), ValueError, "one-dimensional"),
    (lambda: t.vander([1], -1), ValueError, "nonnegative"),
    (lambda: t.diff([1], n=-1), ValueError, "non-negative"),
    (lambda: t.diff([1], axis=2), ValueError, "out of bounds"),
    (lambda: t.linspace(0, 1, -1), ValueError, "non-negative"),
    (lambda: t.sort([1], kind="heapsort"), ValueError, "quicksort"),
    (lambda: t.argsort([1j]), TypeError, "complex64/complex128"),
    (lambda: t.matmul(1, [2]), ValueError, "rank 1 at least"),
    (lambda: t.matmul([[1, 2]], [[1]]), ValueError, "size-incompatible"),
    (lambda: t.cross([1, 2, 3, 4], [1, 2, 3]), ValueError, "2 or 3"),
    (lambda: t.einsum("i", [1], casting="x"), ValueError, "casting"),
    (lambda: t.average([1], axis=(0,)), ValueError, "must be an integer"),
    (lambda: t.meshgrid([1], sparse=True), ValueError, "sparse"),
    (lambda: t.full_like([1], 1, order="C"), ValueError, "orders"),
    (lambda: t.array([1], ndmin=33), ValueError, "ndmin bigger"),
    (lambda: t.array([[1], [2, 3]]), ValueError, "non-rectangular"),
    (lambda: t.size([1], 0), NotImplementedError, "axis"),
    (lambda: t.sign([1], out=[1]), ValueError, "out"),
    (lambda: t.random.randint(3, dtype=np.int8), ValueError, "`dtype`"),
    (lambda: t.ix_([[1]]), ValueError, "1-d"),
    (lambda: t.result_type("nonsense"), TypeError, "nonsense"),
    (lambda: t.experimental_enable_numpy_behavior(dtype_conversion_mode="x"), ValueError, "promotion mode x"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS)
def test_errors(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_values_where_tensorflow_errs():
    assert t.around(np.array([155, 6]), -1).numpy().tolist() == [160, 10]
    assert t.var([1.0, 2.0, 4.0], ddof=1).dtype == tf.float64
    assert t.arange(np.int8(3)).dtype == tf.int8
    assert t.linspace([0, 1], [1, 2], 3).shape == [3, 2]
    assert t.exp(1).dtype == tf.float64  # TensorFlow needs enable_numpy_behavior for it
    assert not t.isinf(1)


def test_random_numbers():
    t.random.seed(7)
    first = [t.random.rand(3), t.random.randn(2, 2), t.random.uniform([1, 2], 3.0), t.random.randint(5, size=4)]
    assert [x.dtype for x in first] == [tf.float64, tf.float64, tf.float64, tf.int64]
    assert [x.shape.as_list() for x in first] == [[3], [2, 2], [2], [4]]
    assert np.all((first[3] >= 0) & (first[3] < 5)) and t.random.poisson(3.0, (2,)).dtype == tf.int64
    t.random.seed(7)
    np.testing.assert_array_equal(t.random.rand(3), first[0])


_COST = """
import sys
import tracefn as tf
assert "tracefn.experimental.numpy" not in sys.modules and "numpy" not in sys.modules
before = tf.Tensor.__add__, tf.Tensor.__getitem__
import tracefn.experimental.numpy
assert (tf.Tensor.__add__, tf.Tensor.__getitem__) == before
x = tf.constant([1, 2])
try:
    x.astype
    raise SystemExit("astype without asking for it")
except AttributeError:
    pass
t = tf.experimental.numpy
t.experimental_enable_numpy_behavior()
assert (x + 1.5).dtype == tf.float64 and (tf.Variable(x) + 1.5).dtype == tf.float64
t.experimental_enable_numpy_behavior(prefer_float32=True)
assert t.array(1.5).dtype == tf.float32 and (x + 1.5).dtype == tf.float64
t.experimental_enable_numpy_behavior(dtype_conversion_mode="off")
assert tf.Tensor.__add__ is before[0]
for bad in (lambda: x + 1.5, lambda: tf.Variable(x) + 1.5):
    try:
        bad()
        raise SystemExit("promotes when it is off")
    except (TypeError, tf.errors.InvalidArgumentError):
        pass
assert (x + 1).numpy().tolist() == [2, 3]
"""


def test_nothing_changes_before_it_is_asked_for():
    done = subprocess.run([sys.executable, "-c", _COST], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout


_SUBSCRIPTS = """
import numpy as np
import tracefn as tf
tf.get_logger().setLevel("ERROR")
t = tf.experimental.numpy
t.experimental_enable_numpy_behavior()
x = tf.reshape(tf.range(24), (2, 3, 4))
n = x.numpy()
for key in (
    np.s_[:, n[0, :, 0] > 3], np.s_[n[..., 0] > 3, 1:], np.s_[..., n[0] > 3], np.s_[None, [0, 1], ..., None],
    np.s_[:, [[0], [2]], [1, 2]], np.s_[..., [0, 2], [1, 2]], np.s_[np.int8(1)], np.s_[:, np.uint8(2)], np.s_[[], 0],
    np.s_[-1, -1, -1], np.s_[::-1, ::-2], np.s_[:, []], np.s_[np.array([[0, 1], [1, 0]])],
):
    np.testing.assert_array_equal(x[key], n[key])
    np.testing.assert_array_equal(tf.function(lambda y: y[key])(x), n[key])
for key, kind in ((1.5, IndexError), ("a", IndexError), (slice(1.5, None), IndexError), (np.array([1.5]), IndexError)):
    try:
        x[key]
    except kind as error:
        assert "valid indices" in str(error), error
    else:
        raise SystemExit(f"{key} passed")
for key in ([5], (slice(None), [0, 3]), (np.array([0]), np.array([3]))):
    try:
        x[key]
    except tf.errors.InvalidArgumentError:
        pass
    else:
        raise SystemExit(f"{key} is outside")
with tf.GradientTape() as tape:
    y = tf.cast(x, tf.float32)
    tape.watch(y)
    z = tf.reduce_sum(y[:, [0, 0], 1] * 2.0)
assert tape.gradient(z, y)[0, 0, 1] == 4
"""


def test_subscripts():
    done = subprocess.run([sys.executable, "-c", _SUBSCRIPTS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
