"""Calls with an iterator over a dataset, which is one resource as long as it lives, repeat without Python code."""

import gc
import weakref

import numpy as np
import pytest
import tracefn as tf


def hits_of(f, *args, calls=3, **kwargs):
    """How many of several calls the fast path answers, and what they return."""
    before = f._fast_hits
    results = [f(*args, **kwargs) for _ in range(calls)]
    return f._fast_hits - before, results


@tf.function
def step(iterator):
    return iterator.get_next() * 2


def test_an_iterator():
    hits, results = hits_of(step, iter(tf.data.Dataset.range(10)))
    assert (hits, [int(r) for r in results]) == (2, [0, 2, 4])


def test_each_iterator_is_its_own():
    step(iter(tf.data.Dataset.range(3)))
    first, second = iter(tf.data.Dataset.range(10)), iter(tf.data.Dataset.range(100, 110))
    step(first), step(second)
    assert [int(step(i)) for i in (first, second, first, second)] == [2, 202, 4, 204]
    assert step.experimental_get_tracing_count() == 1


def test_an_iterator_at_the_place_of_a_dead_one():
    for start in range(20):
        iterator = iter(tf.data.Dataset.range(start, start + 4))
        assert [int(step(iterator)) for _ in range(3)] == [2 * start, 2 * start + 2, 2 * start + 4]
        del iterator


def test_no_call_keeps_its_iterator():
    iterator = iter(tf.data.Dataset.range(10))
    step(iterator), step(iterator)
    alive = weakref.ref(iterator)
    del iterator
    gc.collect()
    assert alive() is None


def test_iterators_in_structures_by_keyword_and_twice():
    @tf.function
    def f(pair, x, *, last):
        return pair[0].get_next() + x, pair[1].get_next(), last["a"].get_next()

    a, b = iter(tf.data.Dataset.range(100)), iter(tf.data.Dataset.range(1000, 1100))
    hits, results = hits_of(f, (a, b), tf.constant(0, tf.int64), last={"a": b})
    assert hits == 2
    assert [[int(x) for x in r] for r in results] == [[0, 1000, 1001], [1, 1002, 1003], [2, 1004, 1005]]


def test_an_iterator_beside_a_ragged_tensor():
    @tf.function
    def f(iterator, ragged):
        return iterator.get_next() + tf.cast(tf.reduce_sum(ragged), tf.int64)

    hits, results = hits_of(f, iter(tf.data.Dataset.range(10)), tf.ragged.constant([[1], [2, 3]]))
    assert (hits, [int(r) for r in results]) == (0, [6, 7, 8])


def test_a_signature():
    @tf.function(input_signature=[tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))])
    def f(iterator):
        return iterator.get_next()

    hits, results = hits_of(f, iter(tf.data.Dataset.range(10)))
    assert (hits, [int(r) for r in results]) == (2, [0, 1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected int64 but got float"):
        f(iter(tf.data.Dataset.from_tensors(1.0)))


def test_the_end_and_an_error():
    iterator = iter(tf.data.Dataset.range(2))
    step(iterator), step(iterator)
    for _ in range(2):
        with pytest.raises(tf.errors.OutOfRangeError):
            step(iterator)


def test_results_that_are_optionals():
    @tf.function
    def f(iterator):
        return tf.experimental.Optional.from_value({"b": iterator.get_next(), "a": tf.constant(1.5)})

    iterator = iter(tf.data.Dataset.range(10))
    hits, results = hits_of(f, iterator)
    assert hits == 2 and all(bool(r.has_value()) for r in results)
    assert [{k: float(v) for k, v in r.get_value().items()} for r in results] == [{"b": i, "a": 1.5} for i in range(3)]
    assert list(results[0].get_value()) == list(results[0].element_spec)


def test_gradients_and_numpy_beside_an_iterator():
    v = tf.Variable(2.0)

    @tf.function
    def f(iterator, x):
        return v * tf.cast(iterator.get_next(), tf.float32) * x

    iterator = iter(tf.data.Dataset.range(1, 10))
    f(iterator, np.float32(1))
    gradients = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            y = f(iterator, np.float32(3))
        gradients.append(float(tape.gradient(y, v)))
    assert gradients == [6.0, 9.0, 12.0]


def test_an_iterator_that_lost_its_resource():
    iterator = iter(tf.data.Dataset.range(10))
    step(iterator), step(iterator)
    iterator._resource = None
    with pytest.raises((TypeError, ValueError)):
        step(iterator)
