"""The functions that the nodes of a Graph call, by their names, and what a function's graph captures."""

from __future__ import annotations

from typing import NamedTuple

from tracefn._core import Graph


class LibraryFunction(NamedTuple):
    """A function in the library of a graph.

    Attributes:
      name: str.
      definition: FunctionDef.
    """

    name: str
    definition: object

    @property
    def cached_definition(self):
        """The same as `definition`."""
        return self.definition


def functions(self: Graph) -> dict[str, LibraryFunction]:
    """The functions that the graph's nodes call, and those that these call, by their names."""
    library = self.as_graph_def().library
    return {one.signature.name: LibraryFunction(one.signature.name, one) for one in library.function}


def get_function(self: Graph, name: str | bytes) -> LibraryFunction | None:
    """The function of a name; None if the graph calls no such function."""
    return functions(self).get(name.decode() if isinstance(name, bytes) else name)


def is_function(self: Graph, name: str | bytes) -> bool:
    """Whether the graph calls a function of that name."""
    return get_function(self, name) is not None


class FunctionCaptures:
    """The tensors from outside that the graph of a function takes.

    Attributes:
      by_val_external: dict from numbers to the tensors outside.
      by_val_internal: dict from the same numbers to the tensors of the graph that stand for them.
    """

    def __init__(self, graph: Graph) -> None:
        pairs = graph.captures_and_constants
        self.by_val_external = {id(outer): outer for outer, _ in pairs}
        self.by_val_internal = {id(outer): inner for outer, inner in pairs}

    @property
    def by_val_capture_tuples(self) -> list[tuple]:
        """(tensor outside, tensor of the graph) of each."""
        return [(outer, self.by_val_internal[key]) for key, outer in self.by_val_external.items()]
