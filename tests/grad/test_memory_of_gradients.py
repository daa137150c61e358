"""What tapes and differentiated loops hold, and that they let go of it."""

import gc
import resource
import subprocess
import sys
import time
import weakref

import numpy as np
import pytest
import tracefn as tf

PROGRAM = """
import tracefn as tf

def most():
    # Not ru_maxrss, which begins with that of the process that started this one.
    return int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))

@tf.function(autograph=False)
def f(x):
    loop = tf.while_loop(lambda i, y: i < %d, lambda i, y: (i + 1, tf.sin(y) + x), [tf.constant(0), x])
    return tf.reduce_sum(loop[1])

def run(n):
    x = tf.ones([n])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)

run(1)
before = most()
run(1000)
print(most() - before)
"""


def most_memory(steps: int) -> int:
    """KiB that the gradient of a loop over 1000 numbers takes beyond that over one."""
    done = subprocess.run([sys.executable, "-c", PROGRAM % steps], check=True, capture_output=True, text=True)
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_loop_keeps_memory_in_proportion_to_its_steps():
    # 4000 bytes for each step's value, as of 10,000 steps 39 MiB.
    short, long = most_memory(2_500), most_memory(10_000)
    assert long < 6 * short
    assert long < 2.5 * 10_000 * 4000 / 1024


def test_a_loop_takes_time_in_proportion_to_its_steps():
    @tf.function
    def f(x, n):
        y = x
        for _ in tf.range(n):
            y = tf.sin(y) + x
        return y

    def seconds(n: int) -> float:
        x, n = tf.constant(0.1), tf.constant(n)
        best = float("inf")
        for _ in range(5):
            began = time.thread_time()
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x, n)
            slope = tape.gradient(y, x)
            best = min(best, time.thread_time() - began)
        assert np.isfinite(float(slope))
        return best

    seconds(10)
    # Of the processor, which other programs do not count in. Ten times the steps; a loop whose lists were copied would
    # take a hundred times as long.
    assert seconds(100_000) < 30 * seconds(10_000)


def test_a_persistent_tape_lets_go_of_its_tensors():
    x = tf.constant(np.ones(1000))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.exp(x)
        z = y * y
    tape.gradient(z, x)
    held = weakref.ref(y)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    del y, z, tape
    gc.collect()
    assert held() is None
    for _ in range(200):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            big = tf.tile(x, [500])  # 4 MB
            y = tf.reduce_sum(big * big)
        tape.gradient(y, x)
        del tape, big, y
    # 200 tapes of 8 MB would be 1.6 GB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def test_a_custom_gradient_of_a_trace_lets_the_graph_go():
    def trace():
        @tf.custom_gradient
        def square(x):
            y = x * x
            return y, lambda dy: 2.0 * x * dy

        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = square(x)
            return tape.gradient(y, x)

        assert float(f(tf.constant(3.0))) == 6.0
        return weakref.ref(f.get_concrete_function(tf.TensorSpec([], tf.float32)).graph)

    graphs = [trace() for _ in range(3)]
    gc.collect()
    assert [g() for g in graphs] == [None] * 3
