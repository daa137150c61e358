"""The collections of a Graph: lists of anything, by name."""

from __future__ import annotations

import re

from tracefn._core import Graph


def _all(self: Graph) -> dict:
    return self.__dict__.setdefault("_collections", {})


def _refuse_finalized(self: Graph) -> None:
    if self.finalized:
        raise RuntimeError("Graph is finalized and cannot be modified.")


def _get_collection_ref(self: Graph, name) -> list:
    """The collection of that name itself, made if there is none."""
    return _all(self).setdefault(name, [])


def _get_collection(self: Graph, name, scope=None) -> list:
    """A copy of the collection of that name.

    Args:
      name: the collection's.
      scope: regular expression; only values whose `name` begins with a match are given.
    """
    values = list(_all(self).get(name, ()))
    if scope is None:
        return values
    return [value for value in values if hasattr(value, "name") and re.match(scope, value.name)]


def _add_to_collection(self: Graph, name, value) -> None:
    """Appends a value to the collection of that name.

    Raises:
      RuntimeError: the graph is finalized.
    """
    _refuse_finalized(self)
    _get_collection_ref(self, name).append(value)


def _add_to_collections(self: Graph, names, value) -> None:
    """Appends a value to each collection named; one name may be given as a str."""
    for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
        _add_to_collection(self, name, value)


def _clear_collection(self: Graph, name) -> None:
    """Empties the collection of that name.

    Raises:
      RuntimeError: the graph is finalized.
    """
    _refuse_finalized(self)
    _all(self).pop(name, None)


Graph.collections = property(lambda self: list(_all(self)))
Graph.get_all_collection_keys = lambda self: [name for name in list(_all(self)) if isinstance(name, str)]
Graph.get_collection = _get_collection
Graph.get_collection_ref = _get_collection_ref
Graph.add_to_collection = _add_to_collection
Graph.add_to_collections = _add_to_collections
Graph.clear_collection = _clear_collection
