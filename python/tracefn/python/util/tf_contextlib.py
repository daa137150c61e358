"""`tensorflow.python.util.tf_contextlib`: context managers from generators, whose function can be found again."""

from __future__ import annotations

import contextlib

from tracefn._decorators import make_decorator

__all__ = ["contextmanager"]


def contextmanager(target):
    """`contextlib.contextmanager` that remembers what it decorates.

    Example:
      >>> from tracefn.python.util import tf_contextlib, tf_decorator
      >>> @tf_contextlib.contextmanager
      ... def seven():
      ...     yield 7
      >>> with seven() as x:
      ...     print(x, tf_decorator.unwrap(seven)[0][0].decorator_name)
      7 contextmanager
    """
    return make_decorator(target, contextlib.contextmanager(target), "contextmanager")
