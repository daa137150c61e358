"""Functions compiled as a whole once they have run often: the bits of op by op."""

import threading

import numpy as np
import pytest
import tracefn as tf
from support import array_programs, small_tensor_programs
from support.compile_modes import printed
from support.program_runs import bits, check_bits, program_of, seeds
from support.straight_programs import ArrayWriter, SmallWriter

# Runs until the function has been compiled, both ways have been timed, and the faster one stays.
RUNS = 150


def arguments(seed: int, shapes: list) -> list:
    rng = np.random.default_rng(seed)
    numbers = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    numbers[0][2] = rng.choice([0.0, -0.0, np.inf, np.nan, 1e30, 1.0])
    xs, ids = rng.normal(size=8).astype(np.float32), rng.integers(-5, 5, 8).astype(np.int32)
    return [*map(tf.constant, numbers), tf.constant(rng.integers(0, 9).astype(np.int32)), tf.constant(xs), tf.constant(ids)]


def check_often(program, given: list, other: list, text: str) -> None:
    """Every run gives what the first one gave, for two sets of arguments in turn, and changes no argument."""
    f = tf.function(program)
    wanted, before = bits(f(*given)), bits(given)
    wanted_of_other = bits(tf.function(program)(*other))
    for run in range(RUNS):
        assert bits(f(*given)) == wanted, f"run {run} of\n{text}"
        if run % 10 == 0:
            assert bits(f(*other)) == wanted_of_other, f"run {run} of\n{text}"
    assert bits(given) == before, f"an argument was changed by\n{text}"


@pytest.mark.parametrize("seed", seeds(40))
@pytest.mark.parametrize(
    "writer, shapes",
    [(SmallWriter, [(3,), (3,), (2, 3), ()]), (ArrayWriter, [(70,), (70,), (5, 70), (13, 11), ()])],
    ids=["small", "arrays"],
)
def test_random_programs_have_the_bits_of_op_by_op(writer, shapes, seed):
    text = writer(seed).text()
    program = program_of(text, f"<straight {seed}>")
    given = arguments(seed, shapes)
    check_bits(program, given, f"of\n{text}")
    check_often(program, given, arguments(seed + 1, shapes), text)


def run_often(f, *given):
    for _ in range(RUNS):
        result = f(*given)
    return result


STRAIGHT = """
import tracefn as tf
@tf.function
def f(x):
    return x[1:, 1:] + x[:-1, :-1] - 2.0 * x[1:, :-1]
x = tf.reshape(tf.range(600.0), [20, 30])
f(x)
concrete = f.get_concrete_function(x)
print(concrete.explain_compilation())
print(sum(" for i " in line for line in concrete.code().splitlines()))
"""


def test_code_is_shown():
    assert printed("always", STRAIGHT) == ["function: compiled as a whole", "1"]
    assert printed("verify", STRAIGHT) == ["function: compiled as a whole", "1"]
    assert printed("off", STRAIGHT) == ["", "0"]


def test_results_are_tensors_of_their_own():
    @tf.function
    def f(x):
        y = tf.reverse(x, [0]) * 2.0
        return y, y, x, tf.reshape(y, [2, 50]), tf.constant([1.0] * 100), x[3]

    x = tf.range(100.0)
    first = f(x)
    before = bits(first)
    last = run_often(f, x)
    f(x + 1.0)
    assert bits(first) == before == bits(last)


def test_variables_are_read_and_updated_in_order():
    v, w = tf.Variable(tf.range(100.0)), tf.Variable(1.0)

    @tf.function
    def f(x):
        before = v * 1.0
        v.assign_add(tf.reverse(x, [0]))
        w.assign(w * 0.5 + before[0])
        return before, v[::-1] + w

    x = np.linspace(0, 1, 100, dtype=np.float32)
    value, scale = np.arange(100, dtype=np.float32), np.float32(1)
    for _ in range(RUNS):
        before, after = f(tf.constant(x))
        np.testing.assert_array_equal(before, value)
        scale = scale * np.float32(0.5) + value[0]
        value = value + x[::-1]
        np.testing.assert_array_equal(after, value[::-1] + scale)


def test_errors_name_their_lines():
    @tf.function
    def f(x, i):
        y = tf.reverse(x, [0])
        return y[i] + y  # the line

    x = tf.range(100)
    run_often(f, x, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"the line\n(.|\n)*slice index 100 of dimension 0 out of bounds"):
        f(x, tf.constant(100))
    assert f(x, tf.constant(1))[0] == 98 + 99


def test_a_gradient_of_arrays():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x[1:] * x[:-1]))
        return tape.gradient(y, x)

    x = tf.linspace(0.0, 3.0, 90)
    wanted = bits([f(x)])
    assert bits([run_often(f, x)]) == wanted


def test_many_threads():
    @tf.function
    def f(x):
        return tf.roll(x, 3, 0) * 2.0 + tf.reverse(x, [0])

    wanted = {k: bits([tf.roll(x, 3, 0) * 2.0 + tf.reverse(x, [0])]) for k in range(4) for x in [tf.range(80.0) * k]}
    failures = []

    def work(k):
        x = tf.range(80.0) * k
        for _ in range(RUNS):
            if bits([f(x)]) != wanted[k]:
                failures.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_products_do_not_depend_on_the_place(dtype):
    rng = np.random.default_rng(0)
    x, y = (tf.constant((rng.normal(size=37) + 1j * rng.normal(size=37)).astype(dtype)) for _ in range(2))
    wanted = bits([tf.stack([x[i] * y[i] for i in range(37)])])
    assert bits([x * y]) == wanted
    assert bits([tf.stack([x[i : i + 3] * y[i : i + 3] for i in range(0, 36, 3)])]) == bits([tf.reshape((x * y)[:36], [12, 3])])


@pytest.mark.parametrize("seed", seeds(20))
@pytest.mark.parametrize(
    "writer, shapes",
    [(small_tensor_programs.Writer, [(3,), (3,), (2, 3), ()]), (array_programs.Writer, [(70,), (70,), (5, 70), (13, 11), ()])],
    ids=["small", "arrays"],
)
def test_random_loops_have_the_same_bits_when_they_have_run_often(writer, shapes, seed):
    text = writer(seed).text()
    program = program_of(text, f"<loops {seed}>")
    given, other = [*arguments(seed, shapes), tf.constant(3)], [*arguments(seed + 1, shapes), tf.constant(0)]
    check_often(program, given, other, text)
