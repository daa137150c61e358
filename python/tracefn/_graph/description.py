"""What a Graph says of itself: its messages, captures, Variables and results."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn._core import Graph
from tracefn._variable.registry import variable_of_handle


def _as_graph_def(self: Graph, from_version=None, add_shapes: bool = False):
    """The graph as a `tf.compat.v1.GraphDef`, the form in which TensorFlow stores graphs.

    Args:
      from_version, add_shapes: accepted; all nodes are given, with the shapes that are part of them.
    """
    from tracefn._graph_def import graph_def_of

    del from_version, add_shapes
    return graph_def_of(self)


def _op_def_for_type(self: Graph, type):
    """The declaration of an op, by its registered name.

    Raises:
      RuntimeError: there is no such op.
    """
    from tracefn._graph_def import OpDef

    if type not in _core.op_names():
        raise RuntimeError(f"Op type not registered '{type}' in this version of tracefn.")
    return OpDef(type)


def _graph_def_versions(self: Graph):
    """The versions that its GraphDef says."""
    from tracefn._graph_def import VersionDef

    return VersionDef(*_core.graph_versions(self))


def _variables(self: Graph) -> tuple:
    """The Variables that the function uses and did not get as arguments, in the order of their first use."""
    return tuple(v for v in map(_variable_of, self.captures) if v is not None)


def _variable_of(capture):
    outer, _ = capture
    return variable_of_handle(outer) if outer.dtype.name == "resource" else None


def _concrete(self: Graph):
    """The ConcreteFunction of this graph; None while it is traced, and for a `tf.Graph`."""
    reference = self.__dict__.get("_concrete_function")
    return None if reference is None else reference()


def _structured_outputs(self: Graph):
    """The function's result, of this graph's tensors; None while it is traced."""
    concrete = _concrete(self)
    return None if concrete is None else concrete.structured_outputs


def _structured_input_signature(self: Graph):
    """The function's arguments, with specs in place of tensors; None while it is traced."""
    concrete = _concrete(self)
    return None if concrete is None else concrete.structured_input_signature


def _output_shapes(self: Graph) -> list:
    return [t.shape for t in nest.flatten(self.structured_outputs, expand_composites=True) if t is not None]


def _output_types(self: Graph) -> list:
    return [t.dtype for t in nest.flatten(self.structured_outputs, expand_composites=True) if t is not None]


def _saving_errors(self: Graph) -> set:
    return self.__dict__.setdefault("_errors_of_saving", set())


def _mark_as_unsaveable(self: Graph, error_message: str) -> None:
    """Notes why the function should not be saved."""
    _saving_errors(self).add(error_message)


def _prevent_feeding(self: Graph, tensor) -> None:
    self.__dict__.setdefault("_unfeedable", set()).add(tensor.name)


def _prevent_fetching(self: Graph, op) -> None:
    self.__dict__.setdefault("_unfetchable", set()).add(op.name)


def _is_feedable(self: Graph, tensor) -> bool:
    return tensor.name not in self.__dict__.get("_unfeedable", ())


def _is_fetchable(self: Graph, tensor_or_op) -> bool:
    op = getattr(tensor_or_op, "op", tensor_or_op)
    return op.name not in self.__dict__.get("_unfetchable", ())


def _repr(self: Graph) -> str:
    return (
        f"FuncGraph(name={self.name}, id={id(self)})"
        if self.is_function
        else f"<tracefn.Graph object at {id(self):#x}>"
    )


Graph.as_graph_def = _as_graph_def
Graph.op_def_for_type = _op_def_for_type
Graph.graph_def_versions = property(_graph_def_versions)
Graph.version = property(len)
Graph.external_captures = property(lambda self: [outer for outer, _ in self.captures_and_constants])
Graph.internal_captures = property(lambda self: [inner for _, inner in self.captures_and_constants])
Graph.variables = property(_variables)
Graph.variable_captures = property(_variables)
Graph.trainable_variables = property(lambda self: tuple(v for v in self.variables if v.trainable))
Graph.structured_outputs = property(_structured_outputs)
Graph.structured_input_signature = property(_structured_input_signature)
Graph.output_shapes = property(_output_shapes)
Graph.output_types = property(_output_types)
Graph.saving_errors = property(lambda self: _saving_errors(self).copy())
Graph.saveable = property(lambda self: not self.saving_errors)
Graph.mark_as_unsaveable = _mark_as_unsaveable
Graph.prevent_feeding = _prevent_feeding
Graph.prevent_fetching = _prevent_fetching
Graph.is_feedable = _is_feedable
Graph.is_fetchable = _is_fetchable
Graph.__repr__ = _repr  # type: ignore[method-assign, assignment]
