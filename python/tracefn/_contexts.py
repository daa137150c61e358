"""Contexts composed of the core's contexts, entered and left without running Python code in between.

A `with` statement over a Python context manager can be left unbalanced by a signal, which may arrive inside its
`__enter__` or `__exit__`. Here the Python part changes nothing: it returns the core's contexts to enter.
"""

from __future__ import annotations

import functools
from contextlib import ContextDecorator

from tracefn import _core


class Context(_core.ComposedContext, ContextDecorator):
    """What a function decorated by `context` returns; it may be entered several times, and decorate a function."""


def context(prepare):
    """A decorator that makes a context manager of a function.

    Args:
      prepare: called when the context is entered; changes nothing, and returns what `with ... as` binds, and the tuple of
        the core's contexts to enter.
    """

    @functools.wraps(prepare)
    def make(*args, **kwargs):
        return Context(prepare, args, kwargs)

    return make
