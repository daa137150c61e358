"""The default session of a thread (tf.compat.v1.Session), for methods of tensors, Operations and Variables."""

from __future__ import annotations

import threading
from typing import Any


class _Thread(threading.local):
    """The sessions that are the default ones, innermost last."""

    def __init__(self) -> None:
        self.entered: list = []


_thread = _Thread()


def entered() -> list:
    """The default sessions of this thread, innermost last."""
    return _thread.entered


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
