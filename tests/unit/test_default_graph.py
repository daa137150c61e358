"""Which graph is current, when contexts end in an unusual order or not at all."""

import threading

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
