"""Collections beside threads, many dropped Functions, and gradients."""

import gc
import os
import subprocess
import sys
import threading
import weakref

import pytest
import tracefn as tf
from dropped_functions import Mark


@pytest.fixture(autouse=True)
def _collected():
    """Each test begins without garbage of others."""
    gc.collect()


STRESS = """
import gc, sys, threading, weakref
import tracefn as tf

stop = threading.Event()
failures = []
marks = []

class Mark:
    pass

def make(mark):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: 2.0 * x * dy if mark else dy
    return square

def work(seed):
    shared = None
    try:
        n = 0
        while not stop.is_set():
            n += 1
            mark = Mark()
            square = make(mark)
            kind = (n + seed) % 4
            if kind == 0:
                f = tf.function(square)
            elif kind == 1:
                f = tf.function(lambda x: tf.cond(x > 0.0, lambda: square(x), lambda: x))
            elif kind == 2:
                inner = tf.function(square)
                f = tf.function(lambda x: inner(x))
            else:
                f = tf.function(lambda x: tf.while_loop(
                    lambda i, y: i < 1, lambda i, y: (i + 1, square(y)), [tf.constant(0), x])[1])
            if n % 2:
                mark.function = f
            x = tf.constant(3.0)
            with tf.GradientTape(persistent=n % 3 == 0) as tape:
                tape.watch(x)
                y = f(x)
                if shared is not None:
                    y = y + 0.0 * shared(x)
            assert float(tape.gradient(y, x)) == 6.0
            assert float(f(tf.ones([2000]) * 3.0)[0]) == 9.0 if kind in (0, 2) else True
            if n % 5 == 0:
                shared = f
            marks.append(weakref.ref(mark))
    except BaseException as error:
        import traceback
        traceback.print_exc()
        failures.append(error)

threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
for t in threads:
    t.start()
import time
end = time.monotonic() + SECONDS
rounds = 0
while time.monotonic() < end and not failures:
    gc.collect()
    rounds += 1
stop.set()
for t in threads:
    t.join()
gc.collect()
gc.collect()
assert not failures
assert rounds > 3
left = sum(m() is not None for m in marks)
print(len(marks), rounds, left)
assert left == 0, left
"""


def test_threads_that_trace_differentiate_and_drop():
    seconds = os.environ.get("TRACEFN_STRESS_SECONDS", "6")
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", STRESS.replace("SECONDS", seconds)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


MEMORY = """
import gc, os
import tracefn as tf

def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def make():
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: 2.0 * x * dy
    f = tf.function(lambda x: square(x), autograph=False)
    f(tf.constant(3.0))

def run(n):
    for i in range(n):
        make()
        if i % 200 == 199:
            gc.collect()
    gc.collect()
    return resident()

run(400)
before = run(200)
print((run(2000) - before) / 2000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_dropped_functions_take_no_memory():
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 600  # bytes for each; 6 KB when the graph stays


def test_a_thread_that_runs_a_function_keeps_it():
    mark = Mark()
    inside, go = threading.Event(), threading.Event()
    results = []

    def make(mark):
        def wait(v):
            inside.set()
            go.wait(30)
            return v * v if mark else v

        @tf.function
        def f(x):
            return tf.ensure_shape(tf.py_function(wait, [x], tf.float32), [])

        mark.function = f
        return f

    f = make(mark)

    def run(function):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        results.append((float(y), float(tape.gradient(y, x))))

    thread = threading.Thread(target=run, args=(f,))
    thread.start()
    del f
    watcher = weakref.ref(mark)
    del mark
    assert inside.wait(30)
    for _ in range(3):
        gc.collect()
    go.set()
    thread.join()
    del thread
    assert results == [(9.0, 6.0)]
    gc.collect()
    assert watcher() is None


def test_gradients_stay_right_over_many_collections():
    weight = tf.Variable(1.0)

    @tf.custom_gradient
    def twice(x):
        return 2.0 * x, lambda dy: 3.0 * dy

    @tf.function
    def loss(x):
        for _ in tf.range(3):
            x = tf.cond(x > 0.0, lambda: twice(x) * weight, lambda: x)  # noqa: B023
        return x

    for n in range(1, 6):
        with tf.GradientTape() as tape:
            y = loss(tf.constant(float(n)))
        gc.collect()
        # The last factor's 2 * 4n, the one before's 3 * 2 * 2n, the first one's 9 * 2n.
        assert float(tape.gradient(y, weight)) == 38.0 * n
        gc.collect()
