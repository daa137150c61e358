"""`tf.train.CheckpointManager`: numbers checkpoints, and deletes old ones."""

from __future__ import annotations

import os
import time
from typing import Any

from tracefn._checkpoint.files import delete_matching
from tracefn._checkpoint.options import with_callback
from tracefn._checkpoint.state_file import get_checkpoint_state, update_state
from tracefn._checkpoint.writing import default_session
from tracefn._logging import inform, warn
from tracefn.framework import executing_eagerly


def _evaluated(value) -> int:
    """A number given as such, as a tensor or as a Variable."""
    if isinstance(value, int):
        return value
    if executing_eagerly():
        return int(value.numpy() if hasattr(value, "numpy") else value)
    return int(default_session().run(value))


class CheckpointManager:
    """Saves a checkpoint from time to time, and keeps the latest ones.

    Args:
      checkpoint: tf.train.Checkpoint.
      directory: str or path, in which the checkpoints are.
      max_to_keep: int, how many are kept; None: all, of which the file "checkpoint" names the latest.
      keep_checkpoint_every_n_hours: number; one checkpoint of so many hours is kept for ever. None: none is.
      checkpoint_name: str, with which the names of the files begin.
      step_counter: Variable that counts the steps of training; needed with `checkpoint_interval`.
      checkpoint_interval: int, the steps between two checkpoints; a `save` before is none. None: any.
      init_fn: function without arguments, which initializes if there is no checkpoint.
      last_checkpoint_step: int, the step of the last checkpoint, or None.

    Raises:
      ValueError: `max_to_keep` is not positive, or `step_counter` is missing.

    Example:
      >>> import tempfile, tracefn as tf
      >>> v = tf.Variable(0.0)
      >>> manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tempfile.mkdtemp(), max_to_keep=2)
      >>> for step in range(3):
      ...     path = manager.save()
      >>> len(manager.checkpoints), manager.latest_checkpoint == path, path[-6:]
      (2, True, 'ckpt-3')
    """

    def __init__(
        self,
        checkpoint,
        directory,
        max_to_keep,
        keep_checkpoint_every_n_hours=None,
        checkpoint_name="ckpt",
        step_counter=None,
        checkpoint_interval=None,
        init_fn=None,
        last_checkpoint_step=None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint = checkpoint
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._directory = os.fspath(directory)
        self._checkpoint_prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter = step_counter
        self._checkpoint_interval = checkpoint_interval
        self._last_checkpoint_step = last_checkpoint_step
        self._init_fn = init_fn
        self._counted: Any = None  # in a graph: the op that counts
        self._latest_checkpoint: str | None = None
        # The checkpoints that may be deleted, the oldest first, and their times.
        self._maybe_delete: dict[str, float] = {}
        self._recover(get_checkpoint_state(self._directory))

    def _recover(self, state) -> None:
        """Goes on from what the file "checkpoint" says."""
        now = time.time()
        if state is None:
            self._last_preserved_timestamp = now - 1.0
            return
        self._latest_checkpoint = state.model_checkpoint_path
        preserved = state.last_preserved_timestamp
        if now < preserved:
            warn(f"time.time() returned a value {preserved - now:f} seconds behind the last preserved checkpoint timestamp.")
            preserved = now
        self._last_preserved_timestamp = preserved
        paths = state.all_model_checkpoint_paths
        times = state.all_model_checkpoint_timestamps or [preserved] * len(paths)
        for path, when in zip(paths, times, strict=False):
            when = min(when, now)
            if when > preserved:
                self._maybe_delete[path] = when

    @property
    def directory(self) -> str:
        """The directory of the checkpoints."""
        return self._directory

    @property
    def checkpoint_interval(self):
        """The number of steps between two checkpoints; None: any."""
        return self._checkpoint_interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The latest checkpoint, for `restore`; None if there is none."""
        return self._latest_checkpoint

    @property
    def checkpoints(self) -> list:
        """The checkpoints that are there, the oldest first, without those kept for ever."""
        return list(self._maybe_delete)

    @property
    def checkpoint(self):
        """The tf.train.Checkpoint."""
        return self._checkpoint

    @property
    def _prefix(self) -> str:
        return self._checkpoint_prefix

    def _is_too_early(self, check_interval: bool) -> bool:
        """Whether nothing is to be saved at this step; otherwise it becomes the last one."""
        if self._checkpoint_interval is None:
            return False
        step, last = _evaluated(self._step_counter), self._last_checkpoint_step
        if last is not None and (step == last or check_interval and step < last + self._checkpoint_interval):
            return True
        self._last_checkpoint_step = step
        return False

    def _count(self):
        """Adds one to the checkpoint's counter; returns it."""
        if executing_eagerly():
            counter = self._checkpoint.save_counter
            counter.assign_add(1)
            return counter
        session = default_session()
        is_new = self._checkpoint._save_counter is None
        counter = self._checkpoint.save_counter
        if is_new:
            session.run(counter.initializer)
        if self._counted is None:
            self._counted = counter.assign_add(1, read_value=False)
        session.run(self._counted)
        return counter

    def save(self, checkpoint_number=None, check_interval=True, options=None):
        """Saves a checkpoint, and deletes what is too old.

        Args:
          checkpoint_number: int, tensor or Variable; None: the checkpoint's `save_counter`.
          check_interval: bool, whether nothing is saved before `checkpoint_interval` steps have passed.
          options: tf.train.CheckpointOptions, or None.

        Returns:
          The prefix of the files, as str; None if nothing was saved.
        """
        if self._is_too_early(check_interval):
            return None
        counter = self._count()
        number = _evaluated(counter if checkpoint_number is None else checkpoint_number)
        return self._checkpoint._write(f"{self._prefix}-{number}", options=with_callback(options, self._written))

    def _written(self, path) -> None:
        self._maybe_delete.pop(path, None)
        self._maybe_delete[path] = time.time()
        self._latest_checkpoint = path
        # Before anything is deleted, the file names the new one.
        self._record()
        self._sweep()
        self._record()

    def _record(self) -> None:
        update_state(
            self._directory,
            self._latest_checkpoint,
            list(self._maybe_delete),
            save_relative_paths=True,
            all_model_checkpoint_timestamps=list(self._maybe_delete.values()),
            last_preserved_timestamp=self._last_preserved_timestamp,
        )

    def _sweep(self) -> None:
        while self._max_to_keep and len(self._maybe_delete) > self._max_to_keep:
            path = next(iter(self._maybe_delete))
            when = self._maybe_delete.pop(path)
            hours = self._keep_checkpoint_every_n_hours
            if hours and when - hours * 3600.0 >= self._last_preserved_timestamp:
                self._last_preserved_timestamp = when
                continue
            delete_matching(path + ".index")
            delete_matching(path + ".data-?????-of-?????")

    def restore_or_initialize(self):
        """Restores the latest checkpoint; without one, calls `init_fn`.

        Returns:
          The checkpoint's prefix, as str; None if there is none.
        """
        if self._latest_checkpoint is not None:
            self._checkpoint.restore(self._latest_checkpoint)
            if self._checkpoint_interval is not None:
                self._last_checkpoint_step = _evaluated(self._step_counter)
            return self._latest_checkpoint
        if self._init_fn is not None:
            self._init_fn()
            inform("Customized initialization is done through the passed `init_fn`.")
        return None

    def sync(self) -> None:
        """Waits for writes to end."""
        if self._checkpoint:
            self._checkpoint.sync()
