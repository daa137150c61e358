"""Whether calls in converted code take what they call as it was written: inside tf.py_function and do_not_convert."""

from __future__ import annotations

import threading

from tracefn import _core


class _Thread(threading.local):
    plain = False


STATE = _Thread()


def as_plain_python(function):
    """The function, within which calls in converted code convert nothing and int, len and the like are Python's."""

    def call(*args, **kwargs):
        with _core.Setting(STATE, "plain", True):
            return function(*args, **kwargs)

    return call


def calls_converted():
    """A context in which calls are converted again: a trace that begins in plain Python."""
    return _core.Setting(STATE, "plain", False)
