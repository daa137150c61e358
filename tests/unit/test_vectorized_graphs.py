"""Graphs of functions that run once for all rows: they hold no loop unless an op has no batch rule."""

import pytest
import tracefn as tf


def _types(function, *args):
    return {operation.type for operation in tf.function(function).get_concrete_function(*args).graph.get_operations()}


def _has_loop(types) -> bool:
    return any("While" in kind for kind in types)


@pytest.mark.parametrize(
    "function",
    [
        lambda row: tf.nn.softmax(tf.linalg.matvec(tf.eye(3), row)),
        lambda row: tf.reduce_sum(row[:, None] * tf.ones([2, 3, 1]), axis=[0, -1]),
        lambda row: tf.gather(tf.sort(tf.concat([row, row], 0)), [1, 0]),
        lambda row: tf.vectorized_map(lambda element: element * row, row),
        lambda row: tf.where(row > 1.0, tf.random.normal([3]), tf.cumsum(row)),
    ],
)
def test_functions_with_batch_rules(function):
    assert not _has_loop(_types(lambda x: tf.vectorized_map(function, x), tf.ones([4, 3])))


def test_functions_without(caplog):
    x = tf.ones([4, 3])
    assert _has_loop(_types(lambda x: tf.vectorized_map(lambda row: tf.unique(row)[0], x), x))
    assert "Using a while_loop for converting Unique cause there is no registered converter for this op." in caplog.text
    caplog.clear()
    assert _has_loop(_types(lambda x: tf.vectorized_map(lambda row: tf.unique(row)[0], x, warn=False), x))
    assert not caplog.text


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("kind", ["jacobian", "batch_jacobian"])
def test_jacobians(kind, at_once):
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(x @ tf.eye(3))
        return getattr(tape, kind)(y, x, experimental_use_pfor=at_once)

    assert _has_loop(_types(run, tf.ones([4, 3]))) != at_once


def test_nothing_with_an_effect_is_left_of_a_refused_conversion():
    v = tf.Variable(0.0)

    @tf.function
    def run(x):
        return tf.vectorized_map(lambda row: tf.reduce_sum(row) + v.assign_add(1.0), x)

    assert run(tf.zeros([3, 2])).numpy().tolist() == [1.0, 2.0, 3.0]
    assert float(v) == 3.0
