"""Raises an exception at one instruction of a program, wherever Python lets a signal in.

The interpreter looks at signals behind a call, at the beginning of a function and at the end of a loop's body. A trace
function sees these instructions and may raise there, in the package's own frames and in those of the program, converted
code included.
"""

from __future__ import annotations

import dis
import sys
from functools import lru_cache

import tracefn

PACKAGE = tracefn.__file__.rpartition("/")[0] + "/"


class Injected(Exception):
    """What is raised, where it is not a KeyboardInterrupt."""


def _handler(code, offset: int):
    """What catches an exception raised by the instruction there; None: nothing in this function."""
    for entry in dis._parse_exception_table(code):
        if entry.start <= offset < entry.end:
            return entry.target
    return None


@lru_cache(None)
def _steps(code) -> frozenset:
    """The offsets of the instructions before which a signal may arrive.

    The interpreter raises as if the call behind which it looks had raised; a trace function raises as the instruction
    that follows. Where these two are caught differently (`return f()` inside of `with`) nothing is raised.
    """
    found, before, at = set(), "", 0
    for instruction in dis.get_instructions(code):
        offset = instruction.offset
        if before.startswith(("CALL", "JUMP_BACKWARD")) and _handler(code, at) == _handler(code, offset):
            found.add(offset)
        if instruction.opname not in ("CACHE", "PRECALL", "EXTENDED_ARG"):
            before, at = instruction.opname, offset
        if instruction.opname == "JUMP_BACKWARD" and _handler(code, offset) == _handler(code, instruction.argval):
            found.add(instruction.argval)
    return frozenset(found)


def _place(frame) -> tuple:
    code = frame.f_code
    return code.co_filename, code.co_qualname, code.co_firstlineno


class _Tracer:
    """A trace function for frames of the package and of some files."""

    def __init__(self, files, wanted=None, error=None) -> None:
        self._files = tuple(files)
        self._wanted = wanted  # (place, offset); None: only note what there is
        self._error = error
        self.seen: dict = {}  # (place, offset) -> None, in the order of the first visit
        self.raised = False

    def _step(self, place, offset: int) -> None:
        if self._wanted is None:
            self.seen[place, offset] = None
        elif self._wanted == (place, offset) and not self.raised:
            self.raised = True
            sys.settrace(None)
            raise self._error

    def __call__(self, frame, event, arg):
        name = frame.f_code.co_filename
        if event != "call" or not (name.startswith(PACKAGE) or name in self._files):
            return None
        place = _place(frame)
        if self._wanted is not None and self._wanted[0] != place:
            return None
        self._step(place, -1)
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
        steps = _steps(frame.f_code)

        def local(frame, event, arg):
            if event == "opcode" and frame.f_lasti in steps:
                self._step(place, frame.f_lasti)
            return local

        return local


def steps_of(program, files) -> list:
    """The instructions of a program where a signal may arrive, each once.

    Args:
      program: callable, run once.
      files: names of files besides the package's own.
    """
    tracer = _Tracer(files)
    sys.settrace(tracer)
    try:
        program()
    finally:
        sys.settrace(None)
    return list(tracer.seen)


def run_and_raise(program, files, step, error: BaseException) -> tuple:
    """Runs a program, and raises `error` at a step of it.

    Returns:
      (whether the step was reached, the exception that came out or None).
    """
    tracer = _Tracer(files, step, error)
    sys.settrace(tracer)
    try:
        program()
    except BaseException as raised:
        return tracer.raised, raised
    finally:
        sys.settrace(None)
    return tracer.raised, None
