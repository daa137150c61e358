"""The default session of a thread (tf.compat.v1.Session), for methods of tensors, Operations and Variables."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import Any


class _Thread(threading.local):
    """The sessions that are the default ones, innermost last; and what runs, with the time at which it must end."""

    def __init__(self) -> None:
        self.entered: list = []
        self.running: list[tuple] = []


_thread = _Thread()


def entered() -> list:
    """The default sessions of this thread, innermost last."""
    return _thread.entered


@contextmanager
def in_session(session, seconds: float | None):
    """A context in which a session runs part of its graph, for at most so many seconds."""
    end = None if seconds is None else time.monotonic() + seconds
    _thread.running.append((session, end))
    try:
        yield
    finally:
        _thread.running.pop()


def running() -> Any:
    """The session that runs in this thread, or None."""
    return _thread.running[-1][0] if _thread.running else None


def deadline() -> float | None:
    """The time (`time.monotonic()`) at which the run of this thread must end, or None."""
    return _thread.running[-1][1] if _thread.running else None


def session_for(session, what: str) -> Any:
    """The session given, or else the default one.

    Args:
      session: a session, or None.
      what: the beginning of the error's text.

    Raises:
      ValueError: there is none.
    """
    if session is not None:
        return session
    if _thread.entered:
        return _thread.entered[-1]
    method = "run" if "`run()`" in what else "eval"
    raise ValueError(
        f"{what}: No default session is registered. Use `with sess.as_default(){':' if method == 'run' else ''}` or pass an "
        f"explicit session to `{method}(session=sess)`"
    )
