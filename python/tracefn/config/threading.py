"""`tf.config.threading`: the number of threads that work on an op."""

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
    """The number that was set; 0 if the system chooses it."""
    return _asked["intra"]


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets the number of threads that work on one op, including the calling thread.

    Results do not depend on it. The environment variable TRACEFN_NUM_THREADS sets the initial number.

    Args:
      num_threads: int; 0 lets the system choose.

    Raises:
      ValueError: `num_threads` is negative.

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
    """The number that was set; 0 if the system chooses it."""
    return _asked["inter"]


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Stores the number, without effect: the ops of a graph always run in order.

    Raises:
      ValueError: the number is negative.
    """
    _asked["inter"] = _checked(num_threads)


def _checked(num_threads: int) -> int:
    num_threads = _index(num_threads)
    if num_threads < 0:
        raise ValueError(f"The number of threads must not be negative; got {num_threads}.")
    return num_threads


__getattr__ = _getter("config.threading")
