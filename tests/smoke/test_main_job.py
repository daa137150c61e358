"""The main job in a minute: decorate, trace, cache, run."""

import numpy as np
import pytest
import tracefn as tf


def test_call_traces_once_per_dtype_and_shape():
    traced = []

    @tf.function
    def double(a):
        traced.append(str(a))
        return a + a

    assert double(tf.constant(1)).numpy() == 2
    assert double(tf.constant(2)).numpy() == 4
    assert double(tf.constant(1.5)).numpy() == 3.0
    np.testing.assert_array_equal(double(tf.constant([1.0, 2.0])).numpy(), [2.0, 4.0])
    assert traced == [
        'Tensor("a:0", shape=(), dtype=int32)',
        'Tensor("a:0", shape=(), dtype=float32)',
        'Tensor("a:0", shape=(2,), dtype=float32)',
    ]
    assert double.experimental_get_tracing_count() == 3


def test_python_arguments_are_part_of_the_key():
    traced = []

    @tf.function
    def power(a, b):
        traced.append(b)
        return a * float(b)

    assert power(tf.constant(3.0), 2).numpy() == 6.0
    assert power(tf.constant(4.0), b=2).numpy() == 8.0
    assert power(tf.constant(4.0), 3).numpy() == 12.0
    assert traced == [2, 3]


def test_fast_path_answers_repeated_calls():
    @tf.function
    def add(a, b):
        return a + b

    x, y = tf.constant([1.0]), tf.constant([2.0])
    for _ in range(5):
        assert add(x, y).numpy() == [3.0]
    assert add._fast_hits == 4


def test_nested_functions_and_structures():
    @tf.function
    def inner(d):
        return {"s": d["x"] + d["y"], "d": (d["x"] - d["y"], None)}

    @tf.function
    def outer(x):
        r = inner({"x": x, "y": x * 2.0})
        return r["s"] + r["d"][0]

    assert outer(tf.constant(3.0)).numpy() == 6.0
    result = inner({"x": tf.constant(5.0), "y": tf.constant(2.0)})
    assert result["s"].numpy() == 7.0
    assert result["d"][0].numpy() == 3.0
    assert result["d"][1] is None


def test_conditionals_and_loops():
    @tf.function
    def f(n):
        total = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), (tf.constant(0), tf.constant(0)))[1]
        return tf.cond(total > 10, lambda: total, lambda: -total)

    assert f(tf.constant(10)).numpy() == 45
    assert f(tf.constant(3)).numpy() == -3


def test_errors_keep_their_types():
    @tf.function
    def bad(a, b):
        return a + b

    with pytest.raises(ValueError, match="Dimensions must be equal"):
        bad(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]))
    with pytest.raises(TypeError, match="that does not match type"):
        bad(tf.constant(1), tf.constant(1.0))
