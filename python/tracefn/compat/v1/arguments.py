"""Arguments of `tf.compat.v1` that have two names, and today's functions by their paths."""

from __future__ import annotations

from typing import Any

from tracefn._deprecated import without_notices
from tracefn._namespaces import root


def either(name: str, value, old_name: str, old_value):
    """The value of an argument that has a new and an old name.

    Raises:
      ValueError: both are given.
    """
    if old_value is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'.")
    return old_value


def today(path: str) -> Any:
    """The function with that path below the package, without notices. Those of few programs are imported now."""
    found: Any = root()
    for part in path.split("."):
        found = getattr(found, part)
    return without_notices(found)
