"""Compares two structures, and raises TensorFlow's errors if they differ."""

from __future__ import annotations

from itertools import zip_longest

from tracefn._nest.kinds import _NAMED_TUPLE, Kind, kind_of
from tracefn._value_text import value_str

_END = object()


class Mismatch(Exception):
    """A difference between two structures: the error class to raise, and the text."""

    def __init__(self, error: type, text: str):
        super().__init__(text)
        self.error = error


def difference(first, second, mismatch: Mismatch) -> str:
    """The text of an error about two structures: both, and where they differ."""
    return (
        "The two structures don't have the same nested structure.\n\n"
        f"First structure: {_shown(first)}\n\nSecond structure: {_shown(second)}\n\nMore specifically: {mismatch}"
    )


def compare(first, second, check_types: bool, kinds: dict) -> None:
    """Walks both structures side by side.

    Raises:
      Mismatch: at the first difference.
    """
    kind, other = kind_of(first, kinds), kind_of(second, kinds)
    if kind is None or other is None:
        if kind is not other:
            raise _not_both(first, second, other is None)
        return
    if kind.is_composite or other.is_composite:
        _compare_specs(first, second, kind, other)
    elif check_types and (kind is not other or type(first) is not type(second) or kind.is_mapping):
        _compare_types(kind.unwrapped(first), other.unwrapped(second), kind, other)
    look_up = kinds.get
    for mine, theirs in zip_longest(kind.split(first)[0], other.split(second)[0], fillvalue=_END):
        if mine is _END or theirs is _END:
            raise Mismatch(ValueError, "The two structures don't have the same number of elements. "
                                       f"First structure: {_shown(first)}. Second structure: {_shown(second)}")
        # Two leaves, the common case, need no call.
        if look_up(id(type(mine)), _END) is not None or look_up(id(type(theirs)), _END) is not None:
            compare(mine, theirs, check_types, kinds)


def _not_both(first, second, first_is_container: bool) -> Mismatch:
    container, leaf = (first, second) if first_is_container else (second, first)
    return Mismatch(ValueError, f'Substructure "{_shown(container)}" is a sequence, while substructure '
                                f'"{_shown(leaf)}" is not')


def _compare_types(first, second, kind: Kind, other: Kind) -> None:
    if kind.is_mapping and other.is_mapping:
        keys, theirs = list(first), list(second)
        if len(keys) != len(theirs) or any(key not in first for key in theirs):
            raise Mismatch(ValueError, "The two dictionaries don't have the same set of keys. First structure has keys "
                                       f"{_shown(keys)}, while second structure has keys {_shown(theirs)}")
        return
    mine, yours = type(first), type(second)
    if mine is yours or (isinstance(first, list) and isinstance(second, list)):
        return
    if kind is other is _NAMED_TUPLE and same_fields(first, second):
        return
    # TensorFlow says "namedtuples" whatever the two are.
    raise Mismatch(TypeError, "The two namedtuples don't have the same sequence type. "
                              f"First structure {_shown(first)} has type {mine.__name__}, "
                              f"while second structure {_shown(second)} has type {yours.__name__}")


def same_fields(first, second) -> bool:
    """Whether two values are namedtuples that count as one class: of the same name and fields."""
    mine, yours = type(first), type(second)
    fields = getattr(mine, "_fields", None)
    return fields is not None and mine.__name__ == yours.__name__ and fields == getattr(yours, "_fields", None)


def _compare_specs(first, second, kind: Kind, other: Kind) -> None:
    if not (kind.is_composite and other.is_composite):
        raise _not_both(first, second, kind.is_composite)
    mine, theirs = kind.spec(first), other.spec(second)
    if mine.most_specific_common_supertype([theirs]) is None:
        raise Mismatch(ValueError, f"Incompatible CompositeTensor TypeSpecs: {_shown(mine)} vs. {_shown(theirs)}")


def _shown(value) -> str:
    return f"type={type(value).__name__} str={value_str(value)}"
