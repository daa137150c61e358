"""`tf.train.list_variables` and the like: checkpoints as files."""

from __future__ import annotations

import os
import re
import time

from tracefn import _core
from tracefn._checkpoint.reader import CheckpointReader
from tracefn._checkpoint.state_file import files_of, latest_checkpoint
from tracefn._export import export
from tracefn._logging import inform
from tracefn._paths import path_of


def checkpoint_at(path) -> str | None:
    """The checkpoint given, or the latest one of the directory given."""
    path = path_of(path)
    return latest_checkpoint(path) if os.path.isdir(_core.local_path(os.fsencode(path))) else path


@export("train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file):
    """A reader of a checkpoint, with `get_tensor`, `has_tensor`, `get_variable_to_shape_map` and more.

    Args:
      ckpt_dir_or_file: str or path of a checkpoint, or of a directory with checkpoints, whose latest is read.

    Raises:
      ValueError: there is no checkpoint in the directory.
      NotFoundError: there is no such checkpoint.

    Example:
      >>> import tempfile, tracefn as tf
      >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).save(tempfile.mkdtemp() + "/c")
      >>> reader = tf.train.load_checkpoint(path)
      >>> reader.get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
      array([1., 2.], dtype=float32)
    """
    path = checkpoint_at(ckpt_dir_or_file)
    if path is None:
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {ckpt_dir_or_file}")
    return CheckpointReader(path)


@export("train.load_variable")
def load_variable(ckpt_dir_or_file, name):
    """A value in a checkpoint, as a NumPy array.

    Args:
      ckpt_dir_or_file: str or path; see `load_checkpoint`.
      name: str, the key.

    Raises:
      NotFoundError: there is no such checkpoint, or no such value in it.

    Example:
      >>> import tempfile, tracefn as tf
      >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).save(tempfile.mkdtemp() + "/c")
      >>> tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")
      array([1., 2.], dtype=float32)
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


@export("train.list_variables")
def list_variables(ckpt_dir_or_file) -> list:
    """The keys of a checkpoint and the shapes of their values.

    Args:
      ckpt_dir_or_file: str or path; see `load_checkpoint`.

    Returns:
      List of (str, list of int), sorted.

    Example:
      >>> import tempfile, tracefn as tf
      >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/c")
      >>> tf.train.list_variables(path)
      [('_CHECKPOINTABLE_OBJECT_GRAPH', []), ('v/.ATTRIBUTES/VARIABLE_VALUE', [2])]
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def _wait_for_new(directory, last, timeout) -> str | None:
    """The latest checkpoint, once it is another than the last; None after `timeout` seconds."""
    inform(f"Waiting for new checkpoint at {directory}")
    pause = 1.0
    end = None if timeout is None else time.time() + timeout
    while True:
        path = latest_checkpoint(directory)
        if path is not None and path != last:
            inform(f"Found new checkpoint at {path}")
            return path
        if end is not None and time.time() + pause > end:
            return None
        time.sleep(pause)


@export("train.checkpoints_iterator")
def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """Yields the latest checkpoint of a directory whenever there is a new one.

    Args:
      checkpoint_dir: str or path.
      min_interval_secs: number, seconds between two at least.
      timeout: number, seconds to wait for one; None: for ever.
      timeout_fn: function without arguments, asked after a timeout and after each checkpoint whether no more will come.

    Example:
      >>> import tempfile, tracefn as tf
      >>> directory = tempfile.mkdtemp()
      >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(directory + "/c")
      >>> [found == path for found in tf.train.checkpoints_iterator(directory, timeout=0)]
      [True]
    """
    path = None
    while True:
        new = _wait_for_new(checkpoint_dir, path, timeout)
        if new is not None:
            start, path = time.time(), new
            yield path
            left = start + min_interval_secs - time.time()
            if left > 0:
                time.sleep(left)
        elif timeout_fn is None:
            inform("Timed-out waiting for a checkpoint (without timeout_fn).")
            return
        if timeout_fn is not None and timeout_fn():
            inform("Done. No new checkpoints will be generated.")
            return


@export("compat.v1.train.checkpoint_exists")
def checkpoint_exists(checkpoint_prefix) -> bool:
    """Whether there is a checkpoint.

    Args:
      checkpoint_prefix: str, with which the paths of its files begin.
    """
    return bool(files_of(checkpoint_prefix))


@export("compat.v1.train.get_checkpoint_mtimes")
def get_checkpoint_mtimes(checkpoint_prefixes) -> list:
    """When checkpoints were written, in seconds since 1970; those that do not exist are left out.

    Args:
      checkpoint_prefixes: list of str.
    """
    found = (files_of(prefix) for prefix in checkpoint_prefixes)
    return [os.stat(_core.local_path(files[0])).st_mtime_ns / 1e9 for files in found if files]


def delete_matching(pattern: str) -> None:
    """Deletes the files that match a pattern; others may delete them at the same time."""
    for path in _core.matching_local_files(os.fsencode(pattern)):
        try:
            os.remove(_core.local_path(path))
        except FileNotFoundError:
            inform(f"'{os.fsdecode(path)}' was deleted by another process or thread")


@export("compat.v1.train.remove_checkpoint")
def remove_checkpoint(checkpoint_prefix, checkpoint_format_version=2, meta_graph_suffix="meta") -> None:
    """Deletes the files of a checkpoint.

    Args:
      checkpoint_prefix: str, with which their paths begin.
      checkpoint_format_version: int, 2; 1 for the older format.
      meta_graph_suffix: str, the ending of the file with the graph.
    """
    delete_matching(f"{re.sub(r'-[0-9?]+-of-[0-9]+$', '', checkpoint_prefix)}.{meta_graph_suffix}")
    if checkpoint_format_version == 2:
        delete_matching(checkpoint_prefix + ".index")
        delete_matching(checkpoint_prefix + ".data-?????-of-?????")
    else:
        delete_matching(checkpoint_prefix)
