"""What a second thread gives: one call on two threads, two callers at once, two independent ops of one program.

python benchmarks/threads.py
"""

from __future__ import annotations

import statistics
import threading
import time

import numpy as np
import tracefn as tf

ROUNDS, SECONDS = 7, 0.05


def seconds(function) -> float:
    """The median time of a call."""
    function()
    begin = time.perf_counter()
    function()
    number = max(1, int(SECONDS / max(time.perf_counter() - begin, 1e-7)))
    found = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(number):
            function()
        found.append((time.perf_counter() - begin) / number)
    return statistics.median(found)


def at_once(function, callers: int) -> float:
    """Seconds per call of all callers together, each on a Python thread of its own."""
    number = max(10, int(4 * SECONDS / seconds(function)))
    found = []
    for _ in range(ROUNDS):
        start = threading.Barrier(callers + 1)

        def call(start=start):
            start.wait()
            for _ in range(number):
                function()

        threads = [threading.Thread(target=call) for _ in range(callers)]
        for thread in threads:
            thread.start()
        start.wait()
        begin = time.perf_counter()
        for thread in threads:
            thread.join()
        found.append((time.perf_counter() - begin) / number / callers)
    return statistics.median(found)


def with_threads(n: int, measure) -> float:
    tf.config.threading.set_intra_op_parallelism_threads(n)
    return measure()


def main() -> None:
    random = np.random.default_rng(0)
    product = tf.function(tf.matmul)
    for n in (32, 64, 128, 256, 512, 1024):
        x = tf.constant(random.normal(size=(n, n)).astype("float32"))
        one, two = (with_threads(t, lambda x=x: seconds(lambda: product(x, x))) for t in (1, 2))
        print(f"product of {n}: {one * 1e6:.1f} us on one thread, {one / two:.2f} times as fast on two")
    for n in (32, 128, 256):
        x = tf.constant(random.normal(size=(n, n)).astype("float32"))
        one, two = (with_threads(1, lambda c=c, x=x: at_once(lambda: product(x, x), c)) for c in (1, 2))
        print(f"callers of a product of {n}: {one * 1e6:.1f} us a call by one, {one / two:.2f} times as many by two")
    symmetric = [random.normal(size=(256, 256)) for _ in range(2)]
    a, b = (tf.constant((x @ x.T + 256 * np.eye(256)).astype("float32")) for x in symmetric)
    both = tf.function(lambda a, b: tf.linalg.cholesky(a) + tf.linalg.cholesky(b))
    one, two = (with_threads(t, lambda: seconds(lambda: both(a, b))) for t in (1, 2))
    print(f"two Cholesky factors: {one * 1e6:.1f} us on one thread, {one / two:.2f} times as fast on two")


if __name__ == "__main__":
    main()
