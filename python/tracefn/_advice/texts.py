"""Advice on methods of Python's str and bytes that are called on tensors of strings."""

from __future__ import annotations

import ast
import re

from tracefn import _core
from tracefn._user_code.place import Place

_WITHOUT_ARGUMENTS = frozenset({"lower", "upper", "strip"})
_PATTERNS = {"startswith": "{}.*", "endswith": ".*{}"}


def method(place: Place, call, name: str) -> str | None:
    """The call that does what a method of a text does, for a tensor of strings; None if there is no short one."""
    base = place.value(call.func.value)
    if not isinstance(base, _core.Tensor) or base.dtype != "string" or call.keywords:
        return None
    tf, text, given = place.tf, place.segment(call.func.value), [place.segment(one) for one in call.args]
    if name in _WITHOUT_ARGUMENTS and not given:
        return f"{tf}.strings.{name}({text})"
    if name == "split" and len(given) <= 1:
        return f"{tf}.strings.split({', '.join([text, *given])})"
    literals = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if not literals or len(literals) != len(given) or re.escape(literals[0]) != literals[0]:
        return None
    if name == "replace" and len(given) == 2 and "\\" not in literals[1]:
        return f"{tf}.strings.regex_replace({text}, {', '.join(given)})"
    if name in _PATTERNS and len(given) == 1:
        return f"{tf}.strings.regex_full_match({text}, {_PATTERNS[name].format(literals[0])!r})"
    return None
