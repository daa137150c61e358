"""Warnings about valid but rarely intended uses of tapes; each is logged only a few times."""

from __future__ import annotations

from tracefn._logging import warn

_given: dict[str, int] = {}


def _first_times(text: str, times: int) -> None:
    count = _given.get(text, 0)
    if count < times:
        _given[text] = count + 1
        warn(text)


def warn_not_floating(what: str, dtype) -> None:
    """Warns that `what` has a dtype that is not differentiable."""
    _first_times(f"The dtype of the {what} must be floating (e.g. tf.float32), got {dtype!r}", 5)


def warn_persistent_inside() -> None:
    """Warns that a persistent tape is used inside its own context."""
    _first_times(
        "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient than "
        "calling it outside the context (it causes the gradient ops to be recorded on the tape, leading to increased CPU "
        "and memory usage). Only call GradientTape.gradient inside the context if you actually want to trace the gradient "
        "in order to compute higher order derivatives.",
        1,
    )
