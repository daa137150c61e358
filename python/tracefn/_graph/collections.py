"""The collections of a Graph: lists of any values, by name."""

from __future__ import annotations

import re

from tracefn._core import Graph


def collections_of(self: Graph) -> dict:
    return self.__dict__.setdefault("_collections", {})


def _refuse_finalized(self: Graph) -> None:
    if self.finalized:
        raise RuntimeError("Graph is finalized and cannot be modified.")


def get_collection_ref(self: Graph, name) -> list:
    """The collection of that name itself; created if it does not exist."""
    return collections_of(self).setdefault(name, [])


def get_collection(self: Graph, name, scope=None) -> list:
    """A copy of the collection of that name.

    Args:
      name: the name of the collection.
      scope: regular expression; only values whose `name` begins with a match are returned.
    """
    values = list(collections_of(self).get(name, ()))
    if scope is None:
        return values
    return [value for value in values if hasattr(value, "name") and re.match(scope, value.name)]


def add_to_collection(self: Graph, name, value) -> None:
    """Appends a value to the collection of that name.

    Raises:
      RuntimeError: the graph is finalized.
    """
    _refuse_finalized(self)
    get_collection_ref(self, name).append(value)


def add_to_collections(self: Graph, names, value) -> None:
    """Appends a value to each of the named collections; a single name may be a str."""
    for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
        add_to_collection(self, name, value)


def clear_collection(self: Graph, name) -> None:
    """Empties the collection of that name.

    Raises:
      RuntimeError: the graph is finalized.
    """
    _refuse_finalized(self)
    collections_of(self).pop(name, None)
