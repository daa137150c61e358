"""Ranges and slices of unknown length in loops: the bits of op by op, without tensors for them."""

import numpy as np
import pytest
import tracefn as tf
from support.program_runs import check_bits


def code_of(f, *given) -> str:
    concrete = f.get_concrete_function(*given)
    assert concrete.explain_compilation() == "while: compiled as a whole"
    return concrete.code()


def sieve(n):
    prime, p = tf.ones([1000], tf.int32), 2
    while p * p < n:
        if prime[p] == 1:
            multiples = tf.range(p * p, n, p)
            prime = tf.tensor_scatter_nd_update(prime, multiples[:, None], tf.zeros_like(multiples))
        p += 1
    return prime


def test_a_scatter_at_a_range_makes_no_tensor():
    code = code_of(tf.function(sieve), tf.TensorSpec([], tf.int32))
    assert "TensorScatterUpdate" not in code and "StridedSlice" not in code
    check_bits(sieve, [tf.constant(1000)], "sieve")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[498\] = \[1000\] does not index into shape \[1000\]"):
        tf.function(sieve)(tf.constant(1005))


SCATTERS = [tf.tensor_scatter_nd_update, tf.tensor_scatter_nd_add, tf.tensor_scatter_nd_sub, tf.tensor_scatter_nd_max]


@pytest.mark.parametrize("scatter", SCATTERS)
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_scatters(scatter, dtype):
    def program(x, table, n):
        for k in tf.range(n):
            places = tf.range(k, 100 - k, k % 3 + 1)
            values = tf.cast(places, dtype) * 2 - x[k:100:1][: tf.size(places)]
            x = scatter(x, places[:, tf.newaxis], values)
            folded = places // 2  # twice the same
            x = scatter(x, tf.expand_dims(folded, 1), tf.cast(folded, dtype) + x[3])
            x = scatter(x, tf.gather(table, places)[:, None], tf.ones_like(places, dtype) * x[k])
        return x

    rng = np.random.default_rng(0)
    x, table = tf.constant(rng.integers(-9, 9, 100), dtype), tf.constant(rng.integers(0, 100, 100).astype(np.int32))
    for n in (0, 1, 7):
        check_bits(program, [x, table, tf.constant(n)], f"{scatter.__name__}, {n} steps")


def test_slices_and_ranges_in_memory():
    def program(x, n):
        total = tf.constant(0.0)
        last = x[:3]
        for k in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(last, tf.TensorShape([None]))])
            head, tail, far = x[:k], x[k - 4 :], x[k : 90 - k : 7]
            down = tf.range(90 - k, k, -3)
            total += tf.reduce_sum(head) + tf.reduce_max(tail * 2.0) + tf.reduce_sum(far[::-1])
            total += tf.reduce_sum(tf.cast(down, tf.float32) * 0.5) + tf.cast(tf.size(down), tf.float32)
            joined = tf.concat([tail, head], 0)
            x = tf.tensor_scatter_nd_add(x, [[k]], [total])
            total += tf.reduce_sum(joined) + tf.reduce_sum(head)  # as it was before
            if k % 2 == 0:
                last = tf.sqrt(tf.abs(x[k : k + 3]))
            x = tf.tensor_scatter_nd_update(x, tf.range(k, k + 3)[:, None], last)
        return x, total, last

    x = tf.constant(np.random.default_rng(1).normal(size=90).astype(np.float32))
    for n in (0, 1, 2, 30):
        check_bits(program, [x, tf.constant(n)], f"{n} steps")


def test_one_array_is_read_while_it_is_updated():
    def program(x, n):
        for k in tf.range(n):
            to = tf.range(k, 50 + k)
            x = tf.tensor_scatter_nd_update(x, to[:, None], x[: 50 - 0 * k] + x[k : k + 50])
        return x

    check_bits(program, [tf.range(80), tf.constant(9)], "")


@pytest.mark.parametrize(
    "start, limit, delta, words",
    [(0, 5, 0, "Requires delta != 0"), (5, 0, 1, "Requires start <= limit"), (0, 5, -1, "Requires start >= limit")],
)
def test_ranges_that_are_refused(start, limit, delta, words):
    @tf.function
    def f(x, start, limit, delta, n):
        for _ in tf.range(n):
            places = tf.range(start, limit, delta)  # the line
            x = tf.tensor_scatter_nd_update(x, places[:, None], tf.zeros_like(places))
        return x

    x = tf.range(10)
    np.testing.assert_array_equal(f(x, 2, 8, 3, 1), [0, 1, 0, 3, 4, 0, 6, 7, 8, 9])
    np.testing.assert_array_equal(f(x, 8, 2, -3, 1), [0, 1, 2, 3, 4, 0, 6, 7, 0, 9])
    np.testing.assert_array_equal(f(x, 3, 3, 1, 1), x)
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"the line\n(.|\n)*{words}"):
        f(x, tf.constant(start), tf.constant(limit), tf.constant(delta), 1)


def test_an_index_of_a_gather_names_its_number():
    @tf.function
    def f(x, y, n):
        for k in tf.range(n):
            places = tf.range(k, 12)
            y = tf.tensor_scatter_nd_update(y, places[:, None], tf.gather(x, places))
        return y

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[10\] = 10 is not in \[0, 10\)"):
        f(tf.range(10), tf.range(20), 1)
    np.testing.assert_array_equal(f(tf.range(12) * 2, tf.range(20), 2)[:14], [*range(0, 24, 2), 12, 13])


def test_lengths_that_do_not_fit_are_an_error():
    @tf.function
    def f(x, n):
        for k in tf.range(n):
            places = tf.range(k, 5)
            x = tf.tensor_scatter_nd_update(x, places[:, None], x[:k])
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        f(tf.range(10), 2)


"""To be added to tests/function/test_sequences_in_loops.py with the fixes."""


@pytest.mark.parametrize(
    "change",
    [
        lambda r: tf.roll(r, 30, 0),
        lambda r: tf.reshape(tf.roll(r[:, None], -60, 0), [-1]),
        lambda r: tf.tile(r, [1]),
        lambda r: tf.squeeze(r[:, None, None]),
    ],
)
def test_the_order_of_elements_is_kept(change):
    def program(x, n):
        for k in tf.range(n):
            places = tf.range(k, 50)
            x = tf.tensor_scatter_nd_add(x, places[:, None], change(places))
        return x

    check_bits(program, [tf.range(100), tf.constant(2)], "")


@pytest.mark.parametrize("join", [tf.add, tf.maximum, lambda a, b: tf.where(a > b, a, b)])
def test_a_column_and_a_row_make_a_matrix(join):
    def program(x, n):
        for k in tf.range(n):
            places = tf.range(k, 4)
            both = tf.reshape(join(places[:, None], places[None, :]), [-1])
            x = tf.tensor_scatter_nd_add(x, both[:, None], both * 2 + 1)
        return x

    check_bits(program, [tf.range(100), tf.constant(2)], "")


@pytest.mark.parametrize("like", [tf.ones_like, tf.zeros_like])
def test_a_gather_fails_whose_values_do_not_matter(like):
    @tf.function
    def f(x, y, n):
        for k in tf.range(n):
            places = tf.range(k, 100)
            x = tf.tensor_scatter_nd_add(x, places[:, None], like(tf.gather(y, places)))
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[80\] = 80 is not in \[0, 80\)"):
        f(tf.range(100), tf.range(80), 1)


def test_an_index_that_certainly_fails_does_so_where_there_is_one():
    @tf.function
    def gathers(x, y, start, n):
        for _ in tf.range(n):
            places = tf.range(start, 100)
            x = tf.tensor_scatter_nd_add(x, places[:, None], tf.gather(y, tf.ones_like(places) * 200)) + 1
        return x

    @tf.function
    def scatters(x, y, start, n):
        for _ in tf.range(n):
            places = tf.range(start, 100)
            x = tf.tensor_scatter_nd_add(x, (tf.ones_like(places) * 200)[:, None], tf.gather(y, places)) + 1
        return x

    x = tf.range(100)
    for f in (gathers, scatters):
        np.testing.assert_array_equal(f(x, x, tf.constant(100), tf.constant(3)), x + 3)
        with pytest.raises(tf.errors.InvalidArgumentError, match="200"):
            f(x, x, tf.constant(98), tf.constant(3))


def test_what_is_used_twice_is_computed_once():
    @tf.function
    def f(x, n):
        for k in tf.range(n):
            value = tf.range(k, 40)
            for _ in range(40):
                value = value * value + value
            x = tf.tensor_scatter_nd_add(x, tf.range(k, 40)[:, None], value)
        return x

    f(tf.range(100), tf.constant(2))  # in no time


def test_a_stride_as_large_as_an_int64():
    def program(x, y, n):
        for k in tf.range(n):
            one = y[k : 60 : 2**63 - 1]
            x = tf.tensor_scatter_nd_add(x, one[:, None], one)
        return x

    check_bits(program, [tf.range(100), tf.range(100) * 1, tf.constant(3)], "")


@pytest.mark.parametrize("in_memory", [False, True])
def test_an_error_of_a_gather_names_its_line(in_memory):
    @tf.function
    def f(x, y, n):
        total = tf.constant(0)
        for k in tf.range(n):
            places = tf.range(k, 100)
            values = tf.gather(y, places)  # the gather
            values = values * 2
            if in_memory:
                total += tf.reduce_sum(values)
            else:
                x = tf.tensor_scatter_nd_add(x, places[:, None], values)
        return x, total

    with pytest.raises(tf.errors.InvalidArgumentError, match="# the gather"):
        f(tf.range(100), tf.range(50), 1)
