"""Which graph is current, when contexts end in an unusual order or not at all."""

import threading

import pytest
import tracefn as tf


def in_thread(run):
    # The stack of contexts is the thread's: what a test leaves open is gone with it.
    results = []
    thread = threading.Thread(target=lambda: results.append(run()))
    thread.start()
    thread.join()
    return results[0]


def test_a_graph_whose_context_was_dropped_stays_current():
    def run():
        tf.Graph().as_default().__enter__()
        return [tf.constant(1).graph.get_operations() for _ in range(2)]

    first, second = in_thread(run)
    assert [op.name for op in second] == ["Const", "Const_1"]
    assert len(first) == 1


def test_contexts_that_end_in_another_order():
    def run():
        a, b = tf.Graph(), tf.Graph()
        in_a, in_b = a.as_default(), b.as_default()
        in_a.__enter__()
        in_b.__enter__()
        in_a.__exit__(None, None, None)
        inside_b = tf.constant(1).graph is b
        in_b.__exit__(None, None, None)
        return inside_b, tf.executing_eagerly()

    assert in_thread(run) == (True, True)


def test_a_context_entered_twice():
    graph = tf.Graph()
    context = graph.as_default()
    with context, context:
        assert not tf.executing_eagerly()
    assert tf.executing_eagerly()


def test_a_context_that_ends_on_another_thread():
    def run():
        context = tf.Graph().as_default()
        context.__enter__()

        def end():
            with pytest.raises(RuntimeError, match="ends on another thread than it began on"):
                context.__exit__(None, None, None)
            return True

        refused, still_current = in_thread(end), not tf.executing_eagerly()
        context.__exit__(None, None, None)
        return refused, still_current, tf.executing_eagerly()

    assert in_thread(run) == (True, True, True)


def test_a_context_that_never_began():
    with pytest.raises(RuntimeError, match="ends without having begun"):
        tf.Graph().as_default().__exit__(None, None, None)


def test_a_context_that_ends_within_a_trace_begun_inside_of_it():
    def run():
        context = tf.Graph().as_default()
        context.__enter__()

        @tf.function
        def f():
            context.__exit__(None, None, None)
            return tf.constant(1) + 1

        return int(f()), tf.executing_eagerly()

    assert in_thread(run) == (2, True)


def test_contexts_left_open_by_a_host_call_end_with_it():
    opened, one = [], tf.constant(1)

    def body():
        opened.append(tf.Graph().as_default())
        opened[0].__enter__()
        return one

    @tf.function
    def f():
        return tf.py_function(body, [], tf.int32)

    def run():
        graph = tf.Graph()
        context = graph.as_default()
        value = int(f())
        with context:
            opened[0].__exit__(None, None, None)
            inside = tf.constant(1).graph is graph
        return value, inside, tf.executing_eagerly()

    assert in_thread(run) == (1, True, True)


def test_a_context_that_ends_in_a_gradient_function_begun_inside_of_it():
    def run():
        context = tf.Graph().as_default()
        context.__enter__()

        @tf.custom_gradient
        def identity(x):
            def grad(dy):
                context.__exit__(None, None, None)
                return dy

            return tf.identity(x), grad

        x = tf.ones([])
        y = tf.function(lambda x: identity(x))(x)
        with pytest.raises(RuntimeError, match="ends inside of a host call or gradient function that began within it"):
            tf.gradients(y, x)
        context.__exit__(None, None, None)
        return tf.executing_eagerly()

    assert in_thread(run)
