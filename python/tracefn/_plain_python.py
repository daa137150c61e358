"""Whether calls in converted code take what they call as it was written: inside tf.py_function and do_not_convert."""

from __future__ import annotations

import threading


class _Depth(threading.local):
    depth = 0


STATE = _Depth()


def as_plain_python(function):
    """The function, within which calls in converted code convert nothing and int, len and the like are Python's."""

    def call(*args, **kwargs):
        STATE.depth += 1
        try:
            return function(*args, **kwargs)
        finally:
            STATE.depth -= 1

    return call


class Converted:
    """Context in which calls are converted again: a trace that begins in plain Python."""

    def __enter__(self) -> None:
        self._outer, STATE.depth = STATE.depth, 0

    def __exit__(self, *_) -> None:
        STATE.depth = self._outer
