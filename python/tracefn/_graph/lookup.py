"""Finds the operations and tensors of a Graph."""

from __future__ import annotations

from tracefn import _core
from tracefn._core import Graph, Operation


def get_operations(self: Graph) -> list:
    """The Operations of the graph, in the order in which they were created."""
    return [self.operation(i) for i in range(len(self))]


def new_operations(self: Graph) -> list:
    """Always empty: Operations are visible as soon as they are created."""
    return []


def as_graph_element(self: Graph, obj, allow_tensor: bool = True, allow_operation: bool = True):
    """The tensor or Operation of this graph that an object or a name refers to.

    Args:
      obj: a tensor or Operation of the graph, a Variable, or a name: "op", "op:0".
      allow_tensor, allow_operation: whether the result may be a tensor, or an Operation.

    Raises:
      TypeError: `obj` is none of these, or of a kind that is not allowed.
      ValueError: `obj` belongs to another graph, or the name is malformed.
      KeyError: the graph has nothing of that name.
    """
    wanted = " or ".join(["Tensor"] * bool(allow_tensor) + ["Operation"] * bool(allow_operation))
    if not wanted:
        raise ValueError("allow_tensor and allow_operation can't both be False.")
    if isinstance(obj, str):
        return _element_by_name(self, obj, allow_tensor, allow_operation)
    if not isinstance(obj, (Operation, _core.Tensor)):  # asking them for a name that they lack takes long
        obj = getattr(obj, "handle", obj)
    classes = (Operation,) * bool(allow_operation) + (_core.SymbolicTensor,) * bool(allow_tensor)
    if isinstance(obj, classes):
        if obj.graph is not self:
            kind = "Operation" if isinstance(obj, Operation) else "Tensor"
            raise ValueError(f"{kind} {obj} is not an element of this graph.")
        return obj
    raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")


def _element_by_name(graph: Graph, name: str, allow_tensor: bool, allow_operation: bool):
    form = 'Tensor names must be of the form "<op_name>:<output_index>".'
    op_name, colon, index = name.partition(":")
    found = graph.find(op_name)
    if colon and allow_tensor:
        if not index.isdigit():
            raise ValueError(f"The name {name!r} looks a like a Tensor name, but is not a valid one. {form}")
        if found < 0:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, does not exist in "
                "the graph."
            )
        outputs = graph.operation(found).outputs
        if int(index) >= len(outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, exists but only "
                f"has {len(outputs)} outputs."
            )
        return outputs[int(index)]
    if colon:
        raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
    if allow_operation:
        if found < 0:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return graph.operation(found)
    if found >= 0:
        raise ValueError(f"The name {name!r} refers to an Operation, not a Tensor. {form}")
    raise ValueError(f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. {form}")


def get_operation_by_name(self: Graph, name: str) -> Operation:
    """The Operation of that name.

    Raises:
      TypeError: `name` is not a str.
      ValueError: `name` is the name of a tensor.
      KeyError: the graph has no operation of that name.
    """
    if not isinstance(name, str):
        raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
    return _element_by_name(self, name, False, True)


def get_tensor_by_name(self: Graph, name: str):
    """The tensor of that name, "op:0".

    Raises:
      TypeError, ValueError: `name` is not the name of a tensor.
      KeyError: the graph has no tensor of that name.
    """
    if not isinstance(name, str):
        raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
    return _element_by_name(self, name, True, False)
