"""Shows exceptions that leave a trace with the user's own frames (docs/tracing_rules.md, rule 191)."""

from __future__ import annotations

import linecache
import sys
import types

from tracefn import _core
from tracefn._advice.errors import on_entries
from tracefn._user_code import frames
from tracefn.errors import OpError


def _text(entries, lines: list[str]) -> str:
    shown = frames.without_repetitions(entries)
    told = []
    for entry in shown.entries:
        file, line, name = frames.place(entry)
        told.append(f'    File "{file}", line {line}, in {name}  *')
        source = linecache.getline(file, line, entry.tb_frame.f_globals).strip()
        if source:
            told.append(f"        {source}")
    if shown.left_out:
        told.append(f"    [and {shown.left_out} more frames: these lines again and again, and what they call]")
    return "\n".join(["in user code:", "", *told, "", *(f"    {line}" if line else "" for line in lines)])


def _lines_of(error: Exception, entries) -> list[str]:
    """Advice, type and text of an exception raised in the user's functions.

    The text is last, as in TensorFlow, because programs read the last line of such an error.
    """
    return on_entries(error, entries) + f"{type(error).__name__}: {_worded(error)}".rstrip().split("\n")


def _worded(error: Exception) -> str:
    """The text of the exception; for an unbound variable, TensorFlow's text."""
    text = str(error)
    if isinstance(error, NameError) and text.startswith(("cannot access local variable", "cannot access free variable")):
        return f"'{error.name or text.split(chr(39))[1]}' is used before assignment"
    return text


class _Told:
    """Overrides the text of exception classes that format it themselves."""

    _tracefn_text = ""

    def __str__(self) -> str:
        return self._tracefn_text

    def __reduce__(self):
        kind = type(self).__mro__[2]
        return _told_anew, (kind, *_arguments_and_state(self, kind))


def _arguments_and_state(error, kind) -> tuple:
    """The constructor arguments of such an exception, and the attributes set afterwards."""
    if isinstance(kind.__reduce__, types.FunctionType):
        return error.args, error.__dict__
    _, args, *state = kind.__reduce__(error)
    return args, state[0] if state else {}


def _told_anew(kind, args, state):
    """An exception of a subclass of `kind` with another text."""
    own = type(kind.__name__, (_Told, kind), {"__module__": kind.__module__, "__qualname__": kind.__qualname__})
    told = own.__new__(own, *args)
    native = next(base for base in kind.__mro__ if not isinstance(base.__init__, types.FunctionType))
    native.__init__(told, *args)  # sets attributes that are not Python's, such as errno
    told.__setstate__(state)
    return told


def _reworded(error: Exception, text: str) -> bool:
    """Replaces the text of the exception, if its class allows it and it can still be unpickled; returns whether it did."""
    if isinstance(error, _Told):
        error._tracefn_text = text
    elif isinstance(error, OpError) and error.op is None:
        error._message = text
    elif isinstance(error, StopIteration):
        return False  # the argument is its value
    elif len(error.args) == 1 or not isinstance(type(error).__init__, types.FunctionType):
        args = error.args
        error.args = (text,)
        if str(error) != text:
            error.args = args
    return str(error) == text


def _retold(error: Exception, text: str) -> Exception:
    """The exception with another text: the same object if its text can be replaced, else one of a subclass."""
    if _reworded(error, text):
        return error
    args, state = _arguments_and_state(error, type(error))
    told = _told_anew(type(error), args, {**state, "_tracefn_text": text})
    told.__context__, told.__cause__ = error.__context__, error.__cause__
    told.__suppress_context__ = error.__suppress_context__
    return told.with_traceback(error.__traceback__)


def in_user_code(error: Exception, outermost: bool) -> Exception:
    """The exception to raise in place of one that a Python function raised while it was traced.

    Args:
      error: the exception, which the caller has caught.
      outermost: whether this is the outermost trace of the thread.

    Returns:
      `error` with a new text or, if its class computes the text, an exception of a subclass with the same arguments and
      attributes. The text begins with `in user code:` and names the user's frames. The traceback has only these frames;
      once the exception leaves the outermost trace, only those that fit on a screen with the text. An error that an inner
      trace has already reworded gets one text with the frames of both. `error` is unchanged if no frame is the user's.
    """
    entries = frames.user_entries(error.__traceback__, sys._getframe(1))
    if not entries:
        return error
    if isinstance(error, RecursionError):
        error.__suppress_context__ = True  # runs again at each level on the way out
    # What it says apart from its frames, and the text that this was told in.
    lines, told_before = error.__dict__.get("_tracefn_told", ([], None))
    if str(error) != told_before:
        lines = _lines_of(error, entries)
    text = _text(entries, lines)
    told = _retold(error, text)
    told.__dict__["_tracefn_told"] = (lines, text)
    if _core.traceback_filtering():
        shown = frames.without_repetitions(entries).entries
        told.__traceback__ = frames.linked(frames.fitting(shown, text) if outermost else entries)
    return told


def advised(error: Exception, autograph: bool = False) -> None:
    """Appends advice to the text of an exception that otherwise leaves a trace unchanged.

    Args:
      error: the exception.
      autograph: whether the Function was to be converted.
    """
    entries = frames.user_entries(error.__traceback__, sys._getframe(1))
    lines = on_entries(error, entries, autograph=autograph)
    if lines and len(error.args) == 1 and isinstance(error.args[0], str) and str(error) == error.args[0]:
        error.args = ("\n".join([error.args[0], *lines]),)
        error.__dict__["_tracefn_advised"] = True
