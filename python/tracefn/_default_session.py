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


def session_for(session, what: str, graph=None) -> Any:
    """The session given, or else the default one.

    Args:
      session: a session, or None.
      what: the beginning of the error's text.
      graph: the graph of what is to run; None: any.

    Raises:
      ValueError: there is none, or it has another graph.
    """
    method = "run" if "`run()`" in what else "eval"
    found = session if session is not None else _thread.entered[-1] if _thread.entered else None
    if found is not None:
        if graph is not None and found.graph is not graph:
            raise ValueError(_of_another_graph("default" if session is None else "given", method))
        return found
    raise ValueError(
        f"{what}: No default session is registered. Use `with sess.as_default(){':' if method == 'run' else ''}` or pass an "
        f"explicit session to `{method}(session=sess)`"
    )


def _of_another_graph(which: str, method: str) -> str:
    does, kind = ("execute", "operation") if method == "run" else ("evaluate", "tensor")
    call = "run(session=sess)" if method == "run" else "`eval(session=sess)`"
    advice = f" Pass an explicit session to {call}." if which == "default" else ""
    return f"Cannot use the {which} session to {does} {kind}: the {kind}'s graph is different from the session's graph.{advice}"
