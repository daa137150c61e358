"""Signatures as texts that can be compared: of TensorFlow's public functions and classes, and of tracefn's."""

from __future__ import annotations

import enum
import inspect

_DTYPES = ("bool", "float32", "int32", "int64", "uint8")  # a dtype and its name are the same default


def _default(value) -> str:
    """A default value; "..." for one whose text says nothing to a caller."""
    if isinstance(value, str) and value in _DTYPES:
        return value
    if isinstance(value, enum.Enum) or callable(value):
        return "..."
    if isinstance(value, (bool, int, str, bytes, type(None))):
        return repr(value)
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, (list, tuple)):
        return f"({', '.join(_default(item) for item in value)})"
    return str(getattr(value, "name", "...")) if type(value).__name__ == "DType" else "..."


def signature_text(value) -> str | None:
    """ "(x, axis=None, *, name=None)" of a function or class; None if it has no signature."""
    if not callable(value):
        return None
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    parts, keyword_only = [], False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        if parameter.kind is parameter.VAR_POSITIONAL:
            keyword_only = True
            parts.append(f"*{parameter.name}")
        elif parameter.kind is parameter.VAR_KEYWORD:
            parts.append(f"**{parameter.name}")
        elif parameter.default is parameter.empty:
            parts.append(parameter.name)
        else:
            parts.append(f"{parameter.name}={_default(parameter.default)}")
    return f"({', '.join(parts)})"
