"""`tf.compat.v1.train.Saver`: saves and restores Variables by their names."""

from __future__ import annotations

import copy
import os
import time
from typing import Any

from tracefn import _core
from tracefn._checkpoint.by_name import restorations, restore_all, saveables_of, tensors_of
from tracefn._checkpoint.files import remove_checkpoint
from tracefn._checkpoint.object_graph import OBJECT_GRAPH, ObjectGraph, keys_by_name, read_object_graph
from tracefn._checkpoint.reader import CheckpointReader
from tracefn._checkpoint.saveable import SaveableObject
from tracefn._checkpoint.saver_def import V2
from tracefn._checkpoint.saver_def import saver_def as made_saver_def
from tracefn._checkpoint.state_file import files_of, update_state
from tracefn._checkpoint.writing import save_tensors
from tracefn._export import export
from tracefn._graph.collections import get_collection
from tracefn._logging import inform, warn
from tracefn.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError
from tracefn.framework import control_dependencies, default_graph, executing_eagerly
from tracefn.variable import Variable

_placeholder = _core.raw_op("PlaceholderWithDefault")
_identity = _core.raw_op("Identity")
_no_op = _core.raw_op("NoOp")

_EAGER = (
    "Saver is deprecated, please switch to tf.train.Checkpoint or tf.keras.Model.save_weights for training checkpoints. When "
    "executing eagerly variables do not necessarily have unique names, and so the variable.name-based lookups Saver performs "
    "are error-prone."
)


_export_meta_graph: Any = None


def set_export_meta_graph(function) -> None:
    """Sets `tf.compat.v1.train.export_meta_graph`."""
    global _export_meta_graph
    _export_meta_graph = function


@export("compat.v1.train.Saver")
class Saver:
    """Saves Variables by their names, in sessions and eagerly.

    In sessions, a file ".meta" with the graph stands beside each checkpoint: see `tf.compat.v1.train.import_meta_graph`.

    Args:
      var_list: list of Variables and tables, or a dict from names to them; None: all Variables of the graph.
      max_to_keep: int, how many checkpoints are kept; None or 0: all.
      keep_checkpoint_every_n_hours: number; one checkpoint of so many hours is kept for ever.
      defer_build: bool, whether `build` makes the nodes later.
      allow_empty: bool, whether there may be nothing to save.
      pad_step_number: bool, whether the step has eight digits.
      save_relative_paths: bool, whether the file "checkpoint" has relative paths.
      filename: str, where to save unless told.
      write_version: 2; the older format is not written.
      reshape, sharded, name, restore_sequentially: accepted; one file holds all, and shapes must fit.
      saver_def: SaverDef of nodes that the graph has, which are used then; None: new ones are made.
      builder: must be None.

    Raises:
      ValueError: there is nothing to save, or two values have one name.
      RuntimeError: eagerly, `var_list` is missing.

    Example:
      >>> import tempfile, tracefn as tf
      >>> v = tf.Variable([1.0, 2.0], name="v")
      >>> saver = tf.compat.v1.train.Saver([v])
      >>> path = saver.save(None, tempfile.mkdtemp() + "/c", global_step=3)
      >>> path[-3:], tf.train.list_variables(path)
      ('c-3', [('v', [2])])
      >>> v.assign([0.0, 0.0]).numpy()
      array([0., 0.], dtype=float32)
      >>> saver.restore(None, path)
      >>> v.numpy()
      array([1., 2.], dtype=float32)
    """

    def __init__(
        self,
        var_list=None,
        reshape=False,
        sharded=False,
        max_to_keep=5,
        keep_checkpoint_every_n_hours=10000.0,
        name=None,
        restore_sequentially=False,
        saver_def=None,
        builder=None,
        defer_build=False,
        allow_empty=False,
        write_version=2,
        pad_step_number=False,
        save_relative_paths=False,
        filename=None,
    ) -> None:
        del reshape, restore_sequentially
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set defer_build=False or var_list=None."
            )
        if builder is not None:
            raise NotImplementedError("tf.compat.v1.train.Saver: `builder` is not supported.")
        if write_version != V2:
            raise NotImplementedError("tf.compat.v1.train.Saver: only `write_version` 2 is supported.")
        if executing_eagerly():
            warn(_EAGER)
            if var_list is None:
                raise RuntimeError("When eager execution is enabled, `var_list` must specify a list or dict of variables to save")
        self._var_list = var_list
        self._sharded = sharded
        self._max_to_keep = max_to_keep or 0
        self._hours = keep_checkpoint_every_n_hours
        self._name = name or "save"
        self._allow_empty = allow_empty
        self._pad_step_number = pad_step_number
        self._save_relative_paths = save_relative_paths
        self._filename = filename or "model"
        self._last_checkpoints: list[tuple[str, float]] = []
        self._next_checkpoint_time = time.time() + self._hours * 3600
        self._saveables: list[SaveableObject] | None = None
        self._nodes: tuple | None = None
        self._by_object: tuple | None = None
        self.saver_def: Any = None
        if saver_def is not None:
            self._take_nodes(default_graph(), saver_def, "")
        elif not executing_eagerly() and not defer_build:
            self.build()

    def build(self) -> None:
        """Makes the nodes in the graph.

        Raises:
          RuntimeError: there is no graph.
          ValueError: there is nothing to save.
        """
        if executing_eagerly():
            raise RuntimeError("Use save/restore instead of build in eager mode.")
        if self._saveables is not None:
            return
        values = self._var_list
        if values is None:
            graph = default_graph()
            values = [one for key in ("variables", "saveable_objects") for one in get_collection(graph, key)]
        self._saveables = self._checked(values)
        if not self._saveables:
            return
        with _core.NameScope(self._name):
            default = _core.convert_to_tensor(self._filename, name="filename/input")
            filename = _placeholder(input=default, shape=[], name="filename")
            filename = _placeholder(input=filename, shape=[], name="Const")  # as in TensorFlow, which feeds this one
            saved = save_tensors(filename, tensors_of(self._saveables))
            with control_dependencies([saved]):
                path = _identity(input=filename, name="control_dependency")
            with control_dependencies(restore_all(filename, restorations(self._saveables))):
                restored = _no_op(name="restore_all")
        self._nodes = (filename, path, restored)
        self.saver_def = made_saver_def(filename.name, path.name, restored.name, self._max_to_keep, self._hours)

    def _checked(self, values) -> list[SaveableObject]:
        if not values and not self._allow_empty:
            raise ValueError("No variables to save")
        return saveables_of(values or [])

    def _is_empty(self) -> bool:
        return self._saveables is not None and not self._saveables and self._nodes is None

    def save(
        self,
        sess,
        save_path,
        global_step=None,
        latest_filename=None,
        meta_graph_suffix="meta",
        write_meta_graph=True,
        write_state=True,
        strip_default_attrs=False,
        save_debug_info=False,
    ):
        """Saves the Variables.

        Args:
          sess: the session; None eagerly.
          save_path: str, with which the paths of the files begin.
          global_step: int, tensor or Variable that follows after "-"; None: nothing does.
          latest_filename: str, another name for the file "checkpoint".
          write_state: bool, whether that file is written, and old checkpoints are deleted.
          meta_graph_suffix: str, the end of the name of the graph's file.
          write_meta_graph: bool, whether that file is written.
          strip_default_attrs, save_debug_info: accepted, without effect.

        Returns:
          The prefix of the files, as str; None if there is nothing to save.

        Raises:
          RuntimeError: `build` was not called.
          ValueError: the name is that of the file "checkpoint".
          TypeError: `sess` is no session.
        """
        del strip_default_attrs, save_debug_info
        if self._saveables is None and not executing_eagerly():
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest_filename = latest_filename or "checkpoint"
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        save_path = os.fsdecode(save_path)
        prefix = save_path
        if global_step is not None:
            step = _step(sess, global_step)
            prefix = f"{save_path}-{step:08d}" if self._pad_step_number else f"{save_path}-{step}"
        elif os.path.basename(save_path) == latest_filename and not self._sharded:
            raise ValueError(f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{save_path}'")
        if not executing_eagerly() and not hasattr(sess, "run"):
            raise TypeError(f"'sess' must be a Session; {sess}")
        try:
            if not self._write(sess, prefix):
                return None
        except (FailedPreconditionError, NotFoundError):
            if not os.path.isdir(_core.local_path(os.fsencode(os.path.dirname(save_path) or "."))):
                raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.") from None
            raise
        if write_state:
            self._record(prefix, latest_filename, os.path.dirname(save_path), meta_graph_suffix)
        if write_meta_graph and not executing_eagerly():
            with sess.graph.as_default():
                self.export_meta_graph(f"{prefix}.{meta_graph_suffix}")
        return prefix

    def _write(self, sess, prefix: str) -> bool:
        """Writes the files; False if there is nothing to save."""
        if executing_eagerly():
            saveables = self._checked(self._var_list)
            if saveables:
                save_tensors(prefix, tensors_of(saveables))
            return bool(saveables)
        if self._is_empty():
            return False
        filename, path, _ = self._nodes  # type: ignore[misc]
        sess.run(path, {filename: prefix})
        return True

    def _record(self, prefix: str, latest_filename: str, directory: str, meta_graph_suffix: str) -> None:
        """Names a checkpoint in the file "checkpoint", and deletes the one that is too old."""
        old = None
        if self._max_to_keep:
            self._last_checkpoints = [one for one in self._last_checkpoints if one[0] != prefix]
            self._last_checkpoints.append((prefix, time.time()))
            if len(self._last_checkpoints) > self._max_to_keep:
                old = self._last_checkpoints.pop(0)
        update_state(
            directory, prefix, self.last_checkpoints, latest_filename, save_relative_paths=self._save_relative_paths
        )
        if old is not None:
            if old[1] > self._next_checkpoint_time:
                self._next_checkpoint_time += self._hours * 3600
            else:
                remove_checkpoint(old[0], V2, meta_graph_suffix)

    def restore(self, sess, save_path) -> None:
        """Restores the Variables; they need not be initialized.

        Args:
          sess: the session; None eagerly.
          save_path: str, as `save` returned it.

        Raises:
          ValueError: there is no such checkpoint.
          NotFoundError: it lacks a Variable.
          InvalidArgumentError: a Variable has another dtype there.
        """
        if self._is_empty():
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        prefix = os.fsdecode(save_path)
        if not files_of(prefix):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {prefix}")
        inform(f"Restoring parameters from {prefix}")
        try:
            if executing_eagerly():
                restore_all(prefix, restorations(self._checked(self._var_list)))
            else:
                filename, _, restored = self._nodes  # type: ignore[misc]
                sess.run(restored, {filename: prefix})
        except NotFoundError as error:
            reader = CheckpointReader(prefix)
            if not reader.has_tensor(OBJECT_GRAPH):
                raise _explained(error, "a Variable name or other graph key that is missing") from None
            warn(
                "Restoring an object-based checkpoint using a name-based saver. This may be somewhat fragile, and will re-build "
                "the Saver. Instead, consider loading object-based checkpoints using tf.train.Checkpoint()."
            )
            self._restore_by_object(sess, prefix, read_object_graph(reader))
        except InvalidArgumentError as error:
            raise _explained(error, "a mismatch between the current graph and the graph") from None

    def _restore_by_object(self, sess, prefix: str, graph: ObjectGraph) -> None:
        """Restores from a checkpoint of objects, which knows the names of Variables."""
        keys = keys_by_name(graph)
        saveables = self._checked(self._var_list) if self._saveables is None else self._saveables
        found = restorations(saveables)
        names = {wanted.key for restoration in found for wanted in restoration.wanted}
        missing = names - keys.keys()
        if missing:
            raise NotFoundError(
                None, None,
                f"\n\nExisting variables not in the checkpoint: {', '.join(sorted(missing))}\n\nVariables names when this "
                f"checkpoint was written which don't exist now: {', '.join(sorted(keys.keys() - names))}\n\n"
                f"({len(names & keys.keys())} variable name(s) did match)\n\nCould not find some variables in the checkpoint (see "
                "names above). Saver was attempting to load an object-based checkpoint (saved using tf.train.Checkpoint or "
                "tf.keras.Model.save_weights) using variable names. If the checkpoint was written with eager execution enabled, "
                "it's possible that variable names have changed (for example missing a '_1' suffix). It's also possible that "
                "there are new variables which did not exist when the checkpoint was written. You can construct a "
                "Saver(var_list=...) with only the variables which previously existed, and if variable names have changed you "
                "may need to make this a dictionary with the old names as keys.",
            )  # fmt: skip
        if executing_eagerly():
            restore_all(prefix, found, keys)
        else:
            sess.run(restore_all(prefix, found, keys))

    @property
    def last_checkpoints(self) -> list:
        """The checkpoints that are not deleted yet, the oldest first."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints) -> None:
        """Sets `last_checkpoints`; they are never kept for ever."""
        assert isinstance(last_checkpoints, list)
        self._last_checkpoints = [(path, float("inf")) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time) -> None:
        """Sets `last_checkpoints`, given as (path, time in seconds since 1970)."""
        assert isinstance(last_checkpoints_with_time, list)
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths) -> None:
        """Sets `last_checkpoints` to those of the given ones that exist."""
        found = [(path, files_of(path)) for path in checkpoint_paths]
        times = [(path, os.stat(_core.local_path(files[0])).st_mtime_ns / 1e9) for path, files in found if files]
        self.set_last_checkpoints_with_time(times)

    def as_saver_def(self):
        """The names of the nodes."""
        return self.saver_def

    def to_proto(self, export_scope=None):
        """The SaverDef, with names from a name scope on; None if its nodes are not in that scope.

        Args:
          export_scope: str, or None for all names.
        """
        names = ("filename_tensor_name", "save_tensor_name", "restore_op_name")
        if export_scope is None or self.saver_def is None:
            return self.saver_def
        prefix = f"{export_scope.rstrip('/')}/"
        if not all(getattr(self.saver_def, name).startswith(prefix) for name in names):
            return None
        made = copy.deepcopy(self.saver_def)
        for name in names:
            setattr(made, name, getattr(made, name).removeprefix(prefix))
        return made

    @staticmethod
    def from_proto(saver_def, import_scope=None):
        """The Saver whose nodes the default graph has.

        Args:
          saver_def: SaverDef.
          import_scope: str, the name scope that its nodes were imported into, or None.

        Raises:
          KeyError: the graph has no such nodes.
        """
        return Saver._of_nodes(default_graph(), saver_def, f"{import_scope}/" if import_scope else "")

    def export_meta_graph(
        self,
        filename=None,
        collection_list=None,
        as_text=False,
        export_scope=None,
        clear_devices=False,
        clear_extraneous_savers=False,
        strip_default_attrs=False,
        save_debug_info=False,
    ):
        """Writes the default graph and the names of this Saver's nodes to a file.

        Arguments and result are those of `tf.compat.v1.train.export_meta_graph`.
        """
        return _export_meta_graph(
            filename,
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
            save_debug_info=save_debug_info,
        )

    @classmethod
    def _of_nodes(cls, graph, record, scope: str):
        """The Saver whose nodes a graph has, by their names in a record SaverDef below a name scope."""
        self = cls(defer_build=True, max_to_keep=record.max_to_keep or 0)
        self._take_nodes(graph, record, scope)
        return self

    def _take_nodes(self, graph, record, scope: str) -> None:
        """Uses nodes that a graph has, by their names in a SaverDef below a name scope."""
        filename, save = scope + record.filename_tensor_name, scope + record.save_tensor_name
        restore = scope + record.restore_op_name
        self._nodes = tuple(graph.as_graph_element(name) for name in (filename, save, restore))
        self._saveables = []
        self._max_to_keep = record.max_to_keep or 0
        self.saver_def = made_saver_def(filename, save, restore, self._max_to_keep, self._hours)


def _step(session, global_step) -> int:
    if isinstance(global_step, int):
        return global_step
    if executing_eagerly() or not isinstance(global_step, (_core.Tensor, Variable)):
        return int(global_step.numpy() if hasattr(global_step, "numpy") else global_step)
    return int(session.run(global_step))


def _explained(error, what: str):
    return type(error)(
        error.node_def,
        error.op,
        f"Restoring from checkpoint failed. This is most likely due to {what} from the checkpoint. Please ensure that you have "
        f"not altered the graph expected based on the checkpoint. Original error:\n\n{error.message}",
    )
