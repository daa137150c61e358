"""What `tf.train.Checkpoint.restore` returns: what has been restored, and what waits."""

from __future__ import annotations

import abc

from tracefn._checkpoint.graph_view import ObjectGraphView, Walk, list_objects
from tracefn._checkpoint.named import NameBasedRestore
from tracefn._checkpoint.restoring import RestoreCoordinator, update_uid
from tracefn._checkpoint.values import has_values
from tracefn._checkpoint.writing import default_session
from tracefn._logging import warn
from tracefn._tracking.structure import TrackableDataStructure
from tracefn._value_text import value_text
from tracefn.framework import executing_eagerly

_NOTHING = "No checkpoint specified (save_path=None); nothing is being restored."


class LoadStatus(abc.ABC):
    """The base of the status classes."""

    @abc.abstractmethod
    def assert_consumed(self):
        """Raises AssertionError unless every value has gone to an object, and every object has got its values."""

    @abc.abstractmethod
    def assert_existing_objects_matched(self):
        """Raises AssertionError unless every object has got its values."""

    @abc.abstractmethod
    def assert_nontrivial_match(self):
        """Raises AssertionError if no object but the root is in the checkpoint."""

    @abc.abstractmethod
    def run_restore_ops(self, session=None) -> None:
        """In a graph: restores in a session, the default one by default."""

    @abc.abstractmethod
    def initialize_or_restore(self, session=None) -> None:
        """In a graph: restores in a session, and initializes what is not restored."""

    def expect_partial(self):
        """Lets values that nothing takes go without a warning; returns the status."""
        return self


def streaming_restore(status, session=None) -> None:
    """Restores in a session, now and whenever objects come for which values wait. Eagerly it does nothing.

    Args:
      status: what `restore` has returned.
      session: the session; None for the default one.

    Raises:
      NotImplementedError: the checkpoint has no object graph.
    """
    if executing_eagerly():
        return
    if isinstance(status, NameBasedSaverStatus):
        raise NotImplementedError(
            "Streaming restore not supported from name-based checkpoints when graph building. File a feature request if this "
            "limitation bothers you. As a workaround, consider either using tf.train.Checkpoint to load name-based checkpoints "
            "or enabling eager execution."
        )
    session = default_session(session)
    status.run_restore_ops(session)
    status._checkpoint.new_restore_ops_callback = lambda ops: session.run(ops, feed_dict=status._feed_dict)


def _different(objects, others) -> list:
    known = {id(one) for one in others}
    return [one for one in objects if id(one) not in known]


def _texts(objects) -> str:
    return f"[{', '.join(value_text(one) for one in objects)}]"


def check_bound(unmatched: list) -> None:
    """
    Raises:
      AssertionError: there are objects for which a checkpoint has no values.
    """
    if unmatched:
        shown = unmatched[:10]
        raise AssertionError(
            f"Found {len(unmatched)} Python objects that were not bound to checkpointed values, likely due to changes in the "
            f"Python program. Showing {len(shown)} of {len(unmatched)} unmatched objects: {_texts(shown)}"
        )


class CheckpointLoadStatus(LoadStatus):
    """The status of the restore of an object-based checkpoint.

    Example:
      >>> import tempfile, tracefn as tf
      >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(tempfile.mkdtemp() + "/c")
      >>> later = tf.train.Checkpoint()
      >>> status = later.read(path)
      >>> later.v = tf.Variable(0.0)  # gets its value now
      >>> later.v.numpy(), type(status.assert_consumed()).__name__
      (np.float32(1.0), 'CheckpointLoadStatus')
    """

    def __init__(self, checkpoint: RestoreCoordinator, feed_dict, graph_view: ObjectGraphView, options) -> None:
        self._checkpoint = checkpoint
        self._feed_dict = feed_dict
        self._object_graph_view = graph_view
        self._root = graph_view.root
        self._options = options

    def _objects(self) -> list:
        return list_objects(self._object_graph_view, self._options.experimental_skip_slot_variables)

    def _unmatched(self) -> list:
        """The objects with values of their own that are not in the checkpoint."""
        known = [one for one in self._checkpoint.all_python_objects if has_values(one)]
        return _different(known, list(self._checkpoint.object_by_proto_id.values()))

    def assert_consumed(self):
        """Returns the status if every value has gone to an object, and every object has got its values.

        Raises:
          AssertionError: otherwise.
        """
        checkpoint = self._checkpoint
        self.assert_existing_objects_matched()
        names = checkpoint.object_graph.names()
        skipped = set()
        if self._options.experimental_skip_slot_variables:
            skipped = {slot.slot_variable_node_id for node in checkpoint.object_graph.nodes for slot in node.slot_variables}
        for number, node in enumerate(checkpoint.object_graph.nodes):
            if node.attributes and number not in skipped and checkpoint.object_by_proto_id.get(number) is None:
                raise AssertionError(f"Unresolved object in checkpoint {names.get(number)}: {node}")
        if checkpoint.slot_restorations:
            raise AssertionError(f"Unresolved slot restorations: {checkpoint.slot_restorations}")
        if checkpoint.unused_attributes:
            unused = "\n".join(
                f"{names.get(number)} ({value_text(checkpoint.object_by_proto_id.get(number))}): {attributes}"
                for number, attributes in checkpoint.unused_attributes.items()
            )
            raise AssertionError(
                "Unused attributes in these objects (the attributes exist in the checkpoint but were not restored):\n" + unused
            )
        return self

    def assert_existing_objects_matched(self):
        """Returns the status if every object that is there has got its values.

        Raises:
          AssertionError: otherwise.
        """
        checkpoint = self._checkpoint
        for number, node in enumerate(checkpoint.object_graph.nodes):
            trackable = checkpoint.object_by_proto_id.get(number)
            last = None if trackable is None else update_uid(trackable)
            if last is not None and last < checkpoint.restore_uid:
                raise AssertionError(f"Object {node} not assigned a value from checkpoint.")
        for one in self._objects():
            if not isinstance(one, TrackableDataStructure) or one._trackable_children(save_type="checkpoint"):
                checkpoint.all_python_objects.add(one)
        check_bound(self._unmatched())
        return self

    def assert_nontrivial_match(self):
        """Returns the status if an object other than the root is in the checkpoint.

        Raises:
          AssertionError: otherwise.
        """
        for one in self._objects():
            self._checkpoint.all_python_objects.add(one)
        if len(self._checkpoint.object_by_proto_id) <= 1:
            unmatched = self._unmatched()
            if unmatched:
                raise AssertionError(
                    "Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint does "
                    "not match the Python program. The following objects have no matching checkpointed value: "
                    f"{_texts(unmatched)}"
                )
            raise AssertionError(
                f"Nothing to load. No dependencies have been added to {value_text(self._object_graph_view.root)} yet."
            )
        return self

    def run_restore_ops(self, session=None) -> None:
        """In a graph: restores in a session, the default one by default. Eagerly it does nothing."""
        if not executing_eagerly():
            session = default_session(session)
            session.run(self._checkpoint.restore_ops, feed_dict=self._feed_dict)

    def initialize_or_restore(self, session=None) -> None:
        """In a graph: restores in a session, and runs the initializers of what is not restored."""
        if executing_eagerly():
            return
        session = default_session(session)
        known = list(self._checkpoint.object_by_proto_id.values())
        waiting = [
            one.initializer for one in _different(list_objects(self._object_graph_view), known)
            if getattr(one, "initializer", None) is not None and _is_older(one, self._checkpoint.restore_uid)
        ]  # fmt: skip
        self.run_restore_ops(session)
        session.run(waiting)

    def expect_partial(self):
        """Lets values that nothing takes go without a warning; returns the status."""
        self._checkpoint.expect_partial = True
        return self


def _is_older(trackable, uid: int) -> bool:
    last = update_uid(trackable)
    return last is None or last < uid


class InitializationOnlyStatus(LoadStatus):
    """The status if no checkpoint was given: assertions fail."""

    def __init__(self, object_graph_view: ObjectGraphView, restore_uid: int) -> None:
        self._restore_uid = restore_uid
        self._object_graph_view = object_graph_view
        self._root = object_graph_view.root

    def assert_consumed(self):
        """Raises AssertionError."""
        raise AssertionError(_NOTHING)

    def assert_existing_objects_matched(self):
        """Raises AssertionError."""
        raise AssertionError(_NOTHING)

    def assert_nontrivial_match(self):
        """Raises AssertionError."""
        raise AssertionError(_NOTHING)

    def run_restore_ops(self, session=None) -> None:
        """Raises AssertionError."""
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )

    def initialize_or_restore(self, session=None) -> None:
        """In a graph: runs the initializers of the objects in a session."""
        if executing_eagerly():
            return
        waiting = [
            one.initializer for one in list_objects(self._object_graph_view)
            if getattr(one, "initializer", None) is not None and _is_older(one, self._restore_uid)
        ]  # fmt: skip
        default_session(session).run(waiting)


class NameBasedSaverStatus(LoadStatus):
    """The status of the restore of a checkpoint without an object graph."""

    def __init__(self, checkpoint: NameBasedRestore, object_graph_view: ObjectGraphView) -> None:
        warn(
            "Restoring a name-based tf.train.Saver checkpoint using the object-based restore API. This mode uses global names to "
            "match variables, and so is somewhat fragile. Prefer re-encoding training checkpoints in the object-based format: "
            "run save() on the same object, and use that checkpoint in the future."
        )
        self._checkpoint = checkpoint
        self._object_graph_view = object_graph_view
        self._optionally_restored: list = []
        self._root = object_graph_view.root

    def add_to_optionally_restored(self, var) -> None:
        """Lets a Variable be absent from the checkpoint."""
        self._optionally_restored.append(var)

    def assert_consumed(self):
        """Returns the status if every object has got its values.

        Raises:
          AssertionError: otherwise.
        """
        optional = {id(one) for one in self._optionally_restored}
        unused = [(one, names) for one, names in self._checkpoint.unused_attributes if id(one) not in optional]
        if unused:
            text = "".join(f"\n    {value_text(one)}: {names}" for one, names in unused)
            raise AssertionError(f"Some objects had attributes which were not restored: {text}")
        for one in Walk(self._object_graph_view).objects:
            last = update_uid(one)
            if last is not None and last < self._checkpoint.restore_uid:
                raise AssertionError(f"Object not restored: {value_text(one)}")
        return self

    def assert_existing_objects_matched(self):
        """As `assert_consumed`."""
        return self.assert_consumed()

    def assert_nontrivial_match(self):
        """As `assert_consumed`."""
        return self.assert_consumed()

    def run_restore_ops(self, session=None) -> None:
        """In a graph: restores in a session. Eagerly it does nothing."""
        if executing_eagerly():
            return
        from tracefn._checkpoint.by_name import restore_objects_by_name  # start-up time: few programs have graphs

        restore_objects_by_name(list_objects(self._object_graph_view), self._checkpoint, default_session(session))

    def initialize_or_restore(self, session=None) -> None:
        """As `run_restore_ops`."""
        self.run_restore_ops(session)
