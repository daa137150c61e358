"""The collections of a Graph: lists of any values, by name."""

from __future__ import annotations

import re

from tracefn._core import Graph

# Those that a function's graph shares with the graph around it; it has copies of the others.
_SHARED = ("variables", "local_variables", "trainable_variables")


def collections_of(self: Graph) -> dict:
    """The lists of a graph by their names."""
    found = self.__dict__.get("_collections")
    if found is None:
        outer = self._outer if self.is_function else None
        found = {} if outer is None else {name: list(values) for name, values in collections_of(outer).items()}
        if outer is not None:
            found |= {name: get_collection_ref(outer, name) for name in _SHARED}
        self.__dict__["_collections"] = found
    return found


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
