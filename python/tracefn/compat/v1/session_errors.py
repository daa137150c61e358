"""Texts of what fails in a session: where the node was made, then what the node says."""

from __future__ import annotations

import re

_HEAD = "Graph execution error:\n\n"
_FRAMES = re.compile(
    re.escape(_HEAD) + r'Detected at node [^\n]+ defined at \(most recent call last\):\n'
    r'(?:  File "[^\n]*\n(?:    [^\n]*\n)?\n)*'
)
_FUNCTION = re.compile(r" \[Op:[^\]\n]*\]$")


def in_callable(message: str) -> str:
    """The text of an error of a callable: the node's own words."""
    frames = _FRAMES.match(message)
    return _FUNCTION.sub("", message[frames.end() :] if frames else message.removeprefix(_HEAD))


def in_session(message: str, operation=None) -> str:
    """The text of an error of a run.

    Args:
      message: what failed: the node's own words, or the text of a function's error, which says where the node was made.
      operation: the Operation of the session's graph that failed; None if it is not known: another graph holds it.
    """
    frames = _FRAMES.match(message)
    own = in_callable(message)
    if operation is None:
        return (frames[0] if frames else _HEAD) + own
    places = "".join(f'    File "{f.filename}", line {f.lineno}, in {f.name}\n' for f in operation.traceback)
    name = operation.name
    return f"{_HEAD}Detected at node '{name}' defined at (most recent call last):\n{places}Node: '{name}'\n{own}"
