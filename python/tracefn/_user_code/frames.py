"""The user's frames in a traceback: which they are, which ones a message names, and how many a traceback shows."""

from __future__ import annotations

import sys
import types
from collections import Counter
from typing import NamedTuple

_PACKAGE = __file__.rpartition("/_user_code/")[0] + "/"
_INSTALLED = ("/site-packages/", "/dist-packages/")
# The most lines of a terminal that an uncaught error fills.
_MOST_LINES = 12
# A line that is on the stack more often than this is recursive.
_MOST_TIMES = 4


class _Calls:
    """Separates the frames of calls that a running frame made from those of earlier calls, which stay in the traceback of an
    exception that is raised again."""

    def __init__(self, root) -> None:
        self._inside = {root}
        self._outside = set()
        while root.f_back is not None:
            root = root.f_back
            self._outside.add(root)

    def has(self, frame) -> bool:
        """Whether the frame belongs to such a call. Also true if that is unknown, as with generators."""
        chain: list = []
        while frame is not None and frame not in self._inside:
            if frame in self._outside:
                self._outside.update(chain)
                return False
            chain.append(frame)
            frame = frame.f_back
        self._inside.update(chain)
        return True


def user_entries(traceback, root) -> list:
    """The entries of a traceback outside of this package, outermost first.

    Args:
      traceback: of an exception that the frame `root` has caught; entries of calls that other frames made are dropped.
    """
    entries: list = []
    calls = _Calls(root)
    while traceback is not None:
        frame = traceback.tb_frame
        code = frame.f_code
        if not code.co_filename.startswith((_PACKAGE, "<frozen ")) and calls.has(frame):
            # A part of an expression that AutoGraph evaluates later stands for the statement it is in, and an exception
            # that was replaced in a frame names that frame twice: the line closest to the error is the one to show.
            if entries and (code.co_varnames[:1] == ("ag__thunk",) or frame is entries[-1].tb_frame):
                entries.pop()
            entries.append(traceback)
        traceback = traceback.tb_next
    return entries


def line_of(entry) -> int:
    """The line of an entry; if its instruction has none, that of the instruction before.

    Python gives no line to the backward jump of a loop that ends with a `with` statement, as converted loops do. That jump
    is where it runs signal handlers.
    """
    if entry.tb_lineno is not None:
        return entry.tb_lineno
    code = entry.tb_frame.f_code
    before = [line for start, _, line in code.co_lines() if line is not None and start <= entry.tb_lasti]
    return before[-1] if before else code.co_firstlineno


def place(entry) -> tuple[str, int, str]:
    """The file, line and function of an entry."""
    code = entry.tb_frame.f_code
    return code.co_filename, line_of(entry), code.co_name


class Shown(NamedTuple):
    """The entries to show, and how many were omitted after them."""

    entries: list
    left_out: int


def without_repetitions(entries) -> Shown:
    """All entries; of a recursion, only the entries that lead to it and its first round."""
    places = [place(entry) for entry in entries]
    often = {known for known, times in Counter(places).items() if times > _MOST_TIMES}
    if not often:
        return Shown(entries, 0)
    first = next(i for i, known in enumerate(places) if known in often)
    end = next((i for i in range(first + 1, len(places)) if places[i] in places[first:i]), len(places))
    shown = entries[max(first - 1, 0) : min(end, first + 2)]
    return Shown(shown, len(entries) - len(shown))


def linked(entries):
    """A traceback made of these entries; None if there are none."""
    traceback = None
    for entry in reversed(entries):
        traceback = types.TracebackType(traceback, entry.tb_frame, entry.tb_lasti, line_of(entry))
    return traceback


def _lines(traceback) -> int:
    from traceback import format_tb  # start-up time: only errors need it

    return sum(bool(line.strip()) for text in format_tb(traceback) for line in text.splitlines())


def is_installed(file: str) -> bool:
    """Whether a file belongs to another package that is installed: nobody edits it."""
    return any(folder in file for folder in _INSTALLED) and not file.startswith(_PACKAGE)


def _runs_programs(file: str) -> bool:
    """Whether a file belongs to an installed program or a debugger: a test runner, a notebook, pdb."""
    return is_installed(file) or file.endswith("/bdb.py")


def _lines_outside() -> int | None:
    """The number of lines that a traceback shows for the user's frames outside of this package if nobody catches the error;
    None if another program, which has its own way to show errors, runs the user's."""
    lines = 0
    inside = True  # of the user's program
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if _runs_programs(code.co_filename):
            return None
        if inside and not code.co_filename.startswith((_PACKAGE, "<frozen ")):
            lines += _lines(types.TracebackType(None, frame, frame.f_lasti, frame.f_lineno))
            inside = code.co_name != "<module>" or frame.f_globals.get("__name__") != "__main__"
        frame = frame.f_back
    return lines


def fitting(entries, text: str) -> list:
    """The innermost of these entries, as many as fit on a screen with an error whose text names them."""
    outside = _lines_outside()
    if outside is None:
        return entries
    title = 1
    left = _MOST_LINES - title - sum(bool(line.strip()) for line in text.splitlines()) - outside
    for i, entry in reversed(list(enumerate(entries))):
        left -= _lines(linked([entry]))
        if left < 0:
            return entries[i + 1 :]
    return entries
