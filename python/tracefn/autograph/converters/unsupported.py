"""The error for an unsupported construct: it names the construct and the user's line."""

from __future__ import annotations


class UnsupportedError(Exception):
    """A construct that cannot be part of a converted function."""

    def __init__(self, node, what: str) -> None:
        super().__init__(f"line {getattr(node, 'lineno', '?')}: {what} is not supported")
