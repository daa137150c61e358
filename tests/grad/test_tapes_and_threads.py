"""Tapes of several threads on one function, tapes that threads share, and tapes left by exceptions and generators."""

import gc
import threading
import weakref

import numpy as np
import pytest
import tracefn as tf


def in_threads(*functions) -> None:
    """Runs functions at once, each on a thread; raises what one raised."""
    errors = []

    def guarded(function):
        try:
            function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(f,)) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("persistent", [False, True])
def test_tapes_of_many_threads_on_one_function(persistent):
    @tf.function
    def f(x, n):
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.sin(y) * x), (0, x))[1]

    x, n = tf.constant([0.5, 0.7]), tf.constant(5)

    def slope():
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            y = f(x, n)
        return tape.gradient(y, x).numpy()

    found: list = []
    # The first calls trace and make the differentiated pair at the same time.
    in_threads(*[lambda: found.extend(slope() for _ in range(20))] * 6)
    assert len(found) == 120
    for gradient in found:
        np.testing.assert_array_equal(gradient, found[0])


def test_a_tape_records_its_own_thread_only():
    x, made = tf.constant(3.0), []
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        in_threads(lambda: made.append(x * x))
        y = x * 3.0
    assert tape.gradient(made[0], x) is None and float(tape.gradient(y, x)) == 3.0


def test_a_tape_asked_by_another_thread_and_by_several_at_once():
    x, found = tf.constant(3.0), []
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    in_threads(*[lambda: found.extend(float(tape.gradient(y, x)) for _ in range(50))] * 4)
    assert found == [6.0] * 200


def test_a_thread_that_ends_with_its_tape_recording():
    x, tapes = tf.constant(3.0), []

    def work():
        tapes.append(tf.GradientTape())
        tapes[0].__enter__()
        tapes[0].watch(x)

    in_threads(work)
    y = x * x
    assert not tf._core.tapes_listen() and tapes[0].gradient(y, x) is None


def test_an_exception_keeps_a_tape_no_longer_than_itself():
    def fails():
        x = tf.constant(np.ones(1000))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.exp(x)
            alive.extend([weakref.ref(tape), weakref.ref(y)])
            raise ValueError("on purpose")

    alive: list = []
    with pytest.raises(ValueError, match="on purpose") as error:
        fails()
    assert not tf._core.tapes_listen()
    assert all(a() is not None for a in alive)  # by the traceback
    del error
    gc.collect()
    assert [a() for a in alive] == [None, None]


def test_a_generator_that_is_dropped_stops_recording():
    def generator():
        with tf.GradientTape() as tape:
            yield tape

    made = generator()
    next(made)
    assert tf._core.tapes_listen()
    made.close()
    assert not tf._core.tapes_listen()


def test_many_traced_calls_on_one_tape():
    f = tf.function(lambda x: -x)
    x = y = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        for _ in range(100_000):
            y = f(y)
    assert float(tape.gradient(y, x)) == 1.0
    del tape, y
