"""`tf.CriticalSection`: functions that run one at a time."""

from __future__ import annotations

import contextlib
import threading

from tracefn import _core, nest
from tracefn._export import export
from tracefn.framework import control_dependencies, executing_eagerly, init_scope
from tracefn.ops._build import name_scope, op
from tracefn.ops.array_shape import identity
from tracefn.tensor_array import TensorArray


class _Thread(threading.local):
    """The critical sections that run on one thread, by their handles' identities."""

    def __init__(self) -> None:
        self.running: list = []


_thread = _Thread()


def _same(value):
    """A result as the result of an op."""
    if isinstance(value, TensorArray):
        return value.identity()
    if value is None:
        return None
    return value if isinstance(value, _core.Operation) else identity(value)


@export("CriticalSection")
class CriticalSection:
    """Runs functions one at a time: each waits until those that other threads run, in it, are done.

    Args:
      name: name of its node.
      shared_name: has no effect.
      critical_section_def, import_scope: not supported.

    Raises:
      ValueError: `critical_section_def` is given.

    >>> section, v = tf.CriticalSection(), tf.Variable(0)
    >>> def count():
    ...     before = v.read_value()
    ...     v.assign(before + 1)
    ...     return before
    >>> int(section.execute(count)), int(section.execute(count)), int(v)
    (0, 1, 2)
    """

    def __init__(self, name=None, shared_name=None, critical_section_def=None, import_scope=None):
        del import_scope
        if critical_section_def and name is not None:
            raise ValueError(f"Arguments critical_section_def={critical_section_def} and shared_name={shared_name} are "
                             "mutually exclusive. Please only specify one of them.")
        if critical_section_def:
            raise ValueError("Argument `critical_section_def` is not supported.")
        with name_scope(name or "CriticalSection") as scope, init_scope():
            shown = (scope or "").rstrip("/")
            self._handle = op("MutexV2")(shared_name=shared_name or shown, name=shown or None)
        self._signature = ("", shared_name or shown or id(self._handle), id(self._handle))

    @property
    def name(self) -> str:
        """Name of its node, in a graph."""
        return self._handle.op.name

    def execute(self, fn, exclusive_resource_access=True, name=None):
        """Runs a function while no other runs in this critical section.

        Args:
          fn: callable without arguments, which returns a nest of tensors.
          exclusive_resource_access: whether, in a graph, no other critical section may use the Variables and other
            resources that `fn` uses.
          name: name of the scope.

        Returns:
          What `fn` returns.

        Raises:
          ValueError: `fn` runs this critical section itself; or a resource is not used exclusively.
        """
        with name_scope(name or "critical_section_execute"):
            with self._entered():
                lock = op("MutexLock")(mutex=self._handle)
                graph = _core.current_graph()
                before = 0 if graph is None else len(graph.get_operations())
                try:
                    with control_dependencies([lock]):
                        result = fn()
                except BaseException:
                    if executing_eagerly():  # the traceback may keep the lock alive
                        op("ConsumeMutexLock")(mutex_lock=lock)
                    raise
            if graph is not None:
                self._note_resources(graph, graph.get_operations()[before:], exclusive_resource_access)
            flat = [_same(value) for value in nest.flatten(result)]
            with control_dependencies([value for value in flat if value is not None]):
                done = op("ConsumeMutexLock")(mutex_lock=lock)
            with control_dependencies([done] if graph is not None else []):
                return nest.pack_sequence_as(result, [_same(value) for value in flat])

    @contextlib.contextmanager
    def _entered(self):
        if self._signature in _thread.running:
            raise ValueError(f"Attempting to lock a CriticalSection (signature={self._signature}) in which we are already "
                             "running. This is illegal and may cause deadlocks.")
        _thread.running.append(self._signature)
        try:
            yield
        finally:
            _thread.running.pop()

    def _note_resources(self, graph, created: list, exclusive: bool) -> None:
        """Checks the resources that the nodes created by a function use, and notes them for the next check."""
        used = {}
        for node in created:
            for value in node.inputs:
                if value.dtype.name == "resource":
                    used[(value.op.name, value.value_index)] = value
        notes = graph.get_collection_ref("critical_section_executions")
        for other, resources, other_exclusive in notes:
            if other is self or not (exclusive or other_exclusive):
                continue
            shared = [used[key].name for key in used if key in resources]
            if shared:
                raise ValueError("This execution would access resources: "
                                 f"{shared}. Either this lock (CriticalSection: {self._handle}) or lock '{other}' requested "
                                 "exclusive resource access of this resource. Did you mean to call execute with keyword "
                                 "argument exclusive_resource_access=False?")
        notes.append((self, set(used), exclusive))
