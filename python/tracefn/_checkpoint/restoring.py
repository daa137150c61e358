"""A checkpoint being restored: which of its objects is which Python object, and what waits for objects to come."""

from __future__ import annotations

import collections
import itertools
import weakref
from typing import Any, NamedTuple

from tracefn import _core
from tracefn._checkpoint.object_graph import VARIABLE_VALUE, ObjectGraph
from tracefn._checkpoint.values import Restoration, restorations
from tracefn._logging import warn
from tracefn._value_text import value_text
from tracefn.framework import executing_eagerly, init_scope
from tracefn.tensor_shape import TensorShape

_restore = _core.raw_op("RestoreV2")
_uids = itertools.count(1)


def next_uid() -> int:
    """The number of a restore; later ones have greater numbers."""
    return next(_uids)


class IdentitySet:
    """Objects by identity, which it does not keep alive; those that cannot be referred to weakly it does."""

    def __init__(self) -> None:
        self._held: dict[int, Any] = {}

    def add(self, value) -> None:
        """Adds an object."""
        key = id(value)
        held = self._held

        def drop(_) -> None:
            held.pop(key, None)

        try:
            held[key] = weakref.ref(value, drop)
        except TypeError:
            held[key] = lambda: value

    def __iter__(self):
        for reference in list(self._held.values()):
            value = reference()
            if value is not None:
                yield value


class _Leftovers:
    """What a checkpoint holds that nothing has taken."""

    def __init__(self, graph: ObjectGraph, matched: set, unused: dict) -> None:
        self.expect_partial = False
        self._graph, self._matched, self._unused = graph, matched, unused

    def log(self) -> None:
        """Logs it, unless it is expected: nothing can take it any more, or the program ends."""
        nodes = self._graph.nodes
        unknown = [i for i, node in enumerate(nodes) if node.attributes and i not in self._matched]
        if self.expect_partial or not unknown and not self._unused:
            return
        names = self._graph.names()
        warn(
            "Detecting that an object or model or tf.train.Checkpoint is being deleted with unrestored values. See the "
            "following logs for the specific values in question. To silence these warnings, use `status.expect_partial()`. "
            "See https://www.tensorflow.org/api_docs/python/tf/train/Checkpoint#restorefor details about the status object "
            "returned by the restore function."
        )
        for i in unknown:
            warn(f"Value in checkpoint could not be found in the restored object: {names.get(i)}")
        for i, attribute in self._unused.items():
            warn(
                "An attribute in the restored object could not be found in the checkpoint. "
                f"Object: {names.get(i)}, attribute: {attribute}"
            )


class _WaitingSlot(NamedTuple):
    """What an optimizer keeps for a Variable, while one of the two is not there yet."""

    optimizer_id: int
    slot_variable_id: int
    slot_name: str


class RestoreCoordinator:
    """One restore of an object-based checkpoint.

    Args:
      graph: ObjectGraph.
      prefix: str, with which the paths of the files begin.
      prefix_tensor: the same for ops.
      reader: CheckpointReader.
      options: CheckpointOptions.
      ops_made: dict, the ops of earlier restores in the graph, which read with the same `prefix_tensor`.

    Attributes:
      restore_uid: int, greater than those of earlier restores.
      object_by_proto_id: the Python objects by their numbers in the checkpoint, held weakly.
      unused_attributes: the names of values that objects do not know, by numbers.
      restore_ops: list of the ops to run, in a graph.
    """

    def __init__(self, graph: ObjectGraph, prefix, prefix_tensor, reader, options, ops_made: dict) -> None:
        self.object_graph = graph
        self.options = options
        self.restore_uid = next_uid()
        self.save_path_string = prefix
        self.prefix_tensor = prefix_tensor
        self.reader = reader
        self.object_by_proto_id: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
        self.matched_proto_ids: set[int] = set()
        self.all_python_objects = IdentitySet()
        self.unused_attributes: dict[int, list[str]] = {}
        self.restore_ops: list = []
        self.ops_made = ops_made
        self.new_restore_ops_callback: Any = None
        # By the Variable, while it is not there; then by the optimizer.
        self.slot_restorations: dict[int, list[_WaitingSlot]] = {}
        self.deferred_slot_restorations: dict[int, list[tuple]] = {}
        if not options.experimental_skip_slot_variables:
            for number, node in enumerate(graph.nodes):
                for slot in node.slot_variables:
                    waiting = self.slot_restorations.setdefault(slot.original_variable_node_id, [])
                    waiting.append(_WaitingSlot(number, slot.slot_variable_node_id, slot.slot_name))
        self._leftovers = _Leftovers(graph, self.matched_proto_ids, self.unused_attributes)
        weakref.finalize(self, self._leftovers.log)

    @property
    def expect_partial(self) -> bool:
        """Whether values that nothing takes are expected, and not logged."""
        return self._leftovers.expect_partial

    @expect_partial.setter
    def expect_partial(self, value: bool) -> None:
        self._leftovers.expect_partial = value

    def run(self, found: list[Restoration]) -> None:
        """Reads what objects want, and gives it to them. In a graph this makes ops."""
        if not executing_eagerly():
            self._run_in_graph(found)
            return
        self._give(found)

    def _run_in_graph(self, found: list[Restoration]) -> None:
        """Makes the ops of those that have none yet; the same restore has the same ops."""
        self._give([one for one in found if not one.wanted])  # values of Python, which no op takes
        found = [one for one in found if one.wanted]
        key = tuple((id(one.owner), tuple(one.wanted)) for one in found)
        if key not in self.ops_made:
            # The owners are kept, so that no other object gets their ids.
            self.ops_made[key] = ([op for one in self._give(found) for op in _flat(one)], [one.owner for one in found])
        ops, _ = self.ops_made[key]
        self.restore_ops += ops
        if self.new_restore_ops_callback is not None and ops:
            self.new_restore_ops_callback(ops)

    def _give(self, found: list[Restoration]) -> list:
        """Reads what is wanted, and gives it to the objects; returns what they return."""
        wanted = [one for restoration in found for one in restoration.wanted]
        values: list = []
        if wanted:
            values = _restore(
                prefix=self.prefix_tensor,
                tensor_names=[one.key for one in wanted],
                shape_and_slices=[one.slice_spec for one in wanted],
                dtypes=[one.dtype for one in wanted],
            )
        made, start = [], 0
        for restoration in found:
            end = start + len(restoration.wanted)
            made.append(restoration.restore(list(values[start:end])))
            start = end
        return made


def _flat(made) -> list:
    """The ops among what a restore has returned."""
    if made is None:
        return []
    if isinstance(made, dict):
        return [op for one in made.values() for op in _flat(one)]
    if isinstance(made, (list, tuple)):
        return [op for one in made for op in _flat(one)]
    return [made]


def update_uid(trackable) -> int | None:
    """The number of the last restore of an object; None for native Functions, which have no values."""
    initialize = getattr(trackable, "_maybe_initialize_trackable", None)
    if initialize is None:
        return None
    initialize()
    return trackable._update_uid


class CheckpointPosition:
    """An object of a checkpoint that is being restored.

    Args:
      checkpoint: RestoreCoordinator.
      proto_id: int, the object's number.
    """

    __slots__ = ("_checkpoint", "_proto_id")

    def __init__(self, checkpoint: RestoreCoordinator, proto_id: int) -> None:
        self._checkpoint = checkpoint
        self._proto_id = proto_id

    @property
    def checkpoint(self) -> RestoreCoordinator:
        """The restore."""
        return self._checkpoint

    @property
    def proto_id(self) -> int:
        """The object's number in the checkpoint."""
        return self._proto_id

    @property
    def object_proto(self):
        """The Node."""
        return self._checkpoint.object_graph.nodes[self._proto_id]

    @property
    def trackable(self):
        """The Python object that it is.

        Raises:
          KeyError: there is none yet.
        """
        return self._checkpoint.object_by_proto_id[self._proto_id]

    @property
    def restore_uid(self) -> int:
        """The number of the restore."""
        return self._checkpoint.restore_uid

    def __repr__(self) -> str:
        return str(self.object_proto)

    def restore(self, trackable, reader=None) -> None:
        """Restores a Python object, and what it holds; what it does not hold yet waits."""
        del reader
        with init_scope():
            if self.bind_object(trackable):
                self._restore_descendants()

    def bind_object(self, trackable) -> bool:
        """Takes note of which Python object this is; False if it was known."""
        checkpoint = self._checkpoint
        checkpoint.all_python_objects.add(trackable)
        checkpoint.matched_proto_ids.add(self._proto_id)
        current = checkpoint.object_by_proto_id.get(self._proto_id)
        if current is None:
            checkpoint.object_by_proto_id[self._proto_id] = trackable
            return True
        if current is not trackable:
            warn(
                "Inconsistent references when loading the checkpoint into this object graph. For example, in the saved "
                "checkpoint object, `model.layer.weight` and `model.layer_copy.weight` reference the same variable, while in "
                f"the current object these are two different variables. The referenced variables are:({value_text(current)} "
                f"and {value_text(trackable)})."
            )
        return False

    def is_simple_variable(self) -> bool:
        """Whether it is a Variable, whose initial value can be the one in the checkpoint."""
        node = self.object_proto
        return len(node.attributes) == 1 and node.attributes[0].name == VARIABLE_VALUE and not node.children

    def value_tensors(self, shape_and_slices=None) -> dict:
        """Its values in the checkpoint by their names.

        Args:
          shape_and_slices: dict from names to slice specifications of what to read, or None.
        """
        dtypes = self._checkpoint.reader.get_variable_to_dtype_map()
        found = {}
        for attribute in self.object_proto.attributes:
            with init_scope():
                (found[attribute.name],) = _restore(
                    prefix=self._checkpoint.prefix_tensor,
                    tensor_names=[attribute.checkpoint_key],
                    shape_and_slices=[(shape_and_slices or {}).get(attribute.name, "")],
                    dtypes=[dtypes[attribute.checkpoint_key]],
                )
        return found

    def value_shape(self):
        """The shape of a Variable's value in the checkpoint; None for other objects."""
        for attribute in self.object_proto.attributes:
            if attribute.name == VARIABLE_VALUE:
                return TensorShape(self._checkpoint.reader.get_variable_to_shape_map()[attribute.checkpoint_key])
        return None

    def _restore_descendants(self) -> None:
        found: list[Restoration] = []
        waiting = collections.deque([self])
        while waiting:
            position = waiting.popleft()
            found += position._values()
            waiting.extend(position._children())
            waiting.extend(position._slots())
        self._checkpoint.run(found)

    def _values(self) -> list[Restoration]:
        """How the object itself takes its values, unless a later restore has given it others."""
        checkpoint, trackable = self._checkpoint, self.trackable
        last = update_uid(trackable)
        if last is None or last >= checkpoint.restore_uid:
            return []

        def unused(name: str) -> None:
            checkpoint.unused_attributes.setdefault(self._proto_id, []).append(name)

        node = self.object_proto
        # In a graph, asking an object for its tensors may make ops: once is enough.
        key = id(trackable), tuple(attribute.checkpoint_key for attribute in node.attributes)
        known = None if executing_eagerly() else checkpoint.ops_made.get(key)
        if known is None:
            known = restorations(trackable, node, checkpoint.reader, unused), trackable
            if not executing_eagerly() and all(one.wanted for one in known[0]):
                checkpoint.ops_made[key] = known
        trackable._update_uid = checkpoint.restore_uid
        return known[0]

    def _children(self):
        """The positions of its children that are there; the others wait for theirs."""
        checkpoint, trackable = self._checkpoint, self.trackable
        held = trackable._trackable_children() if hasattr(trackable, "_trackable_children") else {}
        for child in self.object_proto.children:
            if checkpoint.object_by_proto_id.get(child.node_id) is not None:
                continue
            position = CheckpointPosition(checkpoint, child.node_id)
            found = trackable._lookup_dependency(child.local_name, held) if hasattr(trackable, "_lookup_dependency") else None
            if found is not None:
                if position.bind_object(found):
                    yield position
            elif position.object_proto.may_have_values() and update_uid(trackable) is not None:
                trackable._deferred_dependencies.setdefault(child.local_name, []).append(position)

    def _slots(self):
        """The positions of what optimizers keep for this Variable, and of what this optimizer keeps for others."""
        checkpoint, trackable = self._checkpoint, self.trackable
        for variable, slot in checkpoint.deferred_slot_restorations.pop(self._proto_id, ()):
            yield from self._slot(trackable, variable, slot)
        for slot in checkpoint.slot_restorations.pop(self._proto_id, ()):
            optimizer = checkpoint.object_by_proto_id.get(slot.optimizer_id)
            if optimizer is None:
                checkpoint.deferred_slot_restorations.setdefault(slot.optimizer_id, []).append((trackable, slot))
            else:
                yield from self._slot(optimizer, trackable, slot)

    def _slot(self, optimizer, variable, slot: _WaitingSlot):
        create = getattr(optimizer, "_create_or_restore_slot_variable", None)
        if create is None:
            return
        position = CheckpointPosition(self._checkpoint, slot.slot_variable_id)
        made = create(slot_variable_position=position, variable=variable, slot_name=slot.slot_name)
        if made is not None and position.bind_object(made):
            yield position
