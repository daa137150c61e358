"""Functions that call themselves without end while they are traced."""

from __future__ import annotations

import ast

from tracefn import _core
from tracefn._user_code.place import Place

LEAST = 3  # calls of one function inside of each other that are told of


def endless(frames) -> list[str]:
    """What is said of a RecursionError.

    Args:
      frames: the (frame, instruction, line) of the user's functions on the way to it, outermost first.
    """
    counts: dict = {}
    for frame, _, _ in frames:
        counts[frame.f_code] = counts.get(frame.f_code, 0) + 1
    # Of functions that call each other the first.
    code = max(counts, key=lambda c: counts[c]) if counts else None
    if code is None or counts[code] < LEAST:
        return []
    return told(*next(found for found in frames if found[0].f_code is code))


def told(frame, instruction: int, line: int) -> list[str]:
    """What is said of a function that is called again from a frame."""
    place = Place(frame, instruction, line)
    name = frame.f_code.co_name
    calls = f"{name} calls itself, on line {line}: `{place.text_of(line)}`."
    test = _tensor_test(place)
    if test is None:
        return [f"{calls} What ends that must be a condition that Python knows while the function is traced."]
    return [
        f"{calls} What should end that, `{place.segment(test)}`, is a tensor: both of its branches are traced, the one that calls too.",
        f"Use a loop (`while`, which becomes one of the graph), or give {name} a Python number instead of the tensor.",
    ]


def _tensor_test(place: Place):
    """The condition around the call that is a tensor, or None."""
    node = place.expression()
    while node is not None and place.function is not None:
        parent = place.parent(node)
        if isinstance(parent, (ast.If, ast.IfExp)) and _is_tensor(place, parent.test):
            return parent.test
        node = parent
    # An if that returns before: what follows it is its other branch.
    for statement in place.nodes(ast.If):
        if statement.lineno < place.line and _is_tensor(place, statement.test):
            return statement.test
    return None


def _is_tensor(place: Place, test) -> bool:
    return any(isinstance(place.value(n), _core.Tensor) for n in ast.walk(test) if isinstance(n, (ast.Name, ast.Attribute)))
