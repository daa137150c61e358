"""Calls that the native path answers: what they share, what tells them apart, and which arguments they look at."""

import gc
import weakref

import pytest
import tracefn as tf


def answered(function, *args, **kwargs):
    """The result of a call, and whether no Python code ran for it."""
    hits = function._fast_hits
    result = function(*args, **kwargs)
    return result, function._fast_hits - hits == 1


def vectors(n):
    return [tf.constant([float(i), i + 1.0]) for i in range(n)]


class Model:
    def __init__(self, weight):
        self.weight = tf.constant(weight)

    @tf.function
    def run(self, x):
        return x * self.weight


NEST = {"a": vectors(5), "b": {"c": vectors(5), "d": [vectors(5), vectors(5)]}}


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "expected"),
    [
        (lambda x: x + 1, [tf.constant(1.0)], {}, 2.0),
        (lambda *t: t[0] + t[-1], vectors(100), {}, [99.0, 101.0]),
        (lambda n: n["a"][0] + n["b"]["d"][1][4], [NEST], {}, [4.0, 6.0]),
        (lambda x, n, scale=1.0, name="": x * scale + n, [tf.constant(1.0), 2], {"scale": 3.0, "name": "row"}, 5.0),
        (lambda x, flag: x if flag else -x, [tf.constant(1.0), False], {}, -1.0),
    ],
    ids=["scalar", "hundred tensors", "nest", "literals and keywords", "flag"],
)
def test_a_repeated_call_runs_no_python_code(function, args, kwargs, expected):
    traced = tf.function(function)
    traced(*args, **kwargs)
    result, native = answered(traced, *args, **kwargs)
    assert native
    assert result.numpy().tolist() == expected


def test_calls_alternate_between_traces():
    traced = tf.function(lambda x, n: x * n)
    for n in (2, 3.0, True):
        traced(tf.constant([1.0]), n)
        traced(tf.constant([[1.0]]), n)
    count = traced.experimental_get_tracing_count()
    for _ in range(2):
        for n in (2, 3.0, True):
            assert answered(traced, tf.constant([5.0]), n)[0].numpy().tolist() == [5.0 * n]
            result, native = answered(traced, tf.constant([[5.0]]), n)
            assert native
            assert result.numpy().tolist() == [[5.0 * n]]
    assert traced.experimental_get_tracing_count() == count


def test_arguments_that_the_graph_does_not_use_still_tell_calls_apart():
    traced = tf.function(lambda used, unused: used + 1)
    traced(tf.constant(1.0), tf.constant(1.0))
    traced(tf.constant(1.0), tf.constant(1.0))
    traced(tf.constant(1.0), tf.constant([1.0]))
    assert traced.experimental_get_tracing_count() == 2


def test_captures_that_only_a_folded_part_uses():
    big, small = tf.ones([200]), tf.Variable(2.0)

    def function(x, unused):
        tf.shape(big)
        return x * small

    traced = tf.function(function)
    for value in (1.0, 3.0):
        assert traced(tf.constant(value), tf.constant(0.0)).numpy() == 2 * value
        small.assign_add(0.0)
    small.assign(5.0)
    result, native = answered(traced, tf.constant(1.0), tf.constant(0.0))
    assert native
    assert result.numpy() == 5.0


def test_a_variable_among_unused_tensors():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def update(a, variable, b):
        variable.assign_add(b)
        return variable + 0

    a, b = tf.constant(1.0), tf.constant([1.0, 1.0])
    update(a, v, b)
    result, native = answered(update, a, v, b)
    assert native
    assert result.numpy().tolist() == [3.0, 4.0]


def test_a_repeated_call_of_a_method_runs_no_python_code():
    model = Model([2.0])
    model.run(tf.constant([3.0]))
    result, native = answered(model.run, tf.constant([4.0]))
    assert native
    assert result.numpy().tolist() == [8.0]


def test_instances_take_turns():
    one, two = Model([2.0]), Model([3.0])
    for _ in range(3):
        assert one.run(tf.constant([1.0])).numpy().tolist() == [2.0]
        assert two.run(tf.constant([1.0])).numpy().tolist() == [3.0]
    assert one.run.experimental_get_tracing_count() == two.run.experimental_get_tracing_count() == 1


def test_a_bound_method_is_one_object_as_long_as_it_is_held():
    one, two = Model([2.0]), Model([3.0])
    held = one.run
    held.note = "kept"
    assert two.run is not held
    assert one.run is held
    assert one.run.note == "kept"
    del held
    assert not hasattr(one.run, "note")


def test_an_instance_is_freed_with_its_traces():
    model = Model([2.0])
    model.run(tf.constant([1.0]))
    method, dead = weakref.ref(model.run), weakref.ref(model)
    del model
    gc.collect()
    assert dead() is None
    assert method() is None
    # A new instance may lie where the old one was.
    assert Model([5.0]).run(tf.constant([1.0])).numpy().tolist() == [5.0]
