"""Loops over tensors of 17 to 64 elements, which are registers or arrays, whichever is expected to be faster."""

import re

import numpy as np
import pytest
import tracefn as tf
from support.medium_tensor_programs import Writer
from support.program_runs import check_bits, program_of, seeds


def arguments(seed: int) -> list:
    rng = np.random.default_rng(seed)
    numbers = [rng.normal(size=shape).astype(np.float32) for shape in [(20,), (20,), (3, 20), (6, 6), ()]]
    numbers[0][3] = rng.choice([0.0, -0.0, np.inf, np.nan, 1e30, 1.0])
    xs, ids = rng.normal(size=8).astype(np.float32), rng.integers(-5, 5, 8).astype(np.int32)
    return [*map(tf.constant, numbers), tf.constant(rng.integers(0, 9).astype(np.int32)), tf.constant(xs), tf.constant(ids)]


@pytest.mark.parametrize("seed", seeds(60))
def test_random_programs_have_the_bits_of_op_by_op(seed):
    text = Writer(seed).text()
    program = program_of(text, f"<medium tensors {seed}>")
    for steps in (0, 1, 7):
        check_bits(program, [*arguments(seed), tf.constant(steps)], f"after {steps} steps of\n{text}")


def code_of(f, *given) -> list[str]:
    concrete = f.get_concrete_function(*given)
    assert concrete.explain_compilation() == "while: compiled as a whole"
    return [line.split(": ", 1)[1] for line in concrete.code().splitlines() if re.match(r" *\d+: ", line)]


def nests(code) -> list[str]:
    return [line for line in code if line.startswith("for i")]


def test_functions_that_cost_are_computed_by_vectors():
    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = tf.tanh(tf.roll(x, 1, 0)) * 0.9 + tf.sigmoid(x)
        return x

    x = tf.constant(np.linspace(-2, 2, 48, dtype=np.float32))
    code = code_of(f, x, tf.constant(5))
    assert nests(code) and not any("= Tanh(" in line and line.startswith("r") for line in code)


def test_what_is_read_by_number_stays_in_registers():
    @tf.function
    def f(score, moves, n):
        for _ in tf.range(n):
            best = tf.argmax(score[:, None] + moves, 0, output_type=tf.int32)
            score = tf.gather(score, best) + tf.linalg.diag_part(moves)
        return score

    score, moves = np.linspace(0, 1, 6, dtype=np.float32), np.random.default_rng(0).normal(size=(6, 6)).astype(np.float32)
    code = code_of(f, score, moves, tf.constant(3))
    assert not any("ArgMax" in line for line in code)
    wanted = score
    for _ in range(3):
        wanted = wanted[np.argmax(wanted[:, None] + moves, 0)] + np.diag(moves)
    np.testing.assert_allclose(f(score, moves, tf.constant(3)), wanted, rtol=1e-6)


def test_only_what_is_read_again_is_kept():
    """Of the steps to the square root, which another value reads, too, none is stored."""

    @tf.function
    def f(v, w, n):
        for _ in tf.range(n):
            root = tf.sqrt(tf.maximum(v, 0.0) * 0.01)
            w = w + w * (root * 0.5 + 0.25)
            v = tf.reverse(v, [0]) + (0.04 - v) * 0.3 * root
        return v, w

    v = tf.constant(np.linspace(-1, 1, 100, dtype=np.float32))
    stores = [line.count("] = ") for line in nests(code_of(f, v, v, tf.constant(3)))]
    assert sum(stores) == 3


def test_a_row_of_a_list_that_is_the_next_value_is_computed_once():
    @tf.function
    def f(h, n):
        rows = tf.TensorArray(tf.float32, size=n, element_shape=[100])
        for t in tf.range(n):
            h = tf.tanh(h * 0.5) * 0.9 + tf.sigmoid(h)
            rows = rows.write(t, h)
        return rows.stack(), h

    h = tf.constant(np.linspace(-1, 1, 100, dtype=np.float32))
    assert sum(line.count("Tanh(") for line in nests(code_of(f, h, tf.constant(3)))) == 1
    rows, last = f(h, tf.constant(3))
    np.testing.assert_array_equal(rows[2], last)
