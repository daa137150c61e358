"""Exceptions that leave a trace, retold with the user's own frames (docs/tracing_rules.md, rule 191)."""

from __future__ import annotations

from tracefn.errors import OperatorNotAllowedInGraphError

_PACKAGE = __file__.rpartition("/_function/")[0] + "/"


class _Account:
    """What an exception is told from: the frames met so far, and the exception as it was raised."""

    __slots__ = ("frames", "original")

    def __init__(self, frames: list, original: Exception) -> None:
        self.frames = frames
        self.original = original


def _user_frames(traceback) -> list:
    """The (file, line, function name) of each frame that is not ours, outermost first."""
    frames: list = []
    last = None
    while traceback is not None:
        frame = traceback.tb_frame
        code = frame.f_code
        if not code.co_filename.startswith((_PACKAGE, "<frozen ")):
            # A part of an expression that AutoGraph evaluates later stands for the statement it is in, and an exception
            # that was replaced in a frame names that frame twice: the line closest to the error is the one to show.
            if frames and (code.co_varnames[:1] == ("ag__thunk",) or frame is last):
                frames.pop()
            frames.append((code.co_filename, traceback.tb_lineno, code))
            last = frame
        traceback = traceback.tb_next
    return frames


def _text(account: _Account) -> str:
    import linecache

    lines = ["in user code:", ""]
    for file, line, code in account.frames:
        lines.append(f'    File "{file}", line {line}, in {code.co_name}  *')
        source = linecache.getline(file, line).strip()
        if source:
            lines.append(f"        {source}")
    original = account.original
    told = f"{type(original).__name__}: {_worded(original)}".rstrip("\n").split("\n")
    told += _advice(account)
    return "\n".join([*lines, "", *(f"    {line}" if line else "" for line in told), ""])


def _advice(account: _Account) -> list[str]:
    """What to do where a tensor met Python control flow in a function that could not be converted."""
    if not isinstance(account.original, OperatorNotAllowedInGraphError):
        return []
    from tracefn.autograph.api import why_unconverted

    code = account.frames[-1][2]
    reason = why_unconverted(code)
    if reason is None:
        return []
    way_out = "Put the function in a file, or keep its text in linecache, or use tf.cond and tf.while_loop."
    return [f"AutoGraph left {code.co_name} as it is: {reason}. {way_out}"]


def _worded(original: Exception) -> str:
    """The exception's text; of an unbound variable as TensorFlow words it."""
    text = str(original)
    if isinstance(original, NameError) and text.startswith(("cannot access local variable", "cannot access free variable")):
        return f"'{original.name or text.split(chr(39))[1]}' is used before assignment"
    return text


def _retold(original: Exception, text: str) -> Exception:
    """An exception of the same type with another text; of a subclass where the type words its text itself, as KeyError."""
    kind = type(original)
    retold = kind.__new__(kind, text)
    retold.args = (text,)
    retold.__dict__.update(original.__dict__)
    if str(retold) == text:
        return retold
    own: type[Exception] = type(kind.__name__, (kind,), {"__str__": lambda self: text, "__module__": kind.__module__})
    retold = own.__new__(own, text)
    retold.args = original.args
    retold.__dict__.update(original.__dict__)
    return retold


def in_user_code(error: Exception) -> Exception:
    """The exception to raise instead of one that came out of a Python function while it was traced.

    Args:
      error: the exception, with its traceback.

    Returns:
      One of the same type whose text begins with `in user code:` and names the user's frames, the original being its
      cause; `error` itself where no frame of the user's is in its traceback. An error of an inner function that was
      retold already is told once, with the frames of both.
    """
    inner = error.__dict__.get("_tracefn_account")
    frames = _user_frames(error.__traceback__)
    if not frames:
        return error
    account = _Account(frames + inner.frames, inner.original) if inner else _Account(frames, error)
    retold = _retold(account.original, _text(account))
    retold.__dict__["_tracefn_account"] = account
    retold.__cause__ = account.original
    return retold
