"""Side-by-side timing of contenders in one run: alternated, medians, with the spread."""

from __future__ import annotations

import statistics
import time


def per_call(function, number: int) -> float:
    """Seconds per call over `number` calls in a row."""
    start = time.perf_counter()
    for _ in range(number):
        function()
    return (time.perf_counter() - start) / number


def race(contenders: dict, rounds: int = 7, seconds: float = 0.05) -> dict:
    """Times callables against each other.

    Args:
      contenders: name -> callable without arguments, warmed up already.
      rounds: int, how often each is timed; they take turns.
      seconds: how long one timing of one contender lasts.

    Returns:
      dict: name -> (median, spread) in seconds per call; the spread is half the interquartile range.
    """
    numbers = {name: max(1, int(seconds / max(per_call(f, 3), 1e-9))) for name, f in contenders.items()}
    times: dict = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, function in contenders.items():
            times[name].append(per_call(function, numbers[name]))
    result = {}
    for name, values in times.items():
        low, _, high = statistics.quantiles(values, n=4)
        result[name] = (statistics.median(values), (high - low) / 2)
    return result


def text(seconds: float) -> str:
    """A duration with a fitting unit."""
    for factor, unit in ((1e9, "ns"), (1e6, "us"), (1e3, "ms")):
        if seconds * factor < 1000:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"
