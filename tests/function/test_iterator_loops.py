"""Loops over iterators of scalars, whose body is one program: the results, errors and side effects of op by op."""

import threading

import numpy as np
import pytest
import tracefn as tf


def how(function, *args) -> list:
    """How each loop runs."""
    return [line.split(": ", 1)[1] for line in function.get_concrete_function(*args).explain_compilation().splitlines()]


COMPILED = ["compiled as a whole"]


@tf.function
def total(dataset):
    s = tf.constant(0, tf.int64)
    for x in dataset:
        s += x * x
    return s


@tf.function
def until(dataset, limit):
    s = tf.constant(0, tf.int64)
    last = tf.constant(-1, tf.int64)
    for x in dataset:
        if x == 2:
            continue
        if s > limit:
            break
        s += x
        last = x
    return s, last


def test_it_is_compiled():
    dataset = tf.data.Dataset.range(10)
    assert how(total, dataset) == COMPILED
    assert how(until, dataset, tf.constant(10, tf.int64)) == COMPILED


@pytest.mark.parametrize("n", [0, 1, 2, 1000])
def test_sums(n):
    assert int(total(tf.data.Dataset.range(n))) == sum(i * i for i in range(n))


@pytest.mark.parametrize("limit", [-1, 0, 10, 10_000])
def test_break_and_continue(limit):
    s, last = 0, -1
    for x in range(50):
        if x == 2:
            continue
        if s > limit:
            break
        s += x
        last = x
    assert [int(v) for v in until(tf.data.Dataset.range(50), tf.constant(limit, tf.int64))] == [s, last]


def test_a_break_leaves_the_rest_to_the_iterator():
    @tf.function
    def first_above(iterator, limit):
        found = tf.constant(-1, tf.int64)
        for x in iterator:
            if x > limit:
                found = x
                break
        return found

    iterator = iter(tf.data.Dataset.range(20))
    assert int(first_above(iterator, tf.constant(4, tf.int64))) == 5
    assert int(next(iterator)) == 6
    assert int(first_above(iterator, tf.constant(100, tf.int64))) == -1
    assert next(iterator, None) is None


def test_structures_dtypes_and_variables_that_only_pass():
    x, y, z = np.float32([1.5, 2.5, -1.0]), np.arange(3, dtype=np.int8), np.array([True, False, True])
    dataset = tf.data.Dataset.from_tensor_slices({"x": x, "y": (y, z)})

    @tf.function
    def both(dataset, kept):
        s, previous, n = tf.constant(0.0), tf.constant(np.float32(-7)), tf.constant(0)
        for element in dataset:
            s += tf.where(element["y"][1], element["x"], -element["x"]) * tf.cast(element["y"][0], tf.float32) + previous
            previous = element["x"]
            n += 1
            kept = tf.identity(kept)
        return s, previous, n, kept

    want, previous = np.float32(0), np.float32(-7)
    for a, b, c in zip(x, y, z, strict=True):
        want += (a if c else -a) * np.float32(b) + previous
        previous = a
    kept = tf.constant([[1, 2], [3, 4]])
    assert how(both, dataset, kept) == COMPILED
    got = both(dataset, kept)
    assert got[0].numpy() == want
    assert (got[1].numpy(), int(got[2])) == (-1.0, 3)
    assert (got[3].numpy() == kept.numpy()).all()


def test_results_of_earlier_calls_stay():
    kept = [total(tf.data.Dataset.range(n)) for n in range(20)]
    assert [int(k) for k in kept] == [sum(i * i for i in range(n)) for n in range(20)]


def test_arguments_do_not_change():
    @tf.function
    def add(start, dataset):
        for x in dataset:
            start += x
        return start

    start = tf.constant(5, tf.int64)
    assert [int(add(start, tf.data.Dataset.range(3))) for _ in range(3)] == [8, 8, 8]
    assert int(start) == 5


def test_loops_inside_loops():
    @tf.function
    def epochs(dataset, n):
        s = tf.constant(0, tf.int64)
        for _ in tf.range(n):
            for x in dataset:
                s = (s * 3 + x) % 1000003
        return s

    s = 0
    for _ in range(4):
        for x in range(7):
            s = (s * 3 + x) % 1000003
    assert int(epochs(tf.data.Dataset.range(7), tf.constant(4))) == s


def test_an_error_of_the_body_names_its_line():
    @tf.function
    def divide(dataset):
        s = tf.constant(0, tf.int64)
        for x in dataset:
            s += 12 // (x - 3)
        return s

    with pytest.raises(tf.errors.InvalidArgumentError, match="(?s)s \\+= 12 // \\(x - 3\\).*division by zero"):
        divide(tf.data.Dataset.range(10))


def test_an_error_of_the_dataset():
    def element(x):
        tf.debugging.assert_less(x, tf.constant(5, tf.int64), message="too large")
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
        total(tf.data.Dataset.range(10).map(element))
    assert int(total(tf.data.Dataset.range(5).map(element))) == 30


def test_a_generator_that_raises_and_one_that_calls_a_function():
    def numbers():
        for i in range(6):
            yield int(total(tf.data.Dataset.range(i)))

    dataset = tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec((), tf.int64))
    assert int(total(dataset)) == sum(sum(k * k for k in range(i)) ** 2 for i in range(6))

    def broken():
        yield 1
        raise RuntimeError("no more")

    dataset = tf.data.Dataset.from_generator(broken, output_signature=tf.TensorSpec((), tf.int64))
    with pytest.raises(tf.errors.UnknownError, match="no more"):
        total(dataset)


def test_a_body_with_effects_keeps_them():
    seen = []
    v = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def note(dataset):
        n = tf.constant(0)
        for x in dataset:
            tf.py_function(lambda x: seen.append(int(x)), [x], [])
            v.assign_add(x)
            n += 1
        return n

    dataset = tf.data.Dataset.range(4)
    assert how(note, dataset) != COMPILED
    assert int(note(dataset)) == 4
    assert (seen, int(v)) == ([0, 1, 2, 3], 6)


def test_elements_that_are_no_scalars_run_op_by_op():
    @tf.function
    def sums(dataset):
        s = tf.constant(0)
        for x in dataset:
            s += tf.reduce_sum(x)
        return s

    dataset = tf.data.Dataset.from_tensor_slices(np.arange(6).reshape(3, 2).astype(np.int32))
    assert int(sums(dataset)) == 15
    assert int(sums(tf.data.Dataset.from_tensor_slices([1, 2, 3]))) == 6


def test_threads_share_an_iterator():
    iterator = iter(tf.data.Dataset.range(4000))
    totals = [0] * 4

    def work(i):
        totals[i] = int(total(iterator))

    threads = [threading.Thread(target=work, args=[i]) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(totals) == sum(i * i for i in range(4000))


def test_a_condition_that_does_not_end_with_the_elements():
    """A loop of tf.while_loop that goes on, by itself, when there are no more elements."""

    @tf.function
    def count(iterator):
        def body(optional, n):
            return iterator.get_next_as_optional(), n + 1

        def condition(optional, n):
            return tf.logical_or(optional.has_value(), n < 10)

        return tf.while_loop(condition, body, [iterator.get_next_as_optional(), tf.constant(0)])[1]

    assert int(count(iter(tf.data.Dataset.range(3)))) == 10
    assert int(count(iter(tf.data.Dataset.range(30)))) == 30


def test_the_optional_after_the_loop():
    @tf.function
    def rest(iterator):
        def body(optional, n):
            return iterator.get_next_as_optional(), n + optional.get_value()

        def condition(optional, n):
            return tf.logical_and(optional.has_value(), n < 10)

        start = [iterator.get_next_as_optional(), tf.constant(0, tf.int64)]
        return tf.while_loop(condition, body, start)

    optional, n = rest(iter(tf.data.Dataset.range(30)))
    assert (int(n), int(optional.get_value())) == (10, 5)
    optional, n = rest(iter(tf.data.Dataset.range(3)))
    assert int(n) == 3
    assert not optional.has_value()


def test_no_machine_code_and_no_passes():
    for option in ("disable_machine_code", "disable_meta_optimizer"):
        before = tf.config.optimizer.get_experimental_options()
        tf.config.optimizer.set_experimental_options({option: True})
        try:
            f = tf.function(total.python_function)
            assert int(f(tf.data.Dataset.range(100))) == sum(i * i for i in range(100))
        finally:
            tf.config.optimizer.set_experimental_options({**dict.fromkeys([option], False), **before})
