"""Advice on unbounded recursion while tracing."""

from __future__ import annotations

import ast

from tracefn import _core
from tracefn._user_code.place import Place

LEAST = 3  # nested calls of one function before it is reported


def endless(frames) -> list[str]:
    """The advice on a RecursionError.

    Args:
      frames: the (frame, instruction, line) of the user's functions in its traceback, outermost first.
    """
    counts: dict = {}
    for frame, _, _ in frames:
        counts[frame.f_code] = counts.get(frame.f_code, 0) + 1
    # The first of mutually recursive functions.
    code = max(counts, key=lambda c: counts[c]) if counts else None
    if code is None or counts[code] < LEAST:
        return []
    return told(*next(found for found in frames if found[0].f_code is code))


def told(frame, instruction: int, line: int) -> list[str]:
    """The advice on a function that calls itself, from one of its frames."""
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
    """The tensor condition around the call, or None."""
    node = place.expression()
    while node is not None and place.function is not None:
        parent = place.parent(node)
        if isinstance(parent, (ast.If, ast.IfExp)) and _is_tensor(place, parent.test):
            return parent.test
        node = parent
    # An earlier if that returns: what follows it is its other branch.
    for statement in place.nodes(ast.If):
        if statement.lineno < place.line and _is_tensor(place, statement.test):
            return statement.test
    return None


def _is_tensor(place: Place, test) -> bool:
    return any(isinstance(place.value(n), _core.Tensor) for n in ast.walk(test) if isinstance(n, (ast.Name, ast.Attribute)))
