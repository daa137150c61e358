"""Variable members of TensorFlow 1: those of a Variable in a graph, which lives in sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracefn._default_session import session_for
from tracefn._deprecated import say


class GraphNodes:
    """What the graph has for a Variable.

    Attributes:
      graph: the tf.Graph.
      initial_value: tensor, the initial value.
      initializer: the Operation that assigns it.
      element: tensor, the value in a session.
    """

    __slots__ = ("element", "graph", "initial_value", "initializer")

    def __init__(self, graph, initial_value, initializer, element) -> None:
        self.graph = graph
        self.initial_value = initial_value
        self.initializer = initializer
        self.element = element


class InSessions:
    """The attributes and methods of a Variable that need a graph or a session."""

    _nodes: GraphNodes | None = None

    if TYPE_CHECKING:
        _handle: Any
        _dtype: Any
        _name: str
        _shared_name: Any

        def value(self) -> Any: ...
        def is_initialized(self, name=None) -> Any: ...
        def assign(self, value, use_locking=False, name=None, read_value=True) -> Any: ...

    @property
    def graph(self):
        """The tf.Graph that the Variable is in."""
        if self._nodes is None:
            raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")
        return self._nodes.graph

    @property
    def op(self):
        """The Operation that makes the handle."""
        if self._nodes is None:
            raise AttributeError("Tensor.op is undefined when eager execution is enabled.")
        return self._handle.op

    @property
    def initializer(self):
        """The Operation that assigns the initial value; None if the Variable has its value from the start."""
        return None if self._nodes is None else self._nodes.initializer

    @property
    def _initializer_op(self):
        return self.initializer

    @property
    def _handle_name(self) -> str:
        return self._shared_name + ":0"

    @_handle_name.setter
    def _handle_name(self, name: str) -> None:  # Keras names the Variables that it loads by this
        self._name = name.removesuffix(":0")

    @property
    def initial_value(self):
        """The tensor of the initial value."""
        if self._nodes is None:
            raise RuntimeError("This property is not supported when eager execution is enabled.")
        return self._nodes.initial_value

    @property
    def create(self):
        """The `initializer`."""
        if self._nodes is None:
            raise RuntimeError("This operation is not supported when eager execution is enabled.")
        return self._nodes.initializer

    def eval(self, session=None):
        """The value in a session of tf.compat.v1, the default one by default.

        Raises:
          RuntimeError: the Variable is not in a graph; `numpy()` returns the value.
          ValueError: there is no session.
        """
        if self._nodes is None:
            raise RuntimeError("This operation is not supported when eager execution is enabled.")
        return session_for(session, "Cannot evaluate tensor using `eval()`").run(self._nodes.element)

    def load(self, value, session=None) -> None:
        """Assigns a value: in a session of tf.compat.v1 if the Variable is in a graph.

        Raises:
          ValueError: there is no session.
        """
        say("Variable", "load")
        if self._nodes is None:
            self.assign(value)
            return
        session = session_for(session, "Either session argument should be provided or default session should be established")
        session.run(self._nodes.initializer, {self._nodes.initializer.inputs[1]: value})

    def _as_graph_element(self):
        """The tensor that a session computes for the Variable; None if it is not in a graph."""
        return None if self._nodes is None else self._nodes.element

    def to_proto(self, export_scope=None):
        """Not supported: a Variable can be pickled.

        Raises:
          RuntimeError: always.
        """
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    @staticmethod
    def from_proto(variable_def, import_scope=None):
        """Not supported; see `to_proto`.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError("tf.Variable.from_proto: Variables are not read from messages here; use pickle.")

    def initialized_value(self):
        """Not supported eagerly: a Variable has its value when it is made. In graphs, see tf.compat.v1.

        Raises:
          NotImplementedError: the Variable is not in a graph.
        """
        if self._nodes is None:
            raise NotImplementedError("tf.Variable.initialized_value: a Variable has its value when it is made; use value().")
        say("Variable", "initialized_value")
        return _in_graph.initialized_value(self)


class _InGraph:
    """What modules above this one know of Variables in graphs."""

    initialized_value: Any = None


_in_graph = _InGraph()


def set_initialized_value(function) -> None:
    """Sets the function from a Variable in a graph to its value, or its initial value if it has none."""
    _in_graph.initialized_value = function
