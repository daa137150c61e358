"""Descriptions of a Graph: its protobuf messages, captures, Variables and results."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn._core import Graph
from tracefn._known_variables import variable_of_handle


def as_graph_def(self: Graph, from_version=None, add_shapes: bool = False, use_pybind11_proto: bool = False):
    """The graph as a `tf.compat.v1.GraphDef`, TensorFlow's serialization of graphs.

    Args:
      from_version: accepted, without effect; the result has all nodes.
      add_shapes: whether nodes have the static shapes of their outputs as an attribute `_output_shapes`.
      use_pybind11_proto: accepted, without effect.
    """
    from tracefn._graph.added_attributes import add_to_nodes  # start-up time: few programs ask for messages
    from tracefn._graph_def import graph_def_of  # start-up time: as above

    del from_version, use_pybind11_proto
    made = graph_def_of(self)
    add_to_nodes(self, made, add_shapes)
    return made


def op_def_for_type(self: Graph, type):
    """The declaration of an op, by its registered name.

    Raises:
      RuntimeError: the op does not exist.
    """
    from tracefn._graph_def import op_def_of  # start-up time: few programs ask for messages

    if type not in _core.op_names():
        raise RuntimeError(f"Op type not registered '{type}' in this version of tracefn.")
    return op_def_of(type)


def graph_def_versions(self: Graph):
    """The versions in its GraphDef."""
    from tracefn._proto import message_class  # start-up time: few programs ask for messages

    producer, min_consumer = _core.graph_versions(self)
    return message_class("VersionDef")(producer=producer, min_consumer=min_consumer)


def variables(self: Graph) -> tuple:
    """The Variables that the function uses but does not take as arguments, in the order of first use."""
    return tuple(v for v in map(_variable_of, self.captures) if v is not None)


def _variable_of(capture):
    outer, _ = capture
    return variable_of_handle(outer) if outer.dtype.name == "resource" else None


def _concrete(self: Graph):
    """The ConcreteFunction of this graph; None while it is traced, and for a `tf.Graph`."""
    reference = self.__dict__.get("_concrete_function")
    return None if reference is None else reference()


def structured_outputs(self: Graph):
    """The result of the function, made of tensors of this graph; None while it is traced."""
    concrete = _concrete(self)
    return None if concrete is None else concrete.structured_outputs


def structured_input_signature(self: Graph):
    """The arguments of the function, with specs in place of tensors; None while it is traced."""
    concrete = _concrete(self)
    return None if concrete is None else concrete.structured_input_signature


def output_shapes(self: Graph) -> list:
    return [t.shape for t in nest.flatten(self.structured_outputs, expand_composites=True) if t is not None]


def output_types(self: Graph) -> list:
    return [t.dtype for t in nest.flatten(self.structured_outputs, expand_composites=True) if t is not None]


def saving_errors(self: Graph) -> set:
    return self.__dict__.setdefault("_errors_of_saving", set())


def mark_as_unsaveable(self: Graph, error_message: str) -> None:
    """Records why the function should not be saved."""
    saving_errors(self).add(error_message)


def prevent_feeding(self: Graph, tensor) -> None:
    self.__dict__.setdefault("_unfeedable", set()).add(tensor.name)


def prevent_fetching(self: Graph, op) -> None:
    self.__dict__.setdefault("_unfetchable", set()).add(op.name)


def is_feedable(self: Graph, tensor) -> bool:
    return tensor.name not in self.__dict__.get("_unfeedable", ())


def is_fetchable(self: Graph, tensor_or_op) -> bool:
    op = getattr(tensor_or_op, "op", tensor_or_op)
    return op.name not in self.__dict__.get("_unfetchable", ())


def graph_repr(self: Graph) -> str:
    return (
        f"FuncGraph(name={self.name}, id={id(self)})"
        if self.is_function
        else f"<tracefn.Graph object at {id(self):#x}>"
    )
