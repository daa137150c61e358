"""`tensorflow.python.util.decorator_utils`: parts of decorators."""

from __future__ import annotations

import inspect

__all__ = ["add_notice_to_docstring", "cached_classproperty", "classproperty", "get_qualified_name", "validate_callable"]
_KINDS = ["Deprecated", "Warning", "Caution", "Important", "Note"]


def get_qualified_name(function) -> str:
    """The name of a function with those of the classes and functions around it."""
    return getattr(function, "__qualname__", function.__name__)


def add_notice_to_docstring(doc, instructions, no_doc_str, suffix_str, notice, notice_type="Warning") -> str:
    """A docstring with a notice after its first line.

    Args:
      doc: docstring, or None.
      instructions: str, the last line of the notice.
      no_doc_str: str that stands for an empty docstring.
      suffix_str: str that follows the first line of a docstring that is not empty, after a space.
      notice: list of str, the lines before the instructions.
      notice_type: Deprecated, Warning, Caution, Important or Note.

    Raises:
      ValueError: there is no notice, or the type is another.

    Example:
      >>> from tracefn.python.util.decorator_utils import add_notice_to_docstring
      >>> print(add_notice_to_docstring("Adds.", "Use add.", "", "(old)", ["Goes away."]))
      Adds. (old)
      <BLANKLINE>
      Warning: Goes away.
      Use add.
    """
    if notice_type not in _KINDS:
        raise ValueError(f"Unrecognized notice type. Should be one of: {_KINDS}")
    if not notice:
        raise ValueError("The `notice` arg must not be empty.")
    lines = (inspect.cleandoc(doc) if doc else no_doc_str).splitlines()
    if doc:
        lines[0] += f" {suffix_str}"
    text = [f"{notice_type}: {notice[0]}", *notice[1:], *([instructions] if instructions else [])]
    rest = lines[1:]
    between = [""] if rest and rest[0].strip() else []
    return "\n".join([*lines[:1], "", *text, *between, *rest])


def validate_callable(func, decorator_name) -> None:
    """Raises ValueError unless a decorator got a callable; a property is none."""
    if not callable(func):
        raise ValueError(
            f"{func} is not a function. If this is a property, make sure @property appears before @{decorator_name} in your "
            f"source code:\n\n@property\n@{decorator_name}\ndef method(...)"
        )


class classproperty:
    """A property of a class: a decorator of a function of the class."""

    def __init__(self, func) -> None:
        self._func = func

    def __get__(self, owner_self, owner_cls):
        return self._func(owner_cls)


class _CachedClassProperty:
    def __init__(self, func) -> None:
        self._func = func
        self._values: dict = {}

    def __get__(self, obj, objtype):
        if objtype not in self._values:
            self._values[objtype] = self._func(objtype)
        return self._values[objtype]

    def __set__(self, obj, value):
        raise AttributeError(f"property {self._func.__name__} is read-only")

    def __delete__(self, obj):
        raise AttributeError(f"property {self._func.__name__} is read-only")


def cached_classproperty(func):
    """A property of a class whose value is computed once for each class."""
    return _CachedClassProperty(func)
