"""Finds the line of the user's program that called into the package."""

from __future__ import annotations

import sys
import types

_PACKAGE = __file__.rpartition("/")[0] + "/"


def is_of_package(frame: types.FrameType) -> bool:
    """Whether a frame runs code of the package."""
    return frame.f_code.co_filename.startswith(_PACKAGE)


def path_in_package(frame: types.FrameType) -> str:
    """The path of the file of one of the package's frames, relative to it."""
    return frame.f_code.co_filename[len(_PACKAGE) :]


def frames_of_package() -> tuple[int, types.FrameType | None]:
    """The number of frames of the package, the caller's own included, above the user's program; and the program's frame, or
    None."""
    frame: types.FrameType | None = sys._getframe(1)
    count = 0
    while frame is not None and is_of_package(frame):
        frame = frame.f_back
        count += 1
    return count, frame


def caller_line() -> str:
    """ "file:line" of the innermost frame that is not the package's."""
    frame = frames_of_package()[1]
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
