"""Transformations by functions of elements."""

import collections
import os
import warnings

import numpy as np
import pytest

from data_values import elements

pytestmark = pytest.mark.rule("surface")


def test_map_unpacks_tuples_and_nothing_else(tf):
    pairs = tf.data.Dataset.zip(tf.data.Dataset.range(2), tf.data.Dataset.range(5, 7))
    assert elements(pairs.map(lambda a, b: a * b)) == [0, 6]
    assert elements(pairs.map(lambda *parts: len(parts))) == [2, 2]
    named = tf.data.Dataset.from_tensor_slices({"a": [1, 2]})
    assert elements(named.map(lambda x: x["a"] + 1)) == [2, 3]
    Point = collections.namedtuple("Point", "x y")
    points = tf.data.Dataset.from_tensor_slices(Point([1, 2], [3, 4]))
    assert elements(points.map(lambda p: p.x + p.y)) == [4, 6]


def test_map_returns_structures(tf):
    dataset = tf.data.Dataset.range(2).map(lambda x: [x, {"k": (x + 1, [1, 2])}])
    assert dataset.element_spec == (tf.TensorSpec([], tf.int64),
                                    {"k": (tf.TensorSpec([], tf.int64), tf.TensorSpec([2], tf.int32))})
    assert elements(dataset) == [(0, {"k": (1, [1, 2])}), (1, {"k": (2, [1, 2])})]
    assert elements(tf.data.Dataset.range(2).map(lambda x: 7)) == [7, 7]


def test_map_is_traced_once_and_converted(tf, traces):
    def f(x):
        traces.append(x)
        if x > 1:
            return x * 10
        return x

    dataset = tf.data.Dataset.range(4).map(f)
    assert elements(dataset) == elements(dataset) == [0, 1, 20, 30] and len(traces) == 1


def test_map_uses_what_is_outside(tf):
    ids = tf.constant([1, 2], tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(ids, ["a", "b"]), "z")
    variable, big = tf.Variable(3, dtype=tf.int64), tf.constant(np.arange(1000), tf.int64)
    dataset = tf.data.Dataset.range(3)
    assert elements(dataset.map(lambda x: x * variable)) == [0, 3, 6]
    mapped = dataset.map(lambda x: big[x] + variable)
    variable.assign(10)
    assert elements(mapped) == [10, 11, 12]
    assert elements(dataset.map(table.lookup)) == [b"z", b"a", b"b"]
    assert elements(dataset.map(lambda x: tf.py_function(lambda y: y + 1, [x], tf.int64))) == [1, 2, 3]
    assert elements(dataset.map(lambda x: tf.numpy_function(lambda y: y * 2, [x], tf.int64))) == [0, 2, 4]
    double = tf.function(lambda x: x * 2)
    assert elements(dataset.map(double)) == [0, 2, 4]


def test_map_returns_no_tensors(tf):
    dataset = tf.data.Dataset.range(3)
    with pytest.raises(TypeError, match=r"Unsupported return value from function passed to Dataset.map\(\)"):
        dataset.map(lambda x: object())
    with pytest.raises(tf.errors.InvalidArgumentError, match="minimum 1"):
        dataset.map(lambda x: None)
    with pytest.raises(ValueError, match="must be a callable"):
        dataset.map(3)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        dataset.map(lambda x, y: x)


def test_parallel_map(tf):
    dataset = tf.data.Dataset.range(50)
    for calls in (1, 4, tf.data.AUTOTUNE):
        assert elements(dataset.map(lambda x: x * x, num_parallel_calls=calls)) == [i * i for i in range(50)]
    unordered = dataset.map(lambda x: x * x, num_parallel_calls=4, deterministic=False)
    assert sorted(elements(unordered)) == [i * i for i in range(50)]
    with pytest.raises(ValueError, match="`synchronous` is not supported with `num_parallel_calls`"):
        dataset.map(lambda x: x, num_parallel_calls=2, synchronous=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_parallel_calls must be greater than zero"):
        dataset.map(lambda x: x, num_parallel_calls=0)


def test_determinism_without_parallel_calls_warns(tf):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        tf.data.Dataset.range(3).map(lambda x: x, deterministic=True)
    assert any("`deterministic` argument has no effect" in str(w.message) for w in seen)


def test_filter_and_take_while(tf):
    dataset = tf.data.Dataset.range(6)
    assert elements(dataset.filter(lambda x: x % 2 == 0)) == [0, 2, 4]
    assert elements(dataset.take_while(lambda x: x < 3)) == [0, 1, 2]
    pairs = tf.data.Dataset.zip(dataset, dataset)
    assert elements(pairs.filter(lambda a, b: a + b == 4)) == [(2, 2)]
    assert int(dataset.filter(lambda x: True).cardinality()) == tf.data.UNKNOWN_CARDINALITY
    for method in (dataset.filter, dataset.take_while):
        with pytest.raises(ValueError, match="`predicate` must return a `tf.bool` scalar tensor"):
            method(lambda x: x)


def test_flat_map(tf):
    assert elements(tf.data.Dataset.range(4).flat_map(tf.data.Dataset.range)) == [0, 0, 1, 0, 1, 2]
    rows = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
    assert elements(rows.flat_map(tf.data.Dataset.from_tensor_slices)) == [1, 2, 3, 4]


@pytest.mark.parametrize("calls", [None, 2])
def test_interleave(tf, calls):
    dataset = tf.data.Dataset.range(1, 4)
    found = dataset.interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2,
                               num_parallel_calls=calls, deterministic=None if calls is None else True)
    assert elements(found) == [1, 1, 2, 2, 1, 2, 3, 3, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="cycle_length"):
        dataset.interleave(tf.data.Dataset.range, cycle_length=0, num_parallel_calls=calls)


def test_interleave_without_a_cycle_length(tf):
    """It is the number of calls, or a third of the processors if that is for the runtime to choose."""

    def found(**how):
        twice = lambda x: tf.data.Dataset.from_tensors(x).repeat(2)
        return [int(x) for x in tf.data.Dataset.range(6).interleave(twice, **how)]

    def in_turns(cycle):
        groups = [range(at, min(at + cycle, 6)) for at in range(0, 6, cycle)]
        return [x for group in groups for _ in range(2) for x in group]

    processors = len(os.sched_getaffinity(0))
    assert found(num_parallel_calls=1) == in_turns(1)
    assert found(num_parallel_calls=tf.data.AUTOTUNE) == in_turns(-(-processors // 3))
    if processors > 1:
        assert found(num_parallel_calls=2) == in_turns(2)



def test_scan(tf):
    sums = tf.data.Dataset.range(4).scan(np.int64(0), lambda s, x: (s + x, (s, x)))
    assert elements(sums) == [(0, 0), (0, 1), (1, 2), (3, 3)]
    growing = tf.data.Dataset.range(3).scan(tf.zeros([0], tf.int64), lambda s, x: (tf.concat([s, [x]], 0), s))
    assert elements(growing) == [[], [0], [0, 1]] and growing.element_spec.shape.as_list() == [None]
    with pytest.raises(TypeError, match="should return a pair"):
        tf.data.Dataset.range(4).scan(0, lambda s, x: s)
    with pytest.raises(TypeError, match="must match the initial state"):
        tf.data.Dataset.range(4).scan(0, lambda s, x: (x, x))


def test_reduce(tf):
    dataset = tf.data.Dataset.range(5)
    assert int(dataset.reduce(np.int64(0), lambda s, x: s + x)) == 10
    count, total = dataset.reduce((0, np.int64(1)), lambda s, x: (s[0] + 1, s[1] * (x + 1)))
    assert (int(count), int(total)) == (5, 120)
    assert dataset.reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0)).numpy().tolist() == [0, 1, 2, 3, 4]
    assert int(tf.data.Dataset.range(0).reduce(7, lambda s, x: s)) == 7
    with pytest.raises(TypeError, match="element types for the new state must match the initial state"):
        dataset.reduce(0, lambda s, x: x)


def test_errors_in_functions(tf):
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 4.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, "no"))
    iterator = iter(dataset)
    assert float(next(iterator)) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="no : Tensor had Inf"):
        next(iterator)
