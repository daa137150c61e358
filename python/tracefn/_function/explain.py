"""Why a function was traced: `Function.explain()` and what `tf.no_retrace` raises (docs/tracing_rules.md, C and D)."""

from __future__ import annotations

import threading

from tracefn import _core
from tracefn._contexts import context


class RetracingError(RuntimeError):
    """A call inside `with tf.no_retrace():` needed a new trace."""


class _Thread(threading.local):
    refused = 0


_thread = _Thread()


@context
def no_retrace():
    """A context in which a call that needs a new trace raises RetracingError with the reason.

    Example:
      >>> import tracefn as tf
      >>> f = tf.function(lambda x: x + 1)
      >>> _ = f(tf.constant(1))
      >>> with tf.no_retrace():
      ...     print(int(f(tf.constant(2))))
      3
    """
    return None, (_core.Setting(_thread, "refused", _thread.refused + 1),)


def tracing_is_refused() -> bool:
    """Whether this thread is inside `tf.no_retrace`."""
    return _thread.refused > 0


class Explanation:
    """Why one trace was made.

    Attributes:
      number: int, the number of the trace, counted from 0.
      function: str, the function's name.
      differences: list of Difference from the closest earlier trace; empty for the first.
      closest: int or None, the number of that trace.
      caller: str, "file:line" of the call.
      milliseconds: float, time spent tracing.
    """

    __slots__ = ("_max_traces", "caller", "closest", "differences", "function", "milliseconds", "number")

    def __init__(self, number: int, function: str, differences: list, closest, caller: str, milliseconds: float, max_traces) -> None:
        self.number = number
        self.function = function
        self.differences = differences
        self.closest = closest
        self.caller = caller
        self.milliseconds = milliseconds
        self._max_traces = max_traces

    def __str__(self) -> str:
        head = f"trace {self.number} of {self.function} at {self.caller} ({self.milliseconds:.2f} ms): "
        if self.closest is None:
            return head + "the first call (rule 12)."
        if not self.differences:
            return head + self._dropped()
        return head + f"against trace {self.closest}, " + "; ".join(map(str, self.differences))

    __repr__ = __str__

    def _dropped(self) -> str:
        return f"trace {self.closest} served such calls, and was dropped for others. Raise max_traces, which is {self._max_traces}."

    def briefly(self, is_method: bool) -> str:
        """Where the trace was made, why, and what to write instead, as part of a sentence."""
        if self.closest is None and is_method:
            return f"the last at {self.caller}, the first call for another instance: keep one instance, and call its method again"
        if self.closest is None:
            return f"the last at {self.caller}, the first call of a new tf.function: make it once, and call that one again"
        if not self.differences:
            return f"the last at {self.caller}: {self._dropped().rstrip('.')}"
        shown = self.differences[:_SHOWN]
        more = f", and {len(self.differences) - _SHOWN} more" if len(self.differences) > _SHOWN else ""
        told = "; ".join(difference.briefly() for difference in shown)
        fixes = " ".join(dict.fromkeys(difference.fix for difference in shown if difference.fix))
        return f"the last at {self.caller} for {told}{more}. {fixes}".rstrip(". ")


_SHOWN = 3  # differences in a warning


# The distance of two types by the rule that distinguishes them; others are farther apart.
_DISTANCE = {29: 1, 31: 1, 51: 2}


def explain(number: int, function: str, call, earlier, caller: str, milliseconds: float, options, made=None) -> Explanation:
    """Compares a call with the closest earlier trace.

    Args:
      number: int, the number of the trace that the call needs.
      function: str, the name of the function.
      call: CallKey of the call.
      earlier: records of earlier traces, with `number` and `key`.
      caller: str, "file:line".
      milliseconds: float, the time that tracing took.
      options: the Options of the Function.
      made: CallKey of the trace that was made for the call; None if none was made.
    """
    from tracefn._function.differences import differences  # start-up time: few programs ask why they are traced

    best, closest, least = [], None, 0
    for record in earlier:
        found = differences(record.key, call, made, bool(options.reduce_retracing))
        # Of equally close ones the latest: it is what the program did last.
        distance = sum(_DISTANCE.get(d.rule, 3) for d in found)
        if closest is None or distance <= least:
            best, closest, least = found, record.number, distance
    return Explanation(number, function, best, closest, caller, milliseconds, options.max_traces)
