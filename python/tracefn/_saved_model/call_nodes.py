"""Nodes of a GraphDef that call functions."""

from __future__ import annotations

from tracefn._saved_model.messages import Record


def _types(types) -> Record:
    return Record("AttrValue", list=Record("ListValue", type=list(types)))


def call_node(name: str, function: str, inputs: list[str], in_types, out_types, stateful: bool = True) -> Record:
    """A node that calls a function of the library.

    Args:
      name: str, the node's.
      function: str, the function's.
      inputs: names of the values given to it.
      in_types, out_types: numbers of dtypes (DataType).
      stateful: whether the function does more than compute its results.
    """
    return Record(
        "NodeDef",
        name=name,
        op="StatefulPartitionedCall" if stateful else "PartitionedCall",
        input=inputs,
        attr={
            "Tin": _types(in_types),
            "Tout": _types(out_types),
            "f": Record("AttrValue", func=Record("NameAttrList", name=function)),
        },
    )


def placeholder(name: str, dtype: int) -> Record:
    """A node for a value that is given."""
    return Record("NodeDef", name=name, op="Placeholder", attr={"dtype": Record("AttrValue", type=dtype)})
