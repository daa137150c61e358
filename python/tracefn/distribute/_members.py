"""Members that distributed variables have like any `tf.Variable`: those of TensorFlow 1's graphs, and those of its libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracefn import _core
from tracefn._variable.slices import SaveSliceInfo
from tracefn.distribute import _modes as modes
from tracefn.ops.control_flow import group


class DistributedOperation:
    """What the `op` of a distributed variable is across replicas, where there is none: what libraries read of it.

    Args:
      operation: the tf.Operation of the first copy.
    """

    def __init__(self, operation) -> None:
        self.name = operation.name
        self.graph = operation.graph
        self.traceback = operation.traceback
        self.type = operation.type

    def __eq__(self, other) -> bool:
        return isinstance(other, DistributedOperation) and (self.name, self.graph) == (other.name, other.graph)

    def __hash__(self) -> int:
        return hash((self.name, id(self.graph)))


class VariableMembers:
    """The members, by those of the copies."""

    SaveSliceInfo = SaveSliceInfo
    _save_slice_info: Any = None

    if TYPE_CHECKING:
        _values: tuple
        _primary: Any
        _distribute_strategy: Any

        def _get(self) -> Any: ...
        def assign(self, value, use_locking=False, name=None, read_value=True) -> Any: ...

    @property
    def _in_graph_mode(self) -> bool:
        return self._primary._in_graph_mode

    @property
    def graph(self):
        """The tf.Graph that the copies are in.

        Raises:
          AttributeError: they are in none.
        """
        return self._primary.graph

    @property
    def op(self):
        """The Operation that makes the value here; across replicas, the name, type, graph and traceback of the first copy's.

        Raises:
          AttributeError: the copies are not in a graph.
        """
        if modes.in_cross_replica_context() and modes.update_place() is None:
            return DistributedOperation(self._primary.op)
        return self._get().op

    @property
    def initializer(self):
        """The Operation that assigns the initial values of all copies; None if they have them from the start."""
        found = [value.initializer for value in self._values]
        return None if found[0] is None else group(*found)

    @property
    def _initializer_op(self):
        return self._primary.initializer

    @property
    def initial_value(self):
        """The tensor of the first copy's initial value.

        Raises:
          RuntimeError: the copies are not in a graph.
        """
        return self._primary.initial_value

    def initialized_value(self):
        """See `tf.Variable.initialized_value`, of the first copy."""
        return self._primary.initialized_value()

    def eval(self, session=None):
        """The first copy's value in a session of tf.compat.v1; see `tf.Variable.eval`."""
        return self._primary.eval(session)

    def load(self, value, session=None) -> None:
        """Assigns a value to all copies: in a session of tf.compat.v1 if they are in a graph.

        Raises:
          ValueError: there is no session.
        """
        if self._in_graph_mode:
            for copied in self._values:
                copied.load(value, session)
        else:
            self.assign(value)

    def to_proto(self, export_scope=None):
        """See `tf.Variable.to_proto`, of the first copy."""
        return self._primary.to_proto(export_scope=export_scope)

    def _as_graph_element(self):
        """The tensor that a session computes for the variable; None if it is not in a graph."""
        return self._primary._as_graph_element()

    def _dense_var_to_tensor(self, dtype=None, name=None, as_ref=False):
        """The value, as TensorFlow's registered conversion of Variables gives it.

        Raises:
          ValueError: `as_ref` is true, or the dtype is another one.
        """
        if as_ref:
            raise ValueError(
                "A distributed variable cannot be referenced in control flow of TensorFlow 1; convert it with read_value()."
            )
        with modes.inside(self._distribute_strategy):
            return _core.convert_to_tensor(self._get(), dtype=dtype, name=name)

    def _should_act_as_resource_variable(self) -> None:
        """That it is there tells TensorFlow's libraries that this has a resource variable's methods."""

    def _set_save_slice_info(self, save_slice_info) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self):
        return self._save_slice_info
