"""What TensorFlow logs when a program drops a result that it should use: an assertion of a graph, or a write to an array."""

from __future__ import annotations

import opcode
import sys
import types

from tracefn._caller import is_of_package, path_in_package
from tracefn._logging import complain

_POP_TOP, _CACHE = opcode.opmap["POP_TOP"], opcode.opmap["CACHE"]


def is_dropped(frame: types.FrameType) -> bool:
    """Whether the call that a frame is in is a statement of its own, so that nothing gets its result."""
    code, at = frame.f_code.co_code, frame.f_lasti + 2
    while code[at] == _CACHE:
        at += 2
    return code[at] == _POP_TOP


def report_dropped(result, through: frozenset[str] = frozenset()) -> None:
    """Logs TensorFlow's error if the program drops what the caller is about to return.

    TensorFlow finds out when such a result is deleted without being used; here, the statement tells. A result that a
    variable gets is not reported.

    Args:
      result: the result.
      through: files of the package, relative to it, that only pass the result on. In others, it is theirs to use.
    """
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and is_of_package(frame):
        if path_in_package(frame) not in through:
            return
        frame = frame.f_back
    if frame is not None and is_dropped(frame):
        _complain(result, frame)


def _complain(result, frame: types.FrameType) -> None:
    import traceback  # start-up time: only what is logged needs it

    line = "=" * 34
    stack = "".join(entry.rstrip() for entry in traceback.format_stack(frame, limit=5))
    complain(
        f"{line}\nObject was never used (type {type(result)}):\n{result!r}\nIf you want to mark it as used call its "
        f'"mark_used()" method.\nIt was originally created here:\n{stack}\n{line}'
    )
