"""`tf.config.threading`: how many threads work on an op."""

from __future__ import annotations

import os
from operator import index as _index

from tracefn import _core
from tracefn._missing import getter as _getter

__all__ = [
    "get_inter_op_parallelism_threads",
    "get_intra_op_parallelism_threads",
    "set_inter_op_parallelism_threads",
    "set_intra_op_parallelism_threads",
]

_asked = {"inter": 0, "intra": 0}


def get_intra_op_parallelism_threads() -> int:
    """The number that was set; 0 when it was left to the system."""
    return _asked["intra"]


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets the number of threads that work on one op, the caller's included, from now on.

    Results do not depend on it. Before the import the environment variable TRACEFN_NUM_THREADS sets it.

    Args:
      num_threads: int; 0 leaves it to the system.

    Raises:
      ValueError: it is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.config.threading.set_intra_op_parallelism_threads(1)
      >>> tf.config.threading.get_intra_op_parallelism_threads()
      1
      >>> tf.config.threading.set_intra_op_parallelism_threads(0)
    """
    num_threads = _checked(num_threads)
    _core.set_num_threads(num_threads or os.cpu_count() or 1)
    _asked["intra"] = num_threads


def get_inter_op_parallelism_threads() -> int:
    """The number that was set; 0 when it was left to the system."""
    return _asked["inter"]


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Accepted and kept: the ops of a graph run in order, whatever it is.

    Raises:
      ValueError: it is negative.
    """
    _asked["inter"] = _checked(num_threads)


def _checked(num_threads: int) -> int:
    num_threads = _index(num_threads)
    if num_threads < 0:
        raise ValueError(f"The number of threads must not be negative; got {num_threads}.")
    return num_threads


__getattr__ = _getter("config.threading")
