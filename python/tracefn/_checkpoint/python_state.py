"""`tf.train.experimental.PythonState`: a value of Python in a checkpoint."""

from __future__ import annotations

import abc

from tracefn import _core
from tracefn._checkpoint.object_graph import PYTHON_STATE
from tracefn._tracking.base import Trackable
from tracefn.framework import init_scope


class PythonState(Trackable, metaclass=abc.ABCMeta):
    """The base of objects whose state a checkpoint holds as a string.

    Example:
      >>> import tempfile, tracefn as tf
      >>> class Count(tf.train.experimental.PythonState):
      ...     value = 0
      ...     def serialize(self):
      ...         return str(self.value)
      ...     def deserialize(self, string_value):
      ...         self.value = int(string_value)
      >>> count = Count()
      >>> count.value = 3
      >>> path = tf.train.Checkpoint(count=count).write(tempfile.mkdtemp() + "/c")
      >>> other = Count()
      >>> _ = tf.train.Checkpoint(count=other).read(path)
      >>> other.value
      3
    """

    @abc.abstractmethod
    def serialize(self):
        """The state, as str or bytes."""

    @abc.abstractmethod
    def deserialize(self, string_value) -> None:
        """Takes back the state, given as bytes."""

    def _serialize_to_tensors(self):
        with init_scope():
            return {PYTHON_STATE: _core.convert_to_tensor(self.serialize(), dtype="string")}
