"""The warning about frequent retracing (docs/tracing_rules.md, rules 55 and 56)."""

from __future__ import annotations

import threading
import weakref

from tracefn._logging import warn

_HISTORY = 10
_THRESHOLD = 5
_MAX_WARNINGS = 2


class _Detector:
    """Counts the calls of one code object between its latest traces."""

    __slots__ = ("calls", "per_trace", "warnings")

    def __init__(self) -> None:
        self.calls = 0
        self.per_trace: list[int] = []
        self.warnings = 0

    def called(self, n: int) -> None:
        if self.per_trace:
            self.per_trace[-1] += n
            self.calls += n

    def traced(self) -> tuple[int, int] | None:
        """Counts a call that traced; if a warning is due, returns how many of how many calls traced."""
        self.calls += 1
        self.per_trace.append(1)
        while self.per_trace and self.calls - self.per_trace[0] > _HISTORY:
            self.calls -= self.per_trace.pop(0)
        if self.warnings >= _MAX_WARNINGS or len(self.per_trace) < _THRESHOLD:
            return None
        self.warnings += 1
        return len(self.per_trace), self.calls


_lock = threading.Lock()
# By the code's address: code objects of two files can be equal except for the file.
_detectors: dict[int, tuple[weakref.ref, _Detector]] = {}


def _detector(code) -> _Detector:
    key = id(code)
    known = _detectors.get(key)
    if known is None or known[0]() is not code:

        def forget(dead) -> None:
            if key in _detectors and _detectors[key][0] is dead:
                del _detectors[key]

        known = _detectors[key] = (weakref.ref(code, forget), _Detector())
    return known[1]


def count_calls(code, n: int) -> None:
    """Counts `n` calls that found a trace."""
    with _lock:
        _detector(code).called(n)


def count_trace(code, function, why) -> None:
    """Counts a call that traced, and logs the warning if it is due.

    Args:
      code: the key of the count.
      function: the Python function.
      why: returns the reason for the trace, as part of a sentence.
    """
    with _lock:
        due = _detector(code).traced()
    if due is None:
        return
    traces, calls = due
    warn(
        f"{traces} out of the last {calls} calls to {function} ({why()}) triggered tf.function retracing. "
        "Tracing is expensive and the excessive number of tracings could be due to (1) creating @tf.function "
        "repeatedly in a loop, (2) passing tensors with different shapes, (3) passing Python objects instead of "
        "tensors. For (1), please define your @tf.function outside of the loop. For (2), @tf.function has "
        "reduce_retracing=True option that can avoid unnecessary retracing. For (3), please refer to "
        "https://www.tensorflow.org/guide/function#controlling_retracing and "
        "https://www.tensorflow.org/api_docs/python/tf/function for  more details."
    )
