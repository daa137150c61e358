"""Writes the values of objects as a checkpoint: eagerly, while a function is traced, and in sessions of TensorFlow 1."""

from __future__ import annotations

import os
from typing import Any

from tracefn import _core
from tracefn._checkpoint.graph_view import ObjectGraphView, Walk
from tracefn._checkpoint.object_graph import OBJECT_GRAPH, PYTHON_STATE, Attribute
from tracefn._checkpoint.values import SavedTensor, evaluated, is_python_state, python_state_key, serialize
from tracefn._default_session import entered
from tracefn.framework import control_dependencies, executing_eagerly, inside_function, is_tensor

_save = _core.raw_op("SaveV2")
_identity = _core.raw_op("Identity")
_placeholder = _core.raw_op("Placeholder")


class _SessionProvider:
    """What gives a session where there is no default one; a library may set it."""

    function: Any = None


def register_session_provider(session_provider) -> None:
    """Sets the function that gives a session where there is no default one.

    Args:
      session_provider: function without arguments.
    """
    _SessionProvider.function = session_provider


def default_session(session=None):
    """The session given, or the default one, or that of a library's; None without any."""
    if session is not None:
        return session
    if entered():
        return entered()[-1]
    return None if _SessionProvider.function is None else _SessionProvider.function()


def save_tensors(prefix, tensors: list[SavedTensor]):
    """Writes a checkpoint; in a graph it returns the Operation."""
    tensors = evaluated(tensors)
    return _save(
        prefix=prefix,
        tensor_names=[tensor.key for tensor in tensors],
        shape_and_slices=[tensor.slice_spec for tensor in tensors],
        tensors=[tensor.tensor for tensor in tensors],
    )


class Writer:
    """Writes the objects that a view sees. In sessions, its ops are made once for each set of objects.

    Args:
      view: ObjectGraphView.
    """

    def __init__(self, view: ObjectGraphView) -> None:
        self._view = view
        self._ops_for: tuple | None = None  # in sessions: (graph, message of the objects)
        self._path: Any = None
        self._prefix: Any = None
        self._message: Any = None
        self._states: dict = {}
        self._serialized: dict = {}  # in sessions: what each object has said of its tensors, which may have made ops

    def _serialize(self, trackable, path: str):
        """What to write of an object."""
        if executing_eagerly() or inside_function():
            return serialize(trackable, path)
        key = id(trackable), path, id(_core.current_graph())
        if key not in self._serialized:
            self._serialized[key] = trackable, serialize(trackable, path)
        return self._serialized[key][1]

    def _gather(self, python_state) -> tuple[bytes, list[SavedTensor]]:
        """The message of the objects, and their tensors without it.

        Args:
          python_state: function from a PythonState to the tensor of its value.
        """
        walk = Walk(self._view)
        tensors: list[SavedTensor] = []
        for trackable, path, node in zip(walk.objects, walk.paths, walk.graph.nodes, strict=True):
            if is_python_state(trackable):
                key = python_state_key(path)
                node.attributes = [Attribute(PYTHON_STATE, "", key)]
                tensors.append(SavedTensor(key, "", python_state(trackable)))
            else:
                node.attributes, found = self._serialize(trackable, path)
                tensors += found
        walk.graph.mark_values()
        return walk.graph.SerializeToString(), tensors

    def write(self, prefix, session=None):
        """Writes a checkpoint.

        Args:
          prefix: str or tensor, with which the paths of its files begin.
          session: in a graph, the session; None for the default one.

        Returns:
          `prefix`; while a function is traced, a tensor with it.

        Raises:
          RuntimeError: in a graph, there is no session.
        """
        if not is_tensor(prefix):
            _core.make_local_directories(os.path.dirname(os.fsencode(prefix)))
        if not executing_eagerly() and not inside_function():
            return self._in_session(prefix, default_session(session))
        message, tensors = self._gather(lambda state: state._serialize_to_tensors()[PYTHON_STATE])
        prefix = _core.convert_to_tensor(prefix, dtype="string")
        saved = save_tensors(prefix, [*tensors, SavedTensor(OBJECT_GRAPH, "", _core.convert_to_tensor(message))])
        if executing_eagerly():
            return prefix
        with control_dependencies([saved]):
            return _identity(input=prefix)

    def _in_session(self, prefix, session):
        if session is None:
            raise RuntimeError(
                f'Unable to save checkpoint to "{prefix}" in graph mode without a default session. Please use '
                "`with tf.Session():` to create a session."
            )
        known = self._states
        self._states = {}

        def placeholder_of(state):
            _, placeholder = known.get(id(state)) or (state, _placeholder(dtype="string", shape=[]))
            self._states[id(state)] = (state, placeholder)
            return placeholder

        message, tensors = self._gather(placeholder_of)
        if self._ops_for != (session.graph, message):
            self._prefix = _placeholder(dtype="string", shape=[])
            self._message = _placeholder(dtype="string", shape=[])
            saved = save_tensors(self._prefix, [*tensors, SavedTensor(OBJECT_GRAPH, "", self._message)])
            with control_dependencies([saved]):
                self._path = _identity(input=self._prefix)
            self._ops_for = (session.graph, message)
        feeds = {placeholder: state.serialize() for state, placeholder in self._states.values()}
        return session.run(self._path, {self._prefix: prefix, self._message: message, **feeds})


def path_text(path):
    """A path that `Writer.write` has returned as str; a tensor of a graph stays one."""
    if is_tensor(path):
        if isinstance(path, _core.SymbolicTensor):
            return path
        path = path.numpy()
    return os.fsdecode(path)
