"""What the traces of a Function depend on besides its arguments: where in a `tf.distribute` strategy the thread is.

The native fast path does not know of it, so it is off while any thread is somewhere special.
"""

from __future__ import annotations

import threading
from typing import Any

from tracefn import _core


class _FastPath:
    """Whether calls of Functions may take the native fast path: the program wants it, and no thread is somewhere special."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted = True
        self._special = 0

    def want(self, wanted: bool) -> None:
        with self._lock:
            self._wanted = wanted
            self._apply()

    def count(self, more: int) -> None:
        with self._lock:
            self._special += more
            self._apply()

    def _apply(self) -> None:
        _core.set_fast_path(self._wanted and self._special == 0)


_fast_path = _FastPath()
want_fast_path = _fast_path.want


class Special:
    """A context: this thread is where traces differ from those made elsewhere. `set_key_of_thread` gives the difference."""

    def __enter__(self) -> None:
        _fast_path.count(1)

    def __exit__(self, kind, value, traceback) -> None:
        _fast_path.count(-1)


def _nowhere() -> None:
    return None


class _Key:
    of_thread: Any = staticmethod(_nowhere)


def set_key_of_thread(function) -> None:
    """Sets the function that returns what tells the traces made here from others: hashable, None outside of strategies."""
    _Key.of_thread = staticmethod(function)


def trace_key():
    """What tells the traces made here and now from others; None outside of strategies."""
    return _Key.of_thread()
