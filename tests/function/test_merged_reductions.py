"""Reductions along the first axes of what a compiled loop computes: rows are merged into the result, with no array of
what is reduced. Each program has the bits of op by op."""

import numpy as np
import pytest
import tracefn as tf
from support.compile_modes import printed
from support.program_runs import check_bits

RNG = np.random.default_rng(5)
BOOLS = {"any": tf.reduce_any, "all": tf.reduce_all}
INTEGERS = {"sum": tf.reduce_sum, "max": tf.reduce_max, "min": tf.reduce_min, "prod": tf.reduce_prod}


def run_both(program, *given):
    check_bits(program, [*map(tf.constant, given)], "of the program")


@pytest.mark.parametrize("shape", [(5, 32), (1, 70), (40, 33), (3, 64), (2, 257), (9, 31), (4, 3, 50), (2, 2, 3, 40)])
@pytest.mark.parametrize("name", BOOLS)
@pytest.mark.parametrize("keep", [False, True])
def test_bools(shape, name, keep):
    reduce = BOOLS[name]
    x = RNG.uniform(size=shape) < (0.05 if name == "any" else 0.95)

    def program(x, row, n):
        for i in tf.range(n):
            found = reduce(x ^ tf.roll(row, i, 0), 0, keepdims=keep)
            row = tf.reshape(found, [-1])[: shape[-1]] != tf.reverse(row, [0])
        return (row,)

    run_both(program, x, RNG.uniform(size=shape[-1]) < 0.5, 7)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("axes", [[0], [0, 1], [1], [-1], [0, 2], [0, 1, 2]])
def test_integers(dtype, name, axes):
    reduce = INTEGERS[name]
    x = RNG.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, (4, 5, 40), dtype)

    def program(x, n):
        total = tf.zeros_like(reduce(x, axes))
        for i in tf.range(n):
            total = tf.where(total > 0, total - 1, total) + reduce(x * tf.cast(i - 2, x.dtype) + 3, axes)
        return (total,)

    run_both(program, x, 6)


def test_what_is_reduced_is_read_elsewhere_too():
    def program(x, y, n):
        for _ in tf.range(n):
            both = x & y[:, None]
            y = tf.reduce_any(both, 0)[:50] ^ tf.reduce_any(both, 1)
            x = both | (tf.reverse(x, [1]) & ~y)
        return x, y

    run_both(program, RNG.uniform(size=(50, 50)) < 0.1, RNG.uniform(size=50) < 0.5, 8)


def test_the_result_is_reduced_again_and_carried():
    def program(x, n):
        rows = tf.zeros([3, 60], tf.bool)
        count = 0
        for i in tf.range(n):
            found = tf.reduce_all(x | tf.roll(x, i, 1), 0)
            rows = tf.concat([rows[1:], found[None]], 0)
            count += tf.math.count_nonzero(tf.reduce_any(rows ^ found, 0), dtype=tf.int32)
            x = x ^ found
        return x, rows, count

    run_both(program, RNG.uniform(size=(6, 60)) < 0.6, 9)


def test_pieces_and_rows_that_are_read_at_an_offset():
    def program(x, n):
        for i in tf.range(n):
            shifted = tf.concat([x[:, 1:], x[:, :1]], 1)
            x = x ^ tf.reduce_any(shifted & x[i % 5], 0) ^ tf.reduce_all(x[1:] | x[:-1], 0)
        return (x,)

    run_both(program, RNG.uniform(size=(5, 90)) < 0.4, 11)


def test_long_rows_on_threads_beside_others():
    def program(x, n):
        for i in tf.range(n):
            x = x ^ tf.reduce_any(x[:-1] & tf.roll(x, i, 1)[1:], 0)
        return (x,)

    run_both(program, RNG.uniform(size=(3, 30_001)) < 0.3, 5)


def test_no_array_of_what_is_reduced_is_made():
    text = """
import tracefn as tf
@tf.function
def f(links, frontier):
    for _ in tf.range(3):
        frontier = tf.reduce_any(links & frontier[:, None], 0)
    return frontier
f(tf.zeros([70, 70], tf.bool), tf.zeros([70], tf.bool))
print(f.get_concrete_function(tf.zeros([70, 70], tf.bool), tf.zeros([70], tf.bool)).code())
"""
    code = "\n".join(printed("always", text))
    assert "[j] = LogicalOr(" in code
    assert "Any(" not in code
