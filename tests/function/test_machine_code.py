"""Loops over scalars give the same results and errors as machine code and interpreted, from threads and after a fork."""

import gc
import os
import platform
import re
import signal
import threading

import numpy as np
import pytest
import tracefn as tf

optimizer = tf.config.optimizer


@pytest.fixture
def interpreted():
    """A context in which traces are compiled without machine code."""

    class Off:
        def __enter__(self):
            optimizer.set_experimental_options({"machine_code": False})

        def __exit__(self, *_):
            optimizer.set_experimental_options({"machine_code": None})

    return Off()


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def newton(a):
    x = a
    while tf.abs(x * x - a) > 1e-5 * a:
        x = 0.5 * (x + a / x)
    return x


def triangle(n):
    total = tf.constant(0.0, tf.float64)
    for i in tf.range(n):
        for j in tf.range(i):
            if (i + j) % 3 == 0:
                continue
            total += tf.sin(tf.cast(j, tf.float64)) / tf.cast(i, tf.float64)
            if total > 20.0:
                break
    return total


def extremes(x):
    low, high, count = x, x, 0
    for _ in tf.range(50):
        x = tf.where(x > 3.0, x * 0.25, tf.maximum(x * 1.7, tf.minimum(high, -x)))
        low, high = tf.minimum(low, x), tf.maximum(high, x)
        count += tf.cast(tf.math.logical_or(low < high, tf.math.is_nan(x)), tf.int32)
        if tf.math.logical_not(tf.abs(x) < 1e30):
            break
    return low, high, count


def pushed(n):
    values = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    x = 1.0
    for i in tf.range(n):
        x = tf.sin(x) * 1.5
        values = values.write(i, x)
    return values.stack()


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.while_loop(lambda i, y: i < 100, lambda i, y: (i + 1, tf.sin(y) * x), (0, x))[1]
    return tape.gradient(y, x)


def divided(n):
    total = 0
    while n > -3:
        total += 100 // n
        n -= 1
    return total


def raised(function, argument):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        function(argument)
    return str(caught.value)


@pytest.mark.parametrize(
    "function, argument",
    [
        (collatz, tf.constant(6171)),
        (collatz, tf.constant(6171, tf.int64)),
        (newton, tf.constant(1e6)),
        (newton, tf.constant(2.0, tf.float64)),
        (triangle, tf.constant(60)),
        (extremes, tf.constant(0.3)),
        (extremes, tf.constant(-2.0, tf.float64)),
        (extremes, tf.constant(float("nan"))),
        (pushed, tf.constant(500)),
        (pushed, tf.constant(0)),
        (gradient, tf.constant(1.5)),
    ],
)
def test_results_are_the_interpreters(function, argument, interpreted):
    found = tf.nest.flatten(tf.function(function)(argument))
    with interpreted:
        wanted = tf.nest.flatten(tf.function(function)(argument))
    for a, b in zip(found, wanted, strict=True):
        assert a.numpy().tobytes() == b.numpy().tobytes()


def test_errors_are_the_interpreters(interpreted):
    found = raised(tf.function(divided), tf.constant(5))
    with interpreted:
        wanted = raised(tf.function(divided), tf.constant(5))
    names = re.compile(r"__inference_\w+")
    assert names.sub("", found) == names.sub("", wanted)
    assert "division by zero" in found


def test_threads_that_come_first_at_once():
    for _ in range(20):
        f = tf.function(collatz)
        f.get_concrete_function(tf.TensorSpec([], tf.int32))
        barrier, results = threading.Barrier(8), []

        def work(n, f=f, barrier=barrier, results=results):
            barrier.wait()
            results.append((n, int(f(tf.constant(n)))))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(20, 28)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert len(results) == 8
        for n, steps in results:
            assert steps == collatz(n)


def executable_bytes() -> int:
    """In anonymous mappings that may be executed."""
    total = 0
    with open("/proc/self/maps") as maps:
        for line in maps:
            where, rights, *rest = line.split()
            if "x" in rights and len(rest) == 3:
                start, end = (int(address, 16) for address in where.split("-"))
                total += end - start
    return total


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="asks the kernel for the process's mappings")
def test_code_goes_with_its_function():
    gc.collect()
    before = executable_bytes()
    made = [tf.function(newton) for _ in range(5)]
    for f in made:
        f(tf.constant(7.0))
    held = executable_bytes() - before
    off = os.environ.get("TRACEFN_MACHINE_CODE") == "off" or tf._core.passes_are_off()
    translated = platform.machine() == "x86_64" and not off
    assert held == (5 * os.sysconf("SC_PAGE_SIZE") if translated else 0)
    del made, f
    gc.collect()
    assert executable_bytes() == before


def test_a_child_of_a_fork_runs_the_code():
    f = tf.function(collatz)
    assert int(f(tf.constant(27))) == 111
    pid = os.fork()
    if pid == 0:
        right = False
        try:
            g = tf.function(newton)
            right = int(f(tf.constant(27))) == 111 and np.isclose(float(g(tf.constant(4.0))), 2.0)
        finally:
            os._exit(0 if right else 1)  # whatever is raised: the child is no second run of the tests
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_handler_of_signals_may_run_loops():
    inner, f = tf.function(collatz), tf.function(lambda n: tf.while_loop(lambda i: i < n, lambda i: (i + 1,), [0])[0])
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(int(inner(tf.constant(27)))))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        assert int(f(tf.constant(1_000_000_000 // 4))) == 250_000_000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen == [111]


@pytest.mark.parametrize("n", [3, 62, 63, 64, 65, 100, 130])
def test_groups_of_more_operands_than_code_takes(n):
    @tf.function
    def total(*xs):
        found = xs[0]
        for x in xs[1:]:
            found = found * 0.5 + x
        return found

    given = [np.full(9, 2.0 ** (k % 20), np.float32) for k in range(n)]
    wanted = given[0]
    for x in given[1:]:
        wanted = wanted * np.float32(0.5) + x
    np.testing.assert_allclose(total(*map(tf.constant, given)), wanted, rtol=1e-6)

    @tf.function
    def padded(x):
        found = tf.zeros([n], x.dtype)
        for k in range(n):
            found += tf.pad(x[k : k + 1], [[k, n - k - 1]])
        return found

    for dtype in (tf.float32, tf.int32):
        x = tf.cast(tf.range(1, n + 1), dtype)
        np.testing.assert_array_equal(padded(x), x)
