"""Signals during long work of every kind: handlers run while it goes on and it ends with the right result; an exception
of a handler comes out of it, and everything is usable afterwards."""

import contextlib
import signal
import threading
import time

import numpy as np
import pytest
import tracefn as tf
from support.long_work import MAKERS

# Long enough for a handler to be called several times, which is done fifty times a second.
LONG = 0.1
LARGEST = 1 << 22
# Of generators with a state each run gives other numbers.
RANDOM = ("normal numbers", "uniform numbers", "shuffle", "drawn classes")


class Timeout(ValueError):
    pass


@contextlib.contextmanager
def alarm(handler, interval, repeat=0.0):
    running = False

    def one_at_a_time(*arguments):
        nonlocal running
        if running:  # a handler that takes longer than the time to the next signal would never end
            return
        running = True
        try:
            handler(*arguments)
        finally:
            running = False

    before = signal.signal(signal.SIGALRM, one_at_a_time)
    signal.setitimer(signal.ITIMER_REAL, interval, repeat)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def prepared(make):
    """The work at a size at which it takes long, if it does for any, and its result."""
    size = 1 << 16
    while True:
        run = make(size)
        run()  # which traces
        begun = time.thread_time()
        result = run()
        seconds = time.thread_time() - begun
        if seconds >= LONG or size >= LARGEST:
            return run, result
        size *= 4 if seconds < LONG / 8 else 2


def bits(result):
    leaves = []
    for leaf in tf.nest.flatten(result):
        if isinstance(leaf, tf.IndexedSlices):
            leaf = tf.convert_to_tensor(leaf)
        leaves.append(np.asarray(leaf).tobytes() if not np.asarray(leaf).dtype.hasobject else np.asarray(leaf).tolist())
    return leaves


def check_everything_works():
    x = tf.range(1_000_000, dtype=tf.float64)
    assert float(tf.reduce_sum(x)) == 499999500000.0
    a = tf.reshape(tf.cast(tf.range(90_000), tf.float64), [300, 300])
    assert np.array_equal(tf.matmul(a, tf.eye(300, dtype=tf.float64)), a)
    assert threading.main_thread() is threading.current_thread()


@pytest.mark.parametrize("name", MAKERS)
def test_work_hears_signals(name):
    run, expected = prepared(MAKERS[name])
    # Work that hears nothing calls the handler twice at most, when a call begins and when it ends, however often it runs.
    # One that hears may have spent its time on fresh memory for once, where it asks for nothing.
    for _ in range(5):
        called = []
        begun = time.thread_time()
        with alarm(lambda *_, called=called: called.append(None), 0.004, 0.004):
            result = run()
        is_long = time.thread_time() - begun >= LONG
        if not name.startswith(RANDOM):
            assert bits(result) == bits(expected)
        if len(called) > 2 or not is_long:
            break
    else:
        pytest.fail(f"the handler was called {len(called)} times during the work")

    def give_up(*_):
        raise Timeout("too late")

    # What is raised inside of a callable of the user's is that callable's error.
    expected_error = tf.errors.InvalidArgumentError if name == "host_calls" else Timeout
    with pytest.raises(expected_error, match="too late"), alarm(give_up, LONG / 4):
        while True:
            run()
    check_everything_works()
    if not name.startswith(RANDOM):
        assert bits(run()) == bits(expected)


def interrupted(work, delay=LONG / 4):
    """Runs `work` until a handler raises."""

    def give_up(*_):
        raise Timeout

    with pytest.raises(Timeout), alarm(give_up, delay):
        while True:
            work()


def test_a_handler_may_use_the_library():
    x = tf.random.stateless_normal([2_000_000], [1, 2])
    expected = tf.sort(x).numpy()
    seen = []
    with alarm(lambda *_: seen.append(float(tf.reduce_sum(tf.ones([100_000])))), 0.005, 0.005):
        while len(seen) < 3:
            assert np.array_equal(tf.sort(x).numpy(), expected)
    assert set(seen) == {100_000.0}


def test_a_handler_may_read_what_is_being_changed():
    v = tf.Variable(tf.zeros([4_000_000]))
    ones = tf.ones([4_000_000])
    seen = []
    with alarm(lambda *_: seen.append(np.unique(v.numpy())), 0.003, 0.003):
        times = 0
        while times < 60 or not seen:
            v.assign_add(ones)
            times += 1
    assert all(len(values) == 1 for values in seen)
    assert np.all(v.numpy() == times)


def test_a_handler_may_draw_from_the_generator_in_use():
    draw = tf.function(lambda n: tf.random.normal([n], seed=1))
    draw(10)
    # Three calls during one draw: one of them at least comes in the middle of it, however fast the machine is.
    seen = []
    size = LARGEST
    with alarm(lambda *_: seen.append(draw(10).shape), 0.005, 0.005):
        while len(seen) < 3 and size <= 1 << 28:
            seen.clear()
            draw(size)
            size *= 2
    assert len(seen) >= 3


@pytest.mark.parametrize("update", ["assign_add", "assign_sub", "scatter_update"])
def test_a_variable_has_its_old_value_or_the_new_one(update):
    v = tf.Variable(tf.zeros([1_000_000]))
    ones = tf.ones([1_000_000])
    rows = tf.IndexedSlices(ones, tf.range(1_000_000))
    for _ in range(5):
        interrupted(lambda: getattr(v, update)(rows if update == "scatter_update" else ones), 0.01)
        assert len(np.unique(v.numpy())) == 1


def test_a_traced_update_is_whole():
    v = tf.Variable(tf.zeros([500_000]))

    @tf.function
    def step(x):
        v.assign_add(tf.ones_like(x))
        return tf.reduce_sum(tf.sin(x) * v)

    for _ in range(5):
        interrupted(lambda: step(tf.ones([500_000])), 0.02)
        assert len(np.unique(v.numpy())) == 1


def test_seeded_numbers_go_on_after_an_interrupt():
    """A run that was stopped has taken its numbers, as one that was not."""

    def draws(stop):
        tf.random.set_seed(7)
        draw = tf.function(lambda n: tf.random.normal([n], seed=1))
        draw(10)
        if stop:
            with pytest.raises(Timeout), alarm(lambda *_: (_ for _ in ()).throw(Timeout()), 0.02):
                draw(20_000_000)
        else:
            draw(20_000_000)
        return draw(10).numpy()

    assert np.array_equal(draws(True), draws(False))


def test_a_tape_is_usable_after_an_interrupt():
    x = tf.ones([300, 300])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x
        for _ in range(60):
            y = tf.tanh(tf.matmul(y, x) / 300)
    expected = tape.gradient(y, x).numpy()
    interrupted(lambda: tape.gradient(y, x), 0.02)
    assert np.array_equal(tape.gradient(y, x).numpy(), expected)


def test_work_of_other_threads_goes_on():
    x = tf.random.stateless_normal([1_000_000], [1, 2])
    expected = tf.sort(x).numpy()
    found = []
    thread = threading.Thread(target=lambda: found.extend(tf.sort(x).numpy() for _ in range(3)))
    thread.start()
    interrupted(lambda: tf.cumsum(x), 0.05)
    thread.join()
    assert len(found) == 3 and all(np.array_equal(f, expected) for f in found)


def test_signals_are_heard_while_another_thread_computes():
    """A thread whose op holds the interpreter's lock lets the main thread run."""
    stop = threading.Event()

    def work():
        while not stop.is_set():
            tf.random.stateless_normal([3_000_000], [1, 2])

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        interrupted(lambda: time.sleep(0.001), 0.1)
        interrupted(lambda: tf.reduce_sum(tf.ones([100_000])), 0.1)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_an_interrupted_trace_leaves_nothing_behind():
    @tf.function
    def long_trace(x):
        for _ in range(100_000):
            x = x + 1.0
        return x

    interrupted(lambda: long_trace(tf.ones([3])), 0.1)
    assert tf.executing_eagerly()
    assert np.array_equal(tf.function(lambda x: x + 1.0)(tf.ones([3])), [2.0, 2.0, 2.0])
