"""`tf.test.Benchmark`: how long parts of a graph take."""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from tracefn import nest
from tracefn.framework import is_tensor


class Benchmark:
    """The base class of classes with methods `benchmark...`.

    >>> class Mine(tf.test.Benchmark):
    ...     def benchmark_nothing(self):
    ...         return self.evaluate(tf.constant(1))
    >>> int(Mine().benchmark_nothing()), Mine.is_abstract(), tf.test.Benchmark.is_abstract()
    (1, False, True)
    """

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether it is `Benchmark` itself."""
        return cls is Benchmark

    def evaluate(self, tensors):
        """A nest of tensors as NumPy arrays and scalars."""
        return nest.map_structure(lambda value: value.numpy() if is_tensor(value) else value, tensors)

    def report_benchmark(self, iters=None, cpu_time=None, wall_time=None, throughput=None, extras=None, name=None,
                         metrics=None) -> None:  # fmt: skip
        """Writes one result to standard output, as a line of JSON.

        Args:
          iters: int, how often it ran.
          cpu_time, wall_time: seconds for one.
          throughput: MB per second.
          extras: dict of further numbers and texts.
          name: str; None for the name of the calling method.
          metrics: list of dicts with `name`, `value` and, if known, `min_value` and `max_value`.
        """
        method = name or sys._getframe(1).f_code.co_name
        told = {"name": f"{type(self).__name__}.{method}", "iters": iters, "cpu_time": cpu_time, "wall_time": wall_time,
                "throughput": throughput, "extras": extras, "metrics": metrics}  # fmt: skip
        print(json.dumps({key: value for key, value in told.items() if value is not None}))

    def run_op_benchmark(self, sess, op_or_tensor, feed_dict=None, burn_iters=2, min_iters=10, store_trace=False,
                         store_memory_usage=True, name=None, extras=None, mbs=0) -> dict:  # fmt: skip
        """Runs an op of a graph in a session several times and reports the median.

        Args:
          sess: tf.compat.v1.Session.
          op_or_tensor: what is run.
          feed_dict: what is fed.
          burn_iters: int, how often it runs before.
          min_iters: int, how often it runs.
          store_trace, store_memory_usage: accepted, without effect.
          name: str; None for the name of the calling method.
          extras: dict of further results.
          mbs: MB that are processed, for the throughput.

        Returns:
          Dict of what is reported: `iters`, `wall_time` (median, in seconds), `extras`, `throughput`.
        """
        del store_trace, store_memory_usage
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        seconds = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            seconds.append(time.perf_counter() - start)
        median = float(np.median(seconds)) if seconds else -1.0
        told = {"iters": min_iters, "wall_time": median, "extras": {
            **(extras or {}), "wall_time_mean": float(np.mean(seconds)) if seconds else -1.0,
            "wall_time_stdev": float(np.std(seconds)) if seconds else -1.0},
            "throughput": mbs / median if median > 0 else 0.0}  # fmt: skip
        self.report_benchmark(name=name or sys._getframe(1).f_code.co_name, **told)
        return {"name": name, **told}


def benchmark_config() -> None:
    """None: sessions have no configuration."""
