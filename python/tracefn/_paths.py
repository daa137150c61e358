"""Paths that programs give."""

from __future__ import annotations

import os


def path_of(value) -> str | bytes:
    """A path as str or bytes.

    Raises:
      TypeError: it is neither, and no path.
    """
    path = os.fspath(value) if hasattr(value, "__fspath__") else value
    if not isinstance(path, str | bytes):
        raise TypeError(f"Expected binary or unicode string, got {value!r}")
    return path


def text_of_path(value) -> str:
    """Like `path_of`, as str."""
    return os.fsdecode(path_of(value))
