"""Side-by-side timing of contenders in one run: alternated, medians, with the spread."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

# After this many seconds of a contender in a row, and at least three rounds, it is timed no further.
BUDGET = 1.5


def per_call(function, number: int) -> float:
    """Seconds per call over `number` calls in a row."""
    start = time.perf_counter()
    for _ in range(number):
        function()
    return (time.perf_counter() - start) / number


def alternate(
    contenders: dict[str, Callable[[int], float]], first: dict[str, float], rounds: int = 7, seconds: float = 0.05
) -> dict:
    """Times contenders in turns.

    Args:
      contenders: name -> callable that evaluates n times and returns the seconds of one evaluation; warmed up already.
      first: name -> seconds that one evaluation took when it was warmed up; how many make up a round follows from it.
      rounds: int, how often each is timed. One whose evaluations are long is timed fewer times, at least three, and
        once if a single one takes more than three times the budget.
      seconds: how long one timing of one contender lasts.

    Returns:
      dict: name -> (median, spread) in seconds per evaluation; the spread is half the interquartile range.
    """
    # The first evaluation may have traced and compiled: the number is taken from a short timing where that is cheap.
    estimate = {name: f(3) if first[name] < BUDGET else first[name] for name, f in contenders.items()}
    numbers = {name: max(1, int(seconds / max(estimate[name], 1e-9))) for name in contenders}
    wanted = {}
    for name, each in estimate.items():
        possible = int(BUDGET / max(each * numbers[name], 1e-9))
        wanted[name] = 1 if each > 3 * BUDGET else min(rounds, max(3, possible))
    times: dict = {name: [] for name in contenders}
    for turn in range(rounds):
        for name, function in contenders.items():
            if turn < wanted[name]:
                times[name].append(function(numbers[name]))
    return {name: (statistics.median(values), spread(values)) for name, values in times.items()}


def spread(values: list[float]) -> float:
    """Half the interquartile range."""
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / 2


def race(contenders: dict, rounds: int = 7, seconds: float = 0.05) -> dict:
    """Times callables without arguments against each other in this process; see alternate()."""

    def timed(function):
        return lambda number: per_call(function, number)

    return alternate(
        {name: timed(f) for name, f in contenders.items()},
        {name: per_call(f, 1) for name, f in contenders.items()},
        rounds,
        seconds,
    )


def text(seconds: float) -> str:
    """A duration with a fitting unit."""
    for factor, unit in ((1e9, "ns"), (1e6, "us"), (1e3, "ms")):
        if seconds * factor < 1000:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"
