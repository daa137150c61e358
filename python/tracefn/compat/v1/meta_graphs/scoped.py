"""The part of a MetaGraphDef that lies in a name scope, with names from there on."""

from __future__ import annotations

from tracefn._attr_value import attr_value
from tracefn._graph.edits import source, with_attributes, with_inputs, with_name, with_nodes
from tracefn._saved_model.messages import Record, decoded, encoded
from tracefn.compat.v1.meta_graphs.importing import variables_of

_UNBOUND = "unbound_inputs"
_PLACE = b"loc:@"
_NAMES = ("variable_name", "initializer_name", "snapshot_name", "initial_value_name")


class Scoped:
    """The nodes and collections in a name scope.

    Args:
      graph_def: GraphDef of all nodes.
      collections: dict from names to Records CollectionDef.
      scope: str.

    Attributes:
      graph_def: the nodes in the scope; inputs from outside of it are named "$unbound_inputs_" and the name of a node.
      collections: what is in the scope; "unbound_inputs" has the names of those inputs.
    """

    def __init__(self, graph_def, collections: dict, scope: str) -> None:
        self._prefix = f"{scope.rstrip('/')}/"
        self._unbound: list[str] = []
        self.graph_def = with_nodes(graph_def, [self._node(node) for node in graph_def.node if self._holds(node.name)])
        self.collections = {}
        for key, collection in collections.items():
            found = self._collection(key, collection)
            if found is not None:
                self.collections[key] = found
        if self._unbound:
            names = [name.encode() for name in sorted(self._unbound)]
            self.collections[_UNBOUND] = Record("CollectionDef", bytes_list=Record("BytesList", value=names))

    def _holds(self, name: str) -> bool:
        return name.removeprefix("^").startswith(self._prefix)

    def _inner(self, name: str) -> str:
        order = "^" if name.startswith("^") else ""
        return order + name.removeprefix("^").removeprefix(self._prefix)

    def _input(self, name: str) -> str:
        if self._holds(name):
            return self._inner(name)
        # Which output it is, is up to whoever binds it.
        unbound = f"{'^' if name.startswith('^') else ''}$unbound_inputs_{source(name)}"
        if unbound not in self._unbound:
            self._unbound.append(unbound)
        return unbound

    def _node(self, node):
        made = with_inputs(with_name(node, self._inner(node.name)), map(self._input, node.input))
        if "_class" not in node.attr:
            return made
        places = [place.removeprefix(_PLACE).decode() for place in node.attr["_class"].list.s]
        inside = [_PLACE + self._inner(place).encode() for place in places if self._holds(place)]
        return with_attributes(made, _class=attr_value(list={"s": inside}))

    def _collection(self, key: str, collection: Record) -> Record | None:
        if collection.node_list is not None:
            names = [self._inner(name) for name in collection.node_list.value if self._holds(name)]
            return Record("CollectionDef", node_list=Record("TextList", value=names)) if names else None
        if collection.bytes_list is None:
            return collection
        variables = variables_of(key, collection)
        if variables:
            data = [encoded(self._variable(one)) for one in variables if self._holds(one.variable_name)]
        else:
            texts = [value.decode(errors="surrogateescape") for value in collection.bytes_list.value]
            data = [self._inner(text).encode(errors="surrogateescape") for text in texts if self._holds(text)]
        return Record("CollectionDef", bytes_list=Record("BytesList", value=data)) if data else None

    def _variable(self, record: Record) -> Record:
        made = decoded("VariableDef", encoded(record))
        for name in _NAMES:
            setattr(made, name, self._inner(getattr(made, name) or ""))
        return made
