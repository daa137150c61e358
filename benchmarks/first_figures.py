"""The floor under speed: calls, eager ops, tracing and retracing, against TensorFlow, JAX and numpy in one run.

Run: python benchmarks/first_figures.py      (peers that are not installed are left out and named)
"""

from __future__ import annotations

import os
import statistics
import sys

from _timing import text
from peers import Worker, environment

SETUPS = {
    "tracefn": "import tracefn as tf",
    "tensorflow": "import tensorflow as tf",
}
FUNCTION = """
x = tf.constant(1.0)
call = tf.function(lambda x: x + 1)
call(x); call(x)
a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
def ops(x, n):
    for _ in range(n):
        x = x + 1.0
    return x
def trace(n):
    tf.function(ops, autograph=False).get_concrete_function(x, n)
def new_shape(n=[1]):
    n[0] += 1
    shaped(tf.zeros([n[0]]))
shaped = tf.function(lambda x: ops(x, 40), autograph=False)
tf.get_logger().setLevel("ERROR")
"""
JAX = """
import jax, jax.numpy as jnp
x = jnp.float32(1.0)
call = jax.jit(lambda x: x + 1)
call(x).block_until_ready()
a, b = jnp.array([1.0, 2.0]), jnp.array([3.0, 4.0])
(a + b).block_until_ready()
def ops(x, n):
    for _ in range(n):
        x = x + 1.0
    return x
def trace(n):
    jax.jit(lambda x: ops(x, n)).trace(x)
"""
NUMPY = """
import numpy as np
a, b = np.array([1.0, 2.0], np.float32), np.array([3.0, 4.0], np.float32)
"""
# Row, expression, evaluations per timing, what a unit is.
ROWS = [
    ("call of a traced x + 1", "call(x)", 2000),
    ("eager a + b, two elements", "a + b", 2000),
    ("tracing, per op of 1000", "trace(1000)", 1),
    ("a new shape of a 40-op function", "new_shape()", 20),
]
ROUNDS = 7


def start() -> dict:
    """The workers whose environments are there."""
    wanted = {
        "tracefn": (sys.executable, SETUPS["tracefn"] + FUNCTION),
        "tensorflow": (environment("tf"), SETUPS["tensorflow"] + FUNCTION),
        "jax": (environment("misc"), JAX),
        "numpy": (sys.executable, NUMPY),
    }
    workers = {}
    for name, (python, setup) in wanted.items():
        if not os.path.exists(python):
            print(f"left out: {name} ({python} is not there)")
            continue
        workers[name] = Worker(python)
        workers[name].setup(setup)
    return workers


def measure(workers: dict, expression: str, number: int) -> dict:
    """Median seconds per evaluation, contenders in turns; those without the row's function are left out."""
    times: dict = {}
    for _ in range(ROUNDS):
        for name, worker in workers.items():
            few = number if name in ("tracefn", "numpy") else max(1, number // 20)
            try:
                seconds = worker.time(expression, few)
            except RuntimeError as error:
                if "NameError" not in str(error):
                    raise
                continue
            times.setdefault(name, []).append(seconds)
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    workers = start()
    for row, expression, number in ROWS:
        medians = measure(workers, expression, number)
        scale = 1000 if "per op" in row else 1
        ours = medians["tracefn"]
        cells = [f"{name} {text(t / scale)} ({t / ours:.3g}x)" for name, t in medians.items()]
        print(f"{row:34s} " + "   ".join(cells))
    for worker in workers.values():
        worker.close()


if __name__ == "__main__":
    main()
