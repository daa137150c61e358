"""`tf.test`: unittest's TestCase with assertions about tensors, gradients by differences, benchmarks."""

from __future__ import annotations

import unittest

from tracefn._deprecated import leave_out as _leave_out
from tracefn._missing import getter as _getter
from tracefn.test import experimental
from tracefn.test._benchmark import Benchmark, benchmark_config
from tracefn.test._case import TestCase
from tracefn.test._gradients import compute_gradient
from tracefn.test._graphs import assert_equal_graph_def

__all__ = ["Benchmark", "TestCase", "assert_equal_graph_def", "benchmark_config", "compute_gradient",
           "disable_with_predicate", "experimental", "gpu_device_name", "is_built_with_cuda",
           "is_built_with_gpu_support", "is_built_with_rocm", "is_built_with_xla", "is_cpu_target_available",
           "is_gpu_available", "main", "with_eager_op_as_function"]  # fmt: skip


def main(argv=None) -> None:
    """Runs the tests of the main module.

    Args:
      argv: command line; None for that of the process.
    """
    unittest.main(argv=argv)


def disable_with_predicate(pred, skip_message):
    """A decorator that skips a test if a function, asked when the test runs, says so.

    Args:
      pred: callable without arguments; true to skip.
      skip_message: str, why.

    >>> class Case(tf.test.TestCase):
    ...     @tf.test.disable_with_predicate(lambda: True, "not today")
    ...     def test_nothing(self):
    ...         self.fail()
    >>> len(Case("test_nothing").run().skipped)
    1
    """

    def decorator(function):
        def decorated(self, *args, **kwargs):
            if pred():
                self.skipTest(skip_message)
            return function(self, *args, **kwargs)

        decorated.__name__, decorated.__doc__ = function.__name__, function.__doc__
        return decorated

    return decorator


def with_eager_op_as_function(cls=None, only_as_function=False):
    """The class itself, or a decorator that returns it: eager ops run in one way only."""
    del only_as_function
    return (lambda decorated: decorated) if cls is None else cls


def gpu_device_name() -> str:
    """The empty string: there are no GPUs."""
    return ""


def is_cpu_target_available(target) -> bool:
    """True: code runs on the CPU that is there, whichever it is."""
    del target
    return True


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability=None) -> bool:
    """False: GPUs are not supported."""
    return False


def is_built_with_cuda() -> bool:
    """False: CUDA is not supported."""
    return False


def is_built_with_rocm() -> bool:
    """False: ROCm is not supported."""
    return False


def is_built_with_gpu_support() -> bool:
    """False: GPUs are not supported."""
    return False


def is_built_with_xla() -> bool:
    """False: XLA is not supported."""
    return False


__getattr__ = _getter("test")
_leave_out(globals(), "test")
