"""Functions of the standard library over tensors in a tf.function: those in Python are converted as the program's own are."""

import calendar
import collections
import colorsys
import contextlib
import functools
import itertools
import logging
import random
import statistics
import unittest.mock

import numpy as np
import pytest

pytestmark = pytest.mark.rule(145)

ROW = [4.0, 1.0, 2.0, 9.0]


def grow(a):
    if a > 0:
        a = a + 1
    return a


def traced(tf, function, value=ROW):
    return tf.function(function)(tf.constant(value))


def medians(x):
    return statistics.median(x), statistics.median_low(x), statistics.median_high(x)


def quantiles(x):
    return statistics.quantiles(x)


def colors(x):
    return colorsys.hls_to_rgb(x[1] / 10.0, 0.2, 0.3)


def leap_days(x):
    return calendar.leapdays(int(x[1]) * 2000, 2020)


def calls_of_the_program(x):
    dispatched, wrapped = functools.singledispatch(grow), unittest.mock.MagicMock(wraps=grow)
    return dispatched(x[0]), wrapped(x[0]), functools.partial(grow, x[0])()


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (medians, [3.0, 2.0, 4.0]),
        (quantiles, [1.25, 3.0, 7.75]),
        (colors, [0.26, 0.212, 0.14]),
        (leap_days, 5),
        (calls_of_the_program, [5.0, 5.0, 5.0]),
    ],
)
def test_results(tf, function, expected):
    np.testing.assert_allclose(np.array(traced(tf, function)), expected, rtol=1e-5)


def test_an_exit_stack_calls_a_converted_function(tf):
    kept = []

    def f(x):
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: kept.append(grow(x)))
        return kept.pop()

    assert float(tf.function(f)(tf.constant(4.0))) == 5.0


def test_choices_at_random(tf):
    def f(x):
        random.seed(1)
        return random.choice(x), random.choices(x, k=3)

    first, several = traced(tf, f)
    assert float(first) in ROW and {float(v) for v in several} <= set(ROW)


def chosen(x):
    return random.choice(x)


def median(x):
    return statistics.median(x)


@pytest.mark.parametrize(
    ("function", "text"),
    [(chosen, "has type int32 that does not match expected type of bool"), (median, "no median for empty data")],
)
def test_a_vector_of_unknown_length(tf, function, text):
    with pytest.raises(Exception, match=text):
        tf.function(function, input_signature=[tf.TensorSpec([None])])(tf.constant(ROW))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: statistics.mean(x),
        lambda x: statistics.mode(x),
        lambda x: list(itertools.chain(x, x)),
        lambda x: list(itertools.accumulate(x)),
        lambda x: collections.Counter(x),
        lambda x: collections.deque(x),
        lambda x: unittest.TestCase().assertEqual(x[0], x[0]),
        lambda x: unittest.TestCase().assertTrue(x[0] > 0),
    ],
)
def test_python_has_no_value(tf, function):
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        traced(tf, function)


def test_random_shuffle(tf):
    with pytest.raises(TypeError, match="does not support item assignment"):
        traced(tf, lambda x: random.shuffle(x))


def test_logging(tf, caplog):
    def f(x):
        logging.getLogger("of the program").error("traced with %s", x.dtype)
        return x

    traced(tf, f)
    assert "traced with <dtype: 'float32'>" in caplog.text


def test_an_endless_iterator_beside_a_tensor(tf):
    def f(x):
        total = 0.0
        for _, a in zip(itertools.count(), x, strict=False):
            total += a
        return total

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(f, input_signature=[tf.TensorSpec([None])])(tf.constant(ROW))


def test_builtins_over_variables(tf):
    whole, row = tf.Variable(2.5), tf.Variable([3.0, 1.0])
    count = tf.Variable(3)

    def f():
        return int(whole), float(count), range(count), sorted(row), len(row), abs(row)

    found = tf.function(f)()
    expected = [2, 3.0, [0, 1, 2], [1.0, 3.0], 2, [3.0, 1.0]]
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(value, wanted)


def test_builtins_over_sparse_values(tf):
    def f(sparse, slices):
        return abs(sparse).values, len(sparse), tf.convert_to_tensor(abs(slices)), len(slices)

    sparse = tf.sparse.from_dense([[-1], [2], [0]])
    slices = tf.IndexedSlices(tf.constant([-1.0]), tf.constant([0]), tf.constant([3]))
    values, rows, whole, length = tf.function(f)(sparse, slices)
    assert values.numpy().tolist() == [1, 2] and int(rows) == 3
    assert whole.numpy().tolist() == [1.0, 0.0, 0.0] and int(length) == 3
    assert f"{tf.function(lambda s: len(s), input_signature=[tf.SparseTensorSpec([None, 1], tf.int32)])(sparse)}" == "3"


def test_sorting_a_value_of_unknown_rank(tf):
    f = tf.function(lambda x: sorted(x), input_signature=[tf.TensorSpec(None)])
    assert f(tf.constant(ROW)).numpy().tolist() == sorted(ROW)
