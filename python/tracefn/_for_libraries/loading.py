"""`tf.__internal__.load_context`: the options with which a library loads a model."""

from __future__ import annotations

import contextlib
import contextvars

__all__ = ["get_load_options", "load_context"]
_options: contextvars.ContextVar = contextvars.ContextVar("options", default=None)


@contextlib.contextmanager
def load_context(load_options):
    """A context in which `get_load_options()` is these options.

    Example:
      >>> import tracefn as tf
      >>> with tf.__internal__.load_context(None):
      ...     pass
    """
    token = _options.set(load_options)
    try:
        yield
    finally:
        _options.reset(token)


def get_load_options():
    """The options of the innermost `load_context`; None outside of one."""
    return _options.get()
