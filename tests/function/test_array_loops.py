"""Loops over larger arrays: the bits of op by op."""

import numpy as np
import pytest
import tracefn as tf
from support.array_programs import Writer
from support.compile_modes import MODES, printed
from support.program_runs import check_bits, program_of, seeds


def arguments(seed: int) -> list:
    rng = np.random.default_rng(seed)
    numbers = [rng.normal(size=shape).astype(np.float32) for shape in [(70,), (70,), (5, 70), (13, 11), ()]]
    numbers[0][3] = rng.choice([0.0, -0.0, np.inf, np.nan, 1e30, 1.0])
    xs, ids = rng.normal(size=8).astype(np.float32), rng.integers(-5, 5, 8).astype(np.int32)
    return [*map(tf.constant, numbers), tf.constant(rng.integers(0, 9).astype(np.int32)), tf.constant(xs), tf.constant(ids)]


@pytest.mark.parametrize("seed", seeds(60))
def test_random_programs_have_the_bits_of_op_by_op(seed):
    text = Writer(seed).text()
    program = program_of(text, f"<arrays {seed}>")
    forms = (False,) if "tf.unstack" in text else (False, True)  # it needs to know how many there are
    for steps in (0, 1, 7):
        for unknown in forms:
            given = [*arguments(seed), tf.constant(steps)]
            try:
                check_bits(program, given, f"after {steps} steps of\n{text}", unknown_shapes=unknown)
            except ValueError as error:  # of the trace
                assert unknown and "set_loop_options(shape_invariants" in str(error)


def code_of(f, *given) -> list[str]:
    concrete = f.get_concrete_function(*given)
    assert concrete.explain_compilation() == "while: compiled as a whole"
    return [line.split(": ", 1)[1] for line in concrete.code().splitlines() if ": " in line]


def nests(f, *given) -> list[str]:
    return [line for line in code_of(f, *given) if line.startswith("for i")]


def test_slices_and_broadcasts_are_part_of_one_nest():
    @tf.function
    def f(d):
        for k in tf.range(32):
            d = tf.minimum(d, d[:, k][:, None] + d[k][None, :])
        return d

    (nest,) = nests(f, tf.TensorSpec([32, 32]))
    assert nest.startswith("for i < 32, j < 32: ") and nest.count("a0[") == 3
    d = np.random.default_rng(0).uniform(1, 9, (32, 32)).astype(np.float32)
    wanted = d.copy()
    for k in range(32):
        wanted = np.minimum(wanted, wanted[:, k, None] + wanted[None, k])
    np.testing.assert_array_equal(f(tf.constant(d)), wanted)


def test_several_results_share_a_nest_and_a_variable_is_overwritten():
    @tf.function
    def f(x, n):
        y = x
        for _ in tf.range(n):
            both = tf.exp(tf.roll(x, 1, 0) * 0.1)
            x, y = both + 1.0, both - y
        return x, y

    given = (tf.TensorSpec([100]), tf.TensorSpec([], tf.int32))
    assert sum("Exp(" in line for line in nests(f, *given)) == 1
    x = np.linspace(-1, 1, 100, dtype=np.float32)
    a, b = f(tf.constant(x), 3)
    wanted_x, wanted_y = x, x
    for _ in range(3):
        both = np.array(tf.exp(tf.constant(np.roll(wanted_x, 1)) * 0.1))
        wanted_x, wanted_y = both + np.float32(1), both - wanted_y
    np.testing.assert_array_equal(a, wanted_x)
    np.testing.assert_array_equal(b, wanted_y)


def test_short_reductions_make_no_array():
    @tf.function
    def f(points, centers, n):
        total = tf.zeros([200, 5])
        for _ in tf.range(n):
            total += tf.reduce_sum((points[:, None, :] - centers[None, :, :]) ** 2, -1)
        return total

    given = (tf.TensorSpec([200, 3]), tf.TensorSpec([5, 3]), tf.TensorSpec([], tf.int32))
    (nest,) = nests(f, *given)
    assert nest.count("Sub(") == 3
    rng = np.random.default_rng(1)
    points, centers = rng.normal(size=(200, 3)).astype(np.float32), rng.normal(size=(5, 3)).astype(np.float32)
    wanted = 2 * ((points[:, None] - centers[None]) ** 2).sum(-1)
    np.testing.assert_allclose(f(tf.constant(points), tf.constant(centers), 2), wanted, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float64", "float16", "complex64", "bool"])
def test_dtypes(dtype):
    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            moved = tf.roll(x, 3, 0)
            if x.dtype == tf.bool:
                x = tf.logical_xor(moved, tf.reverse(x, [0]))
            else:
                x = tf.concat([moved[50:] - x[50:], moved[:50] * x[:50]], 0)
        return x

    x = np.random.default_rng(2).integers(-3, 4, 130)
    value = tf.cast(tf.constant(x), dtype)
    check_bits(f.python_function, [value, tf.constant(4)], dtype)
    assert nests(f, tf.TensorSpec([130], dtype), tf.TensorSpec([], tf.int32))


def test_an_index_out_of_range_names_the_line():
    @tf.function
    def f(d, n):
        for k in tf.range(n):
            d = d + d[k][None, :]  # the line
        return d

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"the line\n(.|\n)*slice index 40 of dimension 0 out of bounds"):
        f(tf.ones([40, 30]), 41)


def test_a_division_by_zero_names_the_line():
    @tf.function
    def f(x, n):
        for k in tf.range(n):
            x = tf.reverse(100 // (x - k), [0])  # the line
        return x

    code_of(f, tf.TensorSpec([100], tf.int32), tf.TensorSpec([], tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"the line\n(.|\n)*[Dd]ivision by zero"):
        f(tf.range(100), 1)


def test_arguments_that_vector_code_does_not_take():
    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = tf.sin(x) * 3.0 + tf.cos(x * 2.0)
        return x

    x = np.linspace(-3, 3, 1000).astype(np.float32)
    x[[0, 333, 999]] = [1e30, -1e25, np.inf]
    for steps in (1, 3, 300):
        check_bits(f.python_function, [tf.constant(x), tf.constant(steps)], f"after {steps} steps")


def test_no_elements():
    @tf.function
    def f(x, y, n):
        for _ in tf.range(n):
            x = tf.concat([x[1:] + 1.0, x[:1]], 0)
            y = tf.roll(y, 1, 0) * 2.0
        return x, y

    x, y = f(tf.zeros([0, 5]), tf.ones([90]), 3)
    assert x.shape == (0, 5) and np.all(np.array(y) == 8)


def test_many_threads():
    from concurrent.futures import ThreadPoolExecutor

    @tf.function
    def f(x, n):
        for k in tf.range(n):
            x = tf.minimum(x, x[k % 20][None, :] + tf.roll(x, 1, 1)) + 0.5
        return x

    given = [tf.random.stateless_normal([20, 30], [k, 0]) for k in range(8)]
    wanted = [np.array(f(x, 50)) for x in given]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            for found, want in zip(pool.map(lambda x: np.array(f(x, 50)), given), wanted, strict=True):
                np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("rows", [1, 3, 100, 700])
def test_what_follows_a_product_of_few_elements_is_part_of_the_loop(rows):
    def descend(x, y, w, n):
        for _ in tf.range(n):
            with tf.GradientTape() as tape:
                tape.watch(w)
                loss = tf.reduce_mean(tf.square(tf.tanh(x @ w + 0.5) - y))
            w -= 0.1 * tape.gradient(loss, w)
        return w

    rng = np.random.default_rng(0)
    x, y, w = (rng.normal(size=size).astype(np.float32) for size in ((rows, 20), (rows, 4), (20, 4)))
    given = tf.constant(x), tf.constant(y), tf.constant(w), tf.constant(5)
    check_bits(descend, list(given), f"of {rows} rows")
    called = [line for line in code_of(tf.function(descend), *given) if "Call(" in line]
    assert bool(called) == (rows * 4 > 2048)


def test_gradients_of_loops_over_arrays():
    def f(x, n):
        for _ in tf.range(n):
            x = tf.tanh(tf.roll(x, 1, 0)) * tf.reverse(x, [0])
        return tf.reduce_sum(x)

    x = tf.constant(np.linspace(-1, 1, 100).astype(np.float32))
    found = []
    for run in (f, tf.function(f)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = run(x, tf.constant(5))
        found.append(tape.gradient(y, x).numpy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5, atol=1e-6)


LOOP = """
import tracefn as tf
@tf.function
def f(x, n):
    for _ in tf.range(n):
        x = tf.roll(x, 1, 0) + x[:1]
    return x
print(f(tf.ones([100]), 3)[0].numpy())
print(f.get_concrete_function(tf.TensorSpec([100]), 3).explain_compilation())
"""


@pytest.mark.parametrize("mode, said", MODES)
def test_modes(mode, said):
    assert printed(mode, LOOP) == ["8.0", f"while: {said}"]



INTERRUPTED = """
import signal
import tracefn as tf
@tf.function
def f(x):
    while x[0] < 2:
        x = tf.roll(x, 1, 0)
    return x
def stop(*_):
    raise LookupError("stopped")
f(tf.fill([100], 3.0))
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    f(tf.ones([100]))
except LookupError as e:
    print(e)
"""


@pytest.mark.parametrize("mode", ["off", "always", "verify"])
def test_signal_handlers_end_a_loop(mode):
    assert printed(mode, INTERRUPTED) == ["stopped"]


MERGED = {
    "any": lambda m, c: tf.reduce_any(m & c[:, None], 0),
    "all": lambda m, c: tf.reduce_all(m | c[:, None], 0),
    "sum": lambda m, c: tf.reduce_sum(tf.cast(m, tf.int32) + tf.cast(c, tf.int32)[:, None], 0) % 3 == 1,
    "maximum": lambda m, c: tf.reduce_max(tf.where(m, tf.cast(c, tf.int32)[:, None], -2), 0) > 0,
    "sum of int64": lambda m, c: tf.reduce_sum(tf.cast(m, tf.int64) * tf.cast(c, tf.int64)[:, None], 0) > 1,
}


@pytest.mark.parametrize("name", MERGED)
@pytest.mark.parametrize("size", [32, 33, 40, 63, 64, 65, 71, 130])
def test_rows_merged_into_one_end_within_a_vector(name, size):
    merge = MERGED[name]

    def program(m, c):
        for _ in tf.range(3):
            c = merge(m, c) ^ c
        return c

    random = np.random.default_rng(size)
    m, c = random.random((size, size)) < 0.3, random.random(size) < 0.5
    wanted = c
    for _ in range(3):
        wanted = np.array(merge(tf.constant(m), tf.constant(wanted))) ^ wanted
    np.testing.assert_array_equal(tf.function(program)(m, c), wanted)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.int32, tf.bool])
@pytest.mark.parametrize("size", [4, 7, 8, 9, 31, 33, 100, 101])
def test_rows_that_end_within_a_vector(dtype, size):
    """Into another array, into the one that is read, and into its next element."""

    def number(x):
        return tf.cast(x, dtype)

    def program(a, b):
        for i in tf.range(4):
            if dtype == tf.bool:
                other = (a ^ b) | tf.reverse(b, [1])
                a = a & b ^ (i % 2 == 0)
            else:
                other = a * number(2) - tf.reverse(b, [1])
                a = a * b + number(i)
            b = tf.concat([other[:, 1:], a[:, :1]], 1)
        return a, b

    random = np.random.default_rng(size)
    a, b = (tf.cast(random.integers(0, 2, (5, size)), dtype) for _ in range(2))
    for made, wanted in zip(tf.function(program)(a, b), program(a, b), strict=True):
        np.testing.assert_array_equal(made, wanted)
