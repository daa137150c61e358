"""Variable members of TensorFlow 1 that need a graph or a session; each says what to use instead."""

from __future__ import annotations


class WithoutSession:
    """The attributes and methods of a Variable that need a graph or a session."""

    @property
    def graph(self):
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    @property
    def op(self):
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def initializer(self) -> None:
        """None: a Variable has its value from the start."""
        return None

    @property
    def initial_value(self):
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    @property
    def create(self):
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def eval(self, session=None):
        """Not supported: there are no sessions. `numpy()` returns the value.

        Raises:
          RuntimeError: always.
        """
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def to_proto(self, export_scope=None):
        """Not supported: a Variable is an object and not part of a graph. It can be pickled.

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
        """Not supported: a Variable has its value from the start.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError("tf.Variable.initialized_value: a Variable has its value when it is made; use value().")
