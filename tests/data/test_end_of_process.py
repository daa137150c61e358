"""A process ends while threads of datasets are in Python code: no crash, no message, and no wait for what blocks."""

import subprocess
import sys
import time

import pytest

START = """
import itertools, sys, time
import tracefn as tf
Dataset = tf.data.Dataset
spec = tf.TensorSpec(None, tf.float32)
def read(dataset, count=1):
    return [x for _, x in zip(range(count), dataset)]
def uneven():
    yield from ([1.0], [1.0, 2.0], [3.0])
"""
PROGRAMS = {
    "an endless generator": """
read(Dataset.from_generator(itertools.count, output_signature=tf.TensorSpec([], tf.int64)).prefetch(1000))
""",
    "batches that fail": """
for calls in (None, 2):
    dataset = Dataset.from_generator(uneven, output_signature=spec).batch(2, num_parallel_calls=calls).prefetch(1)
    try:
        read(dataset, 5)
    except tf.errors.InvalidArgumentError:
        pass
""",
    "Python functions on many threads": """
def slowly(x):
    return sum(x * k for k in range(300))
dataset = Dataset.range(100000).map(lambda x: tf.py_function(slowly, [x], tf.int64), num_parallel_calls=4).prefetch(8)
kept = iter(dataset)
next(kept)
""",
    "errors of Python functions": """
def fails(x):
    raise ValueError("no")
dataset = Dataset.range(1000).map(lambda x: tf.numpy_function(fails, [x], tf.int64), num_parallel_calls=4)
read(dataset.ignore_errors().prefetch(4), 1)
""",
    "pictures": """
import io
from PIL import Image
file = io.BytesIO()
Image.new("RGB", (64, 64)).save(file, "GIF")
data = file.getvalue()
dataset = Dataset.from_tensors(data).repeat().map(tf.io.decode_gif, num_parallel_calls=2).prefetch(4)
read(dataset, 3)
""",
    "printing": """
def shown(x):
    tf.print(x, output_stream=sys.stdout)
    return x
read(Dataset.range(10000).map(shown, num_parallel_calls=2).prefetch(100))
""",
    "a thread of the user": """
import threading
f = tf.function(lambda x: tf.py_function(lambda y: y + 1, [x], tf.int64))
def work():
    while True:
        f(tf.constant(1, tf.int64))
threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
""",
    "sys.exit": """
kept = iter(Dataset.from_generator(itertools.count, output_signature=tf.TensorSpec([], tf.int64)).prefetch(10))
next(kept)
sys.exit(0)
""",
}


def end_of(program):
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", START + program], capture_output=True, text=True, timeout=60, check=False)
    return done, time.monotonic() - started


@pytest.mark.parametrize("name", PROGRAMS)
def test_threads_are_in_python_code(name):
    for _ in range(3):
        done, _ = end_of(PROGRAMS[name])
        assert (done.returncode, done.stderr) == (0, "")


def test_a_generator_that_blocks_is_not_waited_for():
    program = """
def numbers():
    yield 1
    time.sleep(300)
read(Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int64)).prefetch(2))
print("read")
"""
    done, seconds = end_of(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "read\n", "")
    assert seconds < 60


def test_what_runs_at_exit_may_use_datasets():
    program = """
import atexit
def last():
    print(sum(int(x) for x in Dataset.range(5).map(lambda x: tf.py_function(lambda y: y, [x], tf.int64)).prefetch(2)))
atexit.register(last)
"""
    done, _ = end_of(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "10\n", "")
