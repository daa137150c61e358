"""Threads that wait for queues end with Python, and a signal interrupts a wait."""

import subprocess
import sys

import pytest

PROGRAMS = {
    "threads without a coordinator": """
import tracefn.compat.v1 as tf
tf.get_logger().setLevel("ERROR")  # no notices that queues are deprecated
with tf.Graph().as_default():
    name = tf.train.string_input_producer(["a"]).dequeue()
    batch = tf.train.batch([name], 2, num_threads=2)
    session = tf.Session()
    tf.train.start_queue_runners(session)
    print(session.run(batch).tolist())
""",
    "a thread of the program": """
import threading
import tracefn as tf
queue = tf.queue.FIFOQueue(1, tf.int32)
take = tf.function(lambda: queue.dequeue())
queue.enqueue(3)
print(int(take()))
threading.Thread(target=take, daemon=True).start()
""",
}
INTERRUPTED = """
import os, signal, threading
import tracefn.compat.v1 as tf
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
with tf.Graph().as_default(), tf.Session() as session:
    queue = tf.FIFOQueue(2, tf.int32, shapes=[])
    take, put = queue.dequeue(), queue.enqueue(3)
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        session.run(take)
    except KeyboardInterrupt:
        session.run(put)
        print(session.run(take))
"""


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_end_of_python(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout in ("[b'a', b'a']\n", "3\n")


def test_an_interrupt():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr
