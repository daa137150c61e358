"""The markers for "no value": `undefined` for an unbound variable, `unset` for the result of a function that has not returned."""

from __future__ import annotations


class _Mark:
    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<{self._name}>"

    def __reduce__(self):
        return self._name


undefined = _Mark("undefined")
unset = _Mark("unset")


def is_missing(value) -> bool:
    """Whether a variable has no value at all."""
    return value is undefined or value is unset
