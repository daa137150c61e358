"""Functions called from many threads at once."""

import gc
import threading
import time
import weakref

import numpy as np
import pytest
import tracefn as tf

THREADS = 8


def together(work, count: int = THREADS) -> list:
    """Runs work(0) to work(count - 1) in threads that start at once; the results in order. Raises what a thread raised."""
    barrier, results, errors = threading.Barrier(count), [None] * count, []

    def run(n):
        barrier.wait()
        try:
            results[n] = work(n)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    if errors:
        raise errors[0]
    return results


def test_equal_keys_trace_once_different_keys_once_each():
    traced = []

    @tf.function
    def f(x, n):
        traced.append(n)
        time.sleep(0.02)
        return x + n

    results = together(lambda n: int(f(tf.constant(1), n % 3)))
    assert results == [1 + n % 3 for n in range(THREADS)]
    assert sorted(traced) == [0, 1, 2]
    assert f.experimental_get_tracing_count() == 3


def test_a_trace_that_fails_is_tried_again_by_those_who_waited():
    attempts = []

    @tf.function(autograph=False)
    def f(x):
        attempts.append(0)
        time.sleep(0.02)
        if len(attempts) == 1:
            raise ZeroDivisionError("first")
        return x

    def call(n):
        try:
            return int(f(tf.constant(n)))
        except ZeroDivisionError:
            return "failed"

    results = together(call)
    assert results.count("failed") == 1
    assert len(attempts) == 2


def test_a_trace_that_waits_for_another_thread_does_not_hang():
    inner_done = threading.Event()

    @tf.function(autograph=False)
    def inner(x):
        time.sleep(0.02)
        return x + 1

    @tf.function(autograph=False)
    def outer(x):
        return inner(x) * 2

    @tf.function(autograph=False)
    def other(x):
        return inner(x) * 3

    results = together(lambda n: int((outer if n % 2 else other)(tf.constant(1))))
    assert results == [4 if n % 2 else 6 for n in range(THREADS)]
    inner_done.set()


def test_hits_run_side_by_side():
    f = tf.function(lambda x: tf.reduce_sum(x * x))
    x = tf.constant(np.arange(50_000, dtype=np.float32))
    expected = float(f(x))
    assert set(together(lambda n: {float(f(x)) for _ in range(50)})[0]) == {expected}


def test_assignments_are_whole():
    v = tf.Variable(tf.zeros([1000]))
    fill = tf.function(lambda value: v.assign(tf.fill([1000], value)))
    read = tf.function(lambda: v.read_value())

    def work(n):
        for _ in range(50):
            if n % 2:
                fill(tf.constant(float(n)))
            else:
                values = read().numpy()
                assert (values == values[0]).all()

    together(work)


def test_additions_are_not_lost():
    v = tf.Variable(0)
    add = tf.function(lambda: v.assign_add(1))
    together(lambda n: [add() for _ in range(200)])
    assert int(v) == THREADS * 200


def test_each_thread_has_its_graph_and_scopes():
    def work(n):
        names = []

        @tf.function
        def f(x):
            with tf.name_scope(f"thread{n}"):
                time.sleep(0.01)
                names.append(tf.identity(x).name)
            return x

        f(tf.constant(n))
        assert tf.executing_eagerly()
        return names[0]

    assert together(work) == [f"thread{n}/Identity:0" for n in range(THREADS)]


def test_variables_are_made_once():
    made = []

    class Model(tf.Module):
        def __init__(self):
            self.v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(2.0)
                made.append(self.v)
            return x * self.v

    model = Model()
    assert together(lambda n: float(model(tf.constant(float(n))))) == [2.0 * n for n in range(THREADS)]
    assert len(made) <= 2  # TensorFlow traces the first call twice
    assert len(model.variables) == 1


def test_functions_made_and_dropped_in_threads():
    def work(n):
        for i in range(30):
            f = tf.function(lambda x, i=i: x + i)
            assert int(f(tf.constant(n))) == n + i

    together(work)


@pytest.mark.parametrize("bound", [False, True], ids=["function", "method"])
def test_dropping_a_function_frees_everything_at_once(bound):
    class Held:
        pass

    class Owner:
        @tf.function
        def method(self, x):
            return x + captured

    captured = tf.constant(1.0)
    held = Held()
    variable = tf.Variable(1.0)

    def free(x):
        assert held is not None
        return tf.cond(x > 0, lambda: x + captured, lambda: x * variable)

    enabled = gc.isenabled()
    gc.disable()
    try:
        owner = Owner()
        f = tf.function(free) if not bound else owner.method
        for shape in ([], [1], [2]):
            x = tf.reduce_sum(tf.ones(shape))
            f(x)
        graph = weakref.ref(f.get_concrete_function(tf.TensorSpec([])).graph)
        watched = weakref.ref(owner) if bound else weakref.ref(free)
        del f, owner, free
        assert watched() is None
        assert graph() is None
    finally:
        if enabled:
            gc.enable()


def test_threads_that_waited_for_a_trace_do_not_count_as_tracing(caplog):
    @tf.function
    def f(x):
        time.sleep(0.1)
        return x + 1

    threads = [threading.Thread(target=f, args=(tf.constant(1),)) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert f.cache_info()[:2] == (7, 1)
    assert "triggered tf.function retracing" not in caplog.text
