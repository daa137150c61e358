"""How long does AutoGraph take to convert a function of 30 lines, and what does a Python condition cost more in converted
code? `python benchmarks/convert.py`"""

from __future__ import annotations

import types
from functools import partial

from _timing import race, text
from tracefn.autograph.api import converted
from tracefn.autograph.convert import convert_code


def thirty_lines(x, n, flag=None):
    total = 0
    count = 0
    best = x
    for i in range(n):
        if i % 3 == 0:
            continue
        if x > i and flag is not None:
            total += i * x
            best = max(best, total)
        elif x < -i or not flag:
            total -= i
        else:
            break
    values = [v * 2 for v in (1, 2, 3) if v > 1]
    while total > 100:
        total = total // 2
        count += 1
        if count > 10:
            break
    result = max(len(values), count)
    for row, weight in zip(values, [0.5, 0.25], strict=True):
        if 0 < row < 10:
            result = result + int(row * weight)
    if result == 0:
        return total
    assert count < 1000, "too many"
    found = {"k": result, "best": best}
    found["k"] += 1
    return result + found["k"]


def convert() -> None:
    # Code that is not known yet: conversion is done once for each code object.
    convert_code(types.FunctionType(thirty_lines.__code__.replace(co_name="thirty_lines"), globals()))


def conditions(n, low, high):
    found = 0
    for _ in range(n):
        if low < high:
            found = 1
        if high < low:
            found = 2
        if low:
            found = 3
        if not low:
            found = 4
    return found


def condition_costs() -> tuple[float, float]:
    """Seconds per condition: Python's and converted, the best of many runs."""
    count = 5000
    timed = race({"python": lambda: conditions(count, 1, 2), "converted": partial(converted(conditions), count, 1, 2)})
    return tuple(timed[name][0] / count / 4 for name in ("python", "converted"))


if __name__ == "__main__":
    convert()
    median, spread = race({"convert": convert})["convert"]
    print(f"converting a function of 30 lines: {text(median)} ± {text(spread)}")
    plain, staged = condition_costs()
    print(f"a Python condition: {text(plain)}, converted {text(staged)}")
