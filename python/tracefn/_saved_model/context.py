"""Whether a model is being saved in this thread, and with which options."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any


class _Saving(threading.local):
    is_on = False
    options: Any = None


_saving = _Saving()


@contextlib.contextmanager
def save_context(options) -> Iterator[None]:
    """A context in which a model is saved; saving a model enters it.

    Args:
      options: tf.saved_model.SaveOptions.

    Raises:
      ValueError: it is entered already.
    """
    if _saving.is_on:
        raise ValueError("Already in a SaveContext.")
    _saving.is_on, _saving.options = True, options
    try:
        yield
    finally:
        _saving.is_on, _saving.options = False, None


def in_save_context() -> bool:
    """Whether a model is being saved in this thread."""
    return _saving.is_on


def get_save_options():
    """The tf.saved_model.SaveOptions of the model that is being saved.

    Raises:
      ValueError: none is.
    """
    if not _saving.is_on:
        raise ValueError("Not in a SaveContext.")
    return _saving.options
