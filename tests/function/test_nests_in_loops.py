"""Nests in compiled loops, which the loop's code runs by copies and vector code, and what the vector code does not
take: numbers beyond its range, divisions by zero, rows of one element, several pieces."""

import numpy as np
import pytest
import tracefn as tf
from support.program_runs import bits, check_bits

# Beyond the range that vector code reduces.
LARGE = [1e8, -3e9, 1e30, np.inf, np.nan]


def run_both(program, *given):
    check_bits(program, [*map(tf.constant, given)], "of the program")


def numbers(*shape, dtype=np.float32):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("at", [0, 15, 16, 40, 99])
@pytest.mark.parametrize("large", LARGE)
def test_a_number_beyond_the_range(at, large):
    x = numbers(100)
    x[at] = large

    def program(x, n):
        for i in tf.range(n):
            x = tf.roll(x, 1, 0) if i > 5 else tf.sin(x) + tf.reverse(x, [0])
        return (x,)

    run_both(program, x, 9)


@pytest.mark.parametrize("shape", [(7, 20), (20, 7), (3, 100), (40, 3), (12, 1), (1, 30), (5, 6, 8)])
@pytest.mark.parametrize("at", [0, 0.4, 0.999])
def test_rows_with_a_number_beyond_the_range(shape, at):
    x = numbers(*shape)
    x.flat[int(at * x.size)] = 1e12

    def program(x, y, n):
        for _ in tf.range(n):
            # Read and written in place, by columns, and with pieces.
            x = tf.cos(x) * 0.5 + y
            y = tf.concat([x[..., 1:], tf.sin(x[..., :1])], -1)
            x = tf.transpose(tf.transpose(x) * 1.5) + y[:1]
        return x, y

    run_both(program, x, numbers(*shape)[::-1].copy(), 6)


@pytest.mark.parametrize("stride", [2, 3, 5])
def test_strided_rows_with_a_number_beyond_the_range(stride):
    x = numbers(120)
    x[60] = -5e11

    def program(x, n):
        for _ in tf.range(n):
            parts = [tf.sin(x[k::stride]) + 0.25 * k for k in range(stride)]
            x = tf.reshape(tf.stack(parts, 1), [120])
        return (x,)

    run_both(program, x, 8)


@pytest.mark.parametrize("size", [2, 5, 8, 9, 20, 70])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_columns(size, dtype):
    x = (numbers(size, 30) * 100).astype(dtype)

    def program(x, n):
        for i in tf.range(n):
            x = tf.concat([x[:, 1:] + x[:, :-1], x[:, i][:, None] * 2 + x[:, :1]], 1)
        return (x,)

    run_both(program, x, 12)


def test_division_by_zero_in_a_row_of_a_nest():
    x = np.arange(1, 91, dtype=np.int32)

    @tf.function
    def f(x, by, n):
        for i in tf.range(n):
            x = tf.reverse(x, [0]) + x // (by + i)
        return x

    by = tf.constant(np.full(90, 3, np.int32))
    np.testing.assert_array_equal(f(x, by, 4), f.python_function(tf.constant(x), by, 4))
    by = tf.tensor_scatter_nd_update(by, [[77]], [-2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero") as caught:
        f(x, by, 4)
    assert "x // (by + i)" in str(caught.value)
    np.testing.assert_array_equal(f(x, by, 2), f.python_function(tf.constant(x), by, 2))


def test_many_operands_and_many_pieces():
    def program(x, y, n):
        for _ in tf.range(n):
            pieces = [x[k : k + 9] * (k + 1.0) + y[k] for k in range(0, 90, 9)]
            x = tf.concat(pieces[::-1], 0) * 0.01
            total = y
            for k in range(1, 25):
                total = total + tf.roll(y, k, 0) * x
            y = total * 0.03
        return x, y

    run_both(program, numbers(90), numbers(90), 5)


def test_nests_run_by_threads_at_once():
    import threading

    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = tf.concat([x[:, 1:], x[:, :1]], 1) * 0.5 + tf.sin(x)
        return x

    inputs = [tf.constant(numbers(6, 20) * k) for k in range(8)]
    expected = [f(x, 300).numpy() for x in inputs]
    results = [None] * len(inputs)

    def work(k):
        for _ in range(5):
            results[k] = f(inputs[k], 300).numpy()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bits(results) == bits(expected)
