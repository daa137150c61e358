"""Ctrl-C stops a tensor loop that would run for minutes, and leaves everything usable.

benchmarks/interrupt_latency.py measures how soon.
"""

import pathlib
import signal
import subprocess
import sys
import time

import pytest

# Whoever runs the tests may have had the signal ignored, which children inherit.
PROGRAM = """
import signal
import tracefn as tf

signal.signal(signal.SIGINT, signal.default_int_handler)

{setup}

print("ready", flush=True)
try:
    run()
except KeyboardInterrupt:
    print("stopped", flush=True)
{after}
"""

SCALARS = """
def run():
    tf.function(lambda n: tf.while_loop(lambda i: i < n, lambda i: (i + 1,), [tf.constant(0, tf.int64)]))(
        tf.constant(1 << 60))
"""
ARRAYS = """
def run():
    step = lambda i, x: (i + 1, tf.sin(x) + 1.0)
    loop = tf.function(lambda n: tf.while_loop(lambda i, x: i < n, step, [tf.constant(0, tf.int64), tf.ones([100])]))
    loop(tf.constant(1 << 60))
"""
BIG_ARRAYS = """
def run():
    step = lambda i, x: (i + 1, tf.sin(x) + 1.0)
    loop = tf.function(
        lambda n: tf.while_loop(lambda i, x: i < n, step, [tf.constant(0, tf.int64), tf.ones([1_000_000])]))
    loop(tf.constant(1 << 60))
"""
ITERATIONS = """
def run():
    step = lambda i, x: (i + 1, tf.sin(x) + 1.0)
    loop = tf.function(lambda n: tf.while_loop(lambda i, x: i < n, step, [tf.constant(0, tf.int64), tf.ones([100])]))
    loop(tf.constant(300_000_000, tf.int64))
"""
NESTED = """
@tf.function
def count(n):
    total = tf.constant(0, tf.int64)
    while total >= 0:
        for i in tf.range(n):
            if i % 2 == 0:
                total += i
    return total

def run():
    count(tf.constant(1000, tf.int64))
"""
VARIABLES = """
v = tf.Variable(0, dtype=tf.int64)

@tf.function
def count():
    while v >= 0:
        v.assign_add(1)

count.get_concrete_function()

def run():
    count()
"""
EAGER_LOOP = """
def run():
    tf.while_loop(lambda i: i >= 0, lambda i: (i + 1,), [tf.constant(0, tf.int64)])
"""
HOST_CALLS = """
@tf.function
def count():
    i = tf.constant(0, tf.int64)
    while i >= 0:
        i = tf.ensure_shape(tf.py_function(lambda n: n + 1, [i], tf.int64), [])
    return i

def run():
    count()
"""
# Differentiated loops that keep nothing for their way back.
FORWARD = """
def run():
    loop = tf.function(lambda x: tf.while_loop(
        lambda i, y: i < 1 << 60, lambda i, y: (i + 1, y * 0.5 + x), [tf.constant(0, tf.int64), x])[1])
    x = tf.ones([{size}])
    with tf.GradientTape() as tape:
        tape.watch(x)
        loop(x)
"""
WAY_BACK = """
x = tf.ones([{size}])
loop = tf.function(lambda x: tf.while_loop(
    lambda i, y: i < {steps}, lambda i, y: (i + 1, y * 0.5 + x), [tf.constant(0, tf.int64), x])[1])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = loop(x)

def run():
    while True:
        tape.gradient(y, x)
"""


def stopped(folder: pathlib.Path, setup: str, after: str = "") -> str:
    """Interrupts the program's `run`; what the program printed after it."""
    program = folder / "program.py"  # a file: AutoGraph reads the source
    program.write_text(PROGRAM.format(setup=setup, after=after))
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        try:
            first, *rest = process.communicate(timeout=20)[0].splitlines()
        finally:
            process.kill()
        assert process.returncode == 0
        assert first == "stopped"
        return "\n".join(rest)


@pytest.mark.parametrize(
    "setup",
    [SCALARS, ARRAYS, BIG_ARRAYS, ITERATIONS, NESTED, VARIABLES, EAGER_LOOP, HOST_CALLS, FORWARD.format(size=""),
     FORWARD.format(size=1000), WAY_BACK.format(size="", steps=20_000_000), WAY_BACK.format(size=1000, steps=500_000)],
    ids=["scalars", "arrays", "big arrays", "iterations", "nested", "variables", "eager", "host calls", "differentiated scalars",
         "differentiated arrays", "scalars on the way back", "arrays on the way back"],
)
def test_a_loop_stops(tmp_path, setup):
    stopped(tmp_path, setup)


def test_the_variable_keeps_what_was_assigned_and_the_function_runs_on(tmp_path):
    after = "before = int(v); print(before > 1000, int(v) == before, int(tf.function(lambda: v + 1)()) == before + 1)"
    assert stopped(tmp_path, VARIABLES, after) == "True True True"
