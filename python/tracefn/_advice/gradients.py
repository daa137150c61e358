"""Why a gradient is None: keeps the tape's reasons for the message of the op that receives the None."""

from __future__ import annotations

import ast
import sys
import threading
import types
import weakref

from tracefn import _core
from tracefn._user_code import edits
from tracefn._user_code.place import Place, unknown
from tracefn.dtypes import as_dtype

_PACKAGE = __file__.rpartition("/_advice/")[0] + "/"


class _Missing:
    """One source without a gradient."""

    __slots__ = ("kind", "source", "what")

    def __init__(self, source, kind: str, what: str) -> None:
        self.source = weakref.ref(source)
        self.kind = kind
        self.what = what


class _Thread(threading.local):
    code: types.CodeType | None = None  # of the function that last asked for gradients that were None
    line = 0
    count = 0  # of sources
    missing: tuple = ()


_thread = _Thread()


def note(tape, target, sources: list, gradients: list) -> None:
    """Records why gradients are None, for this thread, until the next call.

    Args:
      tape: the `_core.Tape`.
      target: tensor, or list of tensors.
      sources: tensors and Variables.
      gradients: one each, or None.
    """
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None:
        return
    _thread.code, _thread.line, _thread.count = frame.f_code, frame.f_lineno, len(sources)
    targets = target if isinstance(target, list) else [target]
    reached = any(tape.tracks(t) for t in targets)
    _thread.missing = tuple(
        _Missing(source, *_why(tape, source, reached))
        for source, gradient in zip(sources, gradients, strict=True)
        if gradient is None
    )


def _why(tape, source, reached: bool) -> tuple[str, str]:
    """(the kind of the reason, the reason)."""
    dtype = as_dtype(source.dtype)  # that of Keras's variables is a name
    if not (dtype.is_floating or dtype.is_complex):
        return "dtype", f"it is {dtype.name}, and gradients are of floats only"
    if isinstance(source, _core.Tensor):
        if not tape.tracks(source):
            return "unwatched", "the tape does not watch it"
    elif not tape.tracks(source.handle):
        if not source.trainable:
            return "unwatched", "it is not trainable, so that the tape watches it only when told to"
        return "unread", "the tape has not seen it read"
    if not reached:
        return "target", "the target was not computed from what the tape watches, by ops with gradients, while it recorded"
    return "unconnected", "the target does not depend on it by ops with gradients"


def why_none(place: Place, operand) -> list[str]:
    """The reason why an operand that may be a gradient is None, and the fix if there is one.

    Only gradients that this same function asked a tape for are considered.
    """
    if _thread.code is not place.code or not _thread.missing:
        return []
    missing = _the_one(place, operand)
    if missing is None:
        return []
    source = missing.source()
    name = _name(place, source)
    line = _thread.line
    reason = f"the gradient of line {line} with respect to `{name}`, as {missing.what}."
    fix = _fix(place, missing, name)
    return [reason if fix is None else f"{reason} {fix}"]


def _the_one(place: Place, operand):
    """The record of the source whose gradient the operand is, or None."""
    if not _is_from_tape(place, operand):
        return None
    if _thread.count == 1:
        return _thread.missing[0]
    statement = edits.statement_of(place, operand)
    named = [place.value(n) for n in ast.walk(statement) if isinstance(n, (ast.Name, ast.Attribute))] if statement else []
    found = [m for m in _thread.missing if any(m.source() is value for value in named if value is not None)]
    if len(found) == 1:
        return found[0]
    return _thread.missing[0] if len(_thread.missing) == 1 else None


def _is_from_tape(place: Place, operand) -> bool:
    """Whether an operand is or was assigned the result of a call of `gradient`, or an element of it."""
    seen: set = set()
    todo = [operand]
    while todo:
        node = todo.pop()
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and part.attr == "gradient":
                return True
            if isinstance(part, ast.Name) and part.id not in seen:
                seen.add(part.id)
                todo += [
                    s.value if isinstance(s, ast.Assign) else s.iter
                    for s in place.nodes(ast.Assign, ast.For)
                    if part.id in {n.id for t in _targets(s) for n in ast.walk(t) if isinstance(n, ast.Name)}
                ]
    return False


def _targets(node) -> list:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _name(place: Place, source) -> str:
    """The name that the function uses for a source."""
    for scope in (place.frame.f_locals, place.frame.f_globals):
        for name, value in list(scope.items()):
            if value is source and not name.startswith("ag__"):
                return name
    for node in place.nodes(ast.Attribute):
        if place.value(node) is source:
            return place.segment(node)
    return getattr(source, "name", None) or "the source"


def _fix(place: Place, missing: _Missing, name: str) -> str | None:
    call = next((n for n in place.nodes(ast.Call) if n.lineno == _thread.line and _is_gradient(n)), None)
    if call is None:
        return None
    if missing.kind == "unwatched":
        tape = place.segment(call.func.value)
        block = next((n for n in place.nodes(ast.With) if any(_opens(item, tape) for item in n.items)), None)
        source = next((n for n in place.nodes(ast.Name, ast.Attribute) if place.segment(n) == name), None)
        if block is None or source is None or not _is_set_before(place, name, block):
            return None
        return edits.fix([edits.before(block.body[0].lineno, f"{tape}.watch({name})")])
    if missing.kind in ("unread", "target", "unconnected") and not any(k.arg for k in call.keywords):
        text = place.segment(call)
        zeros = f'{text[:-1]}, unconnected_gradients="zero")'
        edit = edits.replaced(place, call, zeros)
        return None if edit is None else f"Fix: where zeros are meant, {edit}."
    return None


def _is_gradient(call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "gradient"


def _opens(item, tape: str) -> bool:
    return item.optional_vars is not None and ast.unparse(item.optional_vars) == tape


def _is_set_before(place: Place, name: str, block) -> bool:
    """Whether a source exists when the block of a tape begins."""
    if place.value(ast.parse(name, mode="eval").body) is unknown:
        return False
    lines = [getattr(n, "lineno", 0) for n in edits.settings_of(place, name)]
    return all(line < block.lineno for line in lines)
