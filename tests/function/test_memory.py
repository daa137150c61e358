"""What a Function's traces hold is given back when the Function goes, without the garbage collector."""

import subprocess
import sys

PROGRAM = """
import gc, os
import tracefn as tf

gc.disable()
tf.get_logger().setLevel("ERROR")

def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def many_traces():
    def ops(x):
        for _ in range(40):
            x = x + 1.0
        return x
    f = tf.function(ops, autograph=False)
    for n in range(200):
        f(tf.zeros([n + 1]))
    return resident()

many_traces()
before = resident()
most = many_traces()
print(most - before, resident() - before)
"""


def test_memory_of_traces_is_given_back():
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    held, left = map(int, result.stdout.split())
    assert held > 4 * 2**20, "the traces take memory while they are there"
    assert left < 2**20
