"""The text of user values in messages: large arrays as shape and dtype, long texts and containers shortened.

Small values are shown as their `repr`. Every message that shows a value uses this module, the native core included.
"""

from __future__ import annotations

import itertools
import math

from tracefn import _core

_NAMES_IN_GRAPHS = {"float32": "float", "float64": "double", "float16": "half"}
_LONGEST = 240  # characters of a value
_LONGEST_TEXT = 80  # characters of a string in it
_MOST = 6  # members of a container, and elements of an array, that are written out
_MATRIX_LINES = 3  # for an array that keeps them
_DEEPEST = 4  # nesting depth of containers
_BRACKETS: dict[type, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}"), dict: ("{", "}")}


def value_text(value) -> str:
    """The `repr` of a value, or a shorter text; on one line, except for a small matrix."""
    return shortened(_text(value, _DEEPEST))


def value_str(value) -> str:
    """Like `value_text`, with `str` in place of `repr`."""
    if isinstance(value, str):
        return shortened(value)
    if type(value) in _BRACKETS or (isinstance(value, tuple) and hasattr(value, "_fields")):
        return value_text(value)
    return shortened(_array_text(value) or _from_its_class(value, str))


def shortened(text: str, longest: int = _LONGEST) -> str:
    """The text, shortened to at most that length by eliding the middle."""
    if len(text) <= longest:
        return text
    tail = longest // 4
    return f"{text[: longest - tail - 3]}...{text[-tail:]}"


def _text(value, depth: int) -> str:
    kind = type(value)
    if kind in (str, bytes):
        return repr(value) if len(value) <= _LONGEST_TEXT else f"{value[: _LONGEST_TEXT // 2]!r}... ({len(value)} in all)"
    if kind in _BRACKETS and value:
        opening, closing = _BRACKETS[kind]
        return opening + _members(value.items() if kind is dict else value, len(value), depth, kind is dict) + (
            ",)" if kind is tuple and len(value) == 1 else closing
        )
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return f"{kind.__name__}({_members(zip(kind._fields, value, strict=False), len(value), depth, True, '=')})"
    return _array_text(value) or _from_its_class(value, repr)


def _members(items, count: int, depth: int, are_pairs: bool, sign: str = ": ") -> str:
    """The text of the first members of a container of `count` members; pairs are a key (or a field name) and a value."""
    if depth == 0:
        return "..."
    shown = []
    for item in itertools.islice(items, _MOST):
        if are_pairs:
            key = item[0] if sign == "=" else _text(item[0], depth - 1)
            shown.append(f"{key}{sign}{_text(item[1], depth - 1)}")
        else:
            shown.append(_text(item, depth - 1))
    if count > _MOST:
        shown.append(f"... {count - _MOST} more")
    return ", ".join(shown)


def _array_text(value) -> str | None:
    """The text of a tensor, Variable or array of many elements; None otherwise."""
    kind = type(value)
    is_array = hasattr(kind, "shape") and hasattr(kind, "dtype") and hasattr(kind, "__array__")
    if not is_array or isinstance(value, _core.SymbolicTensor):
        return None
    try:
        shape = tuple(value.shape)
        if math.prod(shape) <= _MOST:
            return None
        dtype = getattr(value.dtype, "name", value.dtype)
        if isinstance(value, _core.Tensor):
            return f"<tf.Tensor: shape={shape}, dtype={dtype}>"
        if kind.__name__ == "ResourceVariable":
            return f"<tf.Variable {value.name!r} shape={shape} dtype={dtype}>"
        return f"<{kind.__name__} of shape {shape} and dtype {dtype}>"
    except Exception:  # the shape is unknown, or it only resembles an array: its own text decides
        return None


def _from_its_class(value, make) -> str:
    """The result of `repr` or `str`; on one line, except for a small matrix, whose few lines are kept."""
    try:
        lines = make(value).splitlines()
        if len(lines) > _MOST and isinstance(value.shape, tuple):  # a table
            return f"<{type(value).__name__} of shape {value.shape}>"
    except AttributeError:
        pass
    except Exception:
        return object.__repr__(value)
    if len(lines) <= _MATRIX_LINES and hasattr(type(value), "__array__"):
        return shortened("\n".join(lines))
    return shortened(" ".join(line.strip() for line in lines))


def dtype_in_graph(dtype) -> str:
    """The name of a dtype in TensorFlow's texts of graphs: float, not float32."""
    return _NAMES_IN_GRAPHS.get(dtype.name, dtype.name)
