"""Context managers composed of the core's contexts, which are entered and left without running Python code in between.

A signal that arrives inside `__enter__` or `__exit__` of a Python context manager can leave its state unbalanced. Here the
Python part changes no state: it returns the core's contexts to enter.
"""

from __future__ import annotations

import functools
from contextlib import ContextDecorator

from tracefn import _core


class Context(_core.ComposedContext, ContextDecorator):
    """The result of a function decorated with `context`. It can be entered several times, and can decorate a function."""


def context(prepare):
    """A decorator that turns a function into a context manager.

    Args:
      prepare: called when the context is entered. It changes no state, and returns the value for `with ... as` and the tuple
        of the core's contexts to enter.
    """

    @functools.wraps(prepare)
    def make(*args, **kwargs):
        return Context(prepare, args, kwargs)

    return make
