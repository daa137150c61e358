"""`tf.train.Checkpoint`: saves and restores objects and all that they hold."""

from __future__ import annotations

import copy
import os
import weakref
from typing import Any

from tracefn import _core
from tracefn._checkpoint.graph_view import ObjectGraphView, WeakReference, list_objects
from tracefn._checkpoint.named import NameBasedRestore
from tracefn._checkpoint.object_graph import OBJECT_GRAPH, read_object_graph
from tracefn._checkpoint.options import CheckpointOptions, run_callbacks, with_callback
from tracefn._checkpoint.reader import CheckpointReader
from tracefn._checkpoint.restoring import CheckpointPosition, RestoreCoordinator, next_uid
from tracefn._checkpoint.state_file import update_state
from tracefn._checkpoint.status import CheckpointLoadStatus, InitializationOnlyStatus, NameBasedSaverStatus
from tracefn._checkpoint.writing import Writer, default_session, path_text
from tracefn._paths import text_of_path
from tracefn._tracking.auto import AutoTrackable
from tracefn._tracking.base import TrackableReference, is_trackable, without_tracking
from tracefn.errors import NotFoundError
from tracefn.framework import executing_eagerly, init_scope, inside_function
from tracefn.variable import Variable

_placeholder = _core.raw_op("Placeholder")
_IN_FUNCTION = (
    "Calling tf.train.Checkpoint.save() from a function is not supported, as save() modifies saving metadata in ways not "
    "supported by TensorFlow Operations. Consider using tf.train.Checkpoint.write(), a lower-level API which does not update "
    "metadata. tf.train.latest_checkpoint and related APIs will not see this checkpoint."
)


class _Saver:
    """Writes and restores the objects that a view sees.

    Args:
      view: ObjectGraphView.
    """

    def __init__(self, view: ObjectGraphView) -> None:
        self.view = view
        self.writer = Writer(view)
        self._prefix: Any = None
        self._ops_of_restores: dict = {}  # in sessions

    def restore(self, path, options: CheckpointOptions):
        """Restores the objects; returns a status."""
        if path is None:
            return InitializationOnlyStatus(self.view, next_uid())
        reader = CheckpointReader(path)
        if not reader.has_tensor(OBJECT_GRAPH):
            return self._restore_by_name(path, reader)
        graph = read_object_graph(reader)
        prefix, feeds = path, None
        with init_scope():
            if not executing_eagerly():
                if self._prefix is None or self._prefix.graph is not _core.current_graph():
                    self._prefix = _placeholder(dtype="string", shape=[])
                    self._ops_of_restores = {}
                prefix, feeds = self._prefix, {self._prefix: path}
        checkpoint = RestoreCoordinator(graph, path, prefix, reader, options, self._ops_of_restores)
        root = self.view.root
        CheckpointPosition(checkpoint, 0).restore(root)
        numbers = {child.local_name: child.node_id for child in graph.nodes[0].children}
        for attached in self.view.attached_dependencies or ():
            number = numbers.get(attached.name)
            if attached.name == "root" or number is None or attached.ref is None:
                continue
            if checkpoint.object_by_proto_id.get(number) is None:
                CheckpointPosition(checkpoint, number).restore(attached.ref)
        return CheckpointLoadStatus(checkpoint, feeds, self.view, options)

    def _restore_by_name(self, path, reader) -> NameBasedSaverStatus:
        checkpoint = NameBasedRestore(path, reader)
        if executing_eagerly():
            for trackable in list_objects(self.view):
                if hasattr(trackable, "_name_based_attribute_restore"):
                    trackable._maybe_initialize_trackable()
                    trackable._name_based_attribute_restore(checkpoint)
        return NameBasedSaverStatus(checkpoint, self.view)


def _check_trackable(value, name: str) -> None:
    if not is_trackable(value):
        raise ValueError(
            f"`Checkpoint` was expecting {name + ' to be ' if name else ''}a trackable object (an object derived from "
            f"`Trackable`), got {value}. If you believe this object should be trackable (i.e. it is part of the "
            "TensorFlow Python API and manages state), please open an issue."
        )


def _referred(value):
    return value() if isinstance(value, weakref.ref) else value


_OF_THE_ORIGINAL = frozenset({"_attached_dependencies", "_saver", "_save_assign_op"})


class _Counted(AutoTrackable):
    """What the classes of both versions share: the counter of saves."""

    def __deepcopy__(self, memo):
        """A checkpoint of copies of the objects; what has been made for writing belongs to the original."""
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        own = {name: value for name, value in vars(self).items() if name not in _OF_THE_ORIGINAL}
        for name, value in own.items():
            object.__setattr__(copied, name, copy.deepcopy(value, memo))
        copied._view_again(self, memo)
        return copied

    def _view_again(self, original, memo) -> None:
        """Lets a copy see its own objects."""
        del original, memo
        object.__setattr__(self, "_save_assign_op", None)
        object.__setattr__(self, "_saver", _Saver(ObjectGraphView(weakref.ref(self))))

    _save_counter: Any
    _save_assign_op: Any
    _saver: _Saver

    def _make_counter(self):
        with init_scope():
            return Variable(0, trainable=False, name="save_counter", dtype="int64")

    def _count(self, session):
        """Adds one to the counter; returns the new value."""
        if executing_eagerly():
            return int(self.save_counter.assign_add(1, read_value=True).numpy())
        if inside_function():
            raise NotImplementedError(_IN_FUNCTION)
        if session is None:
            raise RuntimeError("Saving in graph mode needs a session. Please use `with tf.Session():` to create a session.")
        if self._save_counter is None:
            session.run(self.save_counter.initializer)
        if self._save_assign_op is None:
            counted = self.save_counter.assign_add(1, read_value=True)
            with without_tracking(self):
                self._save_assign_op = counted
        return int(session.run(self._save_assign_op))

    @property
    def save_counter(self):
        """The Variable, int64, that counts the calls of `save`."""
        self._maybe_create_save_counter()
        return self._save_counter

    def _maybe_create_save_counter(self) -> None:
        raise NotImplementedError


class Checkpoint(_Counted):
    """Saves and restores objects, and the Variables and other objects that they hold, in TensorFlow's format.

    Objects that come after a restore get their values when they become attributes of what was restored.

    Args:
      root: an object whose children are those of the checkpoint, or a weak reference to it; None: the arguments below are
        the children.
      **kwargs: the objects by their names: Modules, Variables, Keras models, optimizers, datasets' iterators, lists and dicts
        of them. They become attributes.

    Raises:
      ValueError: an argument cannot be saved, or `root` has another object under its name.

    Example:
      >>> import tempfile, tracefn as tf
      >>> v = tf.Variable([1.0, 2.0])
      >>> checkpoint = tf.train.Checkpoint(v=v)
      >>> path = checkpoint.save(tempfile.mkdtemp() + "/c")
      >>> v.assign([5.0, 5.0]).numpy()
      array([5., 5.], dtype=float32)
      >>> _ = checkpoint.restore(path).assert_consumed()
      >>> v.numpy()
      array([1., 2.], dtype=float32)
    """

    def __init__(self, root=None, **kwargs) -> None:
        super().__init__()
        attached: list | None = None
        trackable_root = _referred(root)
        with without_tracking(self):
            self._root = root
            self._kwargs = kwargs
            self._save_counter = self._save_assign_op = None
        if root is not None:
            _check_trackable(trackable_root, "root")
            attached = []
            kwargs = {**kwargs, "root": root}
            trackable_root._maybe_initialize_trackable()
            with without_tracking(self):
                self._save_counter = trackable_root._lookup_dependency("save_counter")
        for name, value in sorted(kwargs.items()):
            setattr(self, name, value)
            held = _referred(getattr(self, name))
            _check_trackable(held, name)
            if attached is None:
                continue
            child = trackable_root._lookup_dependency(name)
            if child is None:
                attached.append(WeakReference(name, weakref.ref(held)))
            elif child is not held:
                raise ValueError(f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists.")
        view = ObjectGraphView(self if root is None else root, attached)
        if root is None:
            view = ObjectGraphView(weakref.ref(self))
        with without_tracking(self):
            self._attached_dependencies = attached
            self._saver = _Saver(view)

    def _view_again(self, original, memo) -> None:
        super()._view_again(original, memo)
        attached = original._attached_dependencies
        if attached is not None:
            attached = [_copied_reference(one, memo) for one in attached]
            root = _referred(self._root)
            reference = root if self._root is root else weakref.ref(root)
            object.__setattr__(self, "_saver", _Saver(ObjectGraphView(reference, attached)))
        object.__setattr__(self, "_attached_dependencies", attached)

    def _maybe_create_save_counter(self) -> None:
        if self._save_counter is not None:
            return
        counter = self._make_counter()
        with without_tracking(self):
            self._save_counter = counter
        self._track_trackable(counter, "save_counter")
        if self._attached_dependencies is not None:
            self._attached_dependencies.append(TrackableReference("save_counter", counter))
            waiting = self._saver.view.root._deferred_dependencies.pop("save_counter", ())
            if waiting:
                waiting[0].restore(counter)

    def write(self, file_prefix, options=None):
        """Writes a checkpoint without a number. Works in a `tf.function`, too.

        Args:
          file_prefix: str or path, with which the paths of the files begin.
          options: tf.train.CheckpointOptions, or None.

        Returns:
          The prefix as str; while a function is traced, a tensor.
        """
        return self._write(file_prefix, options)

    def _write(self, file_prefix, options=None):
        options = options or CheckpointOptions()
        if isinstance(file_prefix, os.PathLike):
            file_prefix = os.fspath(file_prefix)
        path = path_text(self._saver.writer.write(file_prefix))
        run_callbacks(options, path)
        return path

    def save(self, file_prefix, options=None):
        """Writes a checkpoint with the next number, and names it in the file "checkpoint" beside it.

        Args:
          file_prefix: str or path; "-" and the number follow.
          options: tf.train.CheckpointOptions, or None.

        Returns:
          The prefix with the number, as str.

        Raises:
          NotImplementedError: in a `tf.function`, where `write` works.
        """
        if isinstance(file_prefix, os.PathLike):
            file_prefix = os.fspath(file_prefix)
        number = self._count(None if executing_eagerly() or inside_function() else default_session())
        return self._write(f"{_text(file_prefix)}-{number}", with_callback(options, _name_as_latest))

    def read(self, save_path, options=None):
        """Restores a checkpoint that `write` has written.

        Args:
          save_path: str or path, as `write` has returned it.
          options: tf.train.CheckpointOptions, or None.

        Returns:
          A status: `assert_consumed()`, `assert_existing_objects_matched()`, `assert_nontrivial_match()`, `expect_partial()`.

        Raises:
          NotFoundError: there is no such checkpoint.
          OpError, IndexError: its files are damaged.
        """
        if save_path is not None:
            save_path = text_of_path(save_path)
        return self._saver.restore(save_path, options or CheckpointOptions())

    def restore(self, save_path, options=None):
        """Restores a checkpoint that `save` has written.

        Args:
          save_path: str or path, as `save` or `tf.train.latest_checkpoint` returned it; None restores nothing. The directory of
            a SavedModel: its Variables.
          options: tf.train.CheckpointOptions, or None.

        Returns:
          A status; see `read`.

        Raises:
          NotFoundError: there is no such checkpoint.
          OpError, IndexError: its files are damaged.
        """
        path = None if save_path is None else text_of_path(save_path)
        if path is not None and any(os.path.exists(os.path.join(path, f"saved_model.{end}")) for end in ("pb", "pbtxt")):
            path = os.path.join(path, "variables", "variables")
        try:
            status = self.read(path, options=options)
        except NotFoundError as error:
            raise NotFoundError(
                None,
                None,
                f"Error when restoring from checkpoint or SavedModel at {save_path}: {error.message}\nPlease double-check that "
                "the path is correct. You may be missing the checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1').",
            ) from None
        self._maybe_create_save_counter()
        if isinstance(status, NameBasedSaverStatus):
            status.add_to_optionally_restored(self.save_counter)
        return status

    def sync(self) -> None:
        """Waits for writes to end; they have ended when the methods return."""


def _copied_reference(reference, memo):
    """A reference to the copy of an object."""
    copied = copy.deepcopy(reference.ref, memo)
    if isinstance(reference, WeakReference):
        return WeakReference(reference.name, weakref.ref(copied))
    return TrackableReference(reference.name, copied)


def _text(prefix) -> str:
    return os.fsdecode(prefix) if isinstance(prefix, (str, bytes)) else prefix


def _name_as_latest(path) -> None:
    update_state(os.path.dirname(path), path, [path], save_relative_paths=True)


class CheckpointV1(_Counted):
    """`tf.compat.v1.train.Checkpoint`: as `tf.train.Checkpoint`, with sessions given to its methods.

    Args:
      **kwargs: the objects by their names; they become attributes.

    Raises:
      ValueError: an argument cannot be saved.
    """

    def __init__(self, **kwargs) -> None:
        super().__init__()
        for name, value in sorted(kwargs.items()):
            setattr(self, name, value)
            _check_trackable(getattr(self, name), "")
        with without_tracking(self):
            self._save_counter = self._save_assign_op = None
            self._saver = _Saver(ObjectGraphView(weakref.ref(self)))

    def _maybe_create_save_counter(self) -> None:
        if self._save_counter is None:
            counter = self._make_counter()
            with without_tracking(self):
                self._save_counter = counter
            self._track_trackable(counter, "save_counter")

    def write(self, file_prefix, session=None, options=None):
        """Writes a checkpoint without a number; returns the prefix."""
        path = path_text(self._saver.writer.write(file_prefix, session))
        run_callbacks(options or CheckpointOptions(), path)
        return path

    def save(self, file_prefix, session=None, options=None):
        """Writes a checkpoint with the next number, and names it in the file "checkpoint"; returns its prefix."""
        number = self._count(None if executing_eagerly() or inside_function() else default_session(session))
        path = self.write(f"{_text(file_prefix)}-{number}", session, options)
        update_state(os.path.dirname(_text(file_prefix)), path, [path], save_relative_paths=True)
        return path

    def restore(self, save_path):
        """Restores a checkpoint; returns a status."""
        status = self._saver.restore(save_path, CheckpointOptions())
        self._maybe_create_save_counter()
        if isinstance(status, NameBasedSaverStatus):
            status.add_to_optionally_restored(self.save_counter)
        return status
