"""Folders of saved datasets: the file with the specs of the elements, and checkpoints of the position while saving."""

from __future__ import annotations

import os

from tracefn import _structured_value
from tracefn._checkpoint.checkpoint import Checkpoint
from tracefn._checkpoint.manager import CheckpointManager
from tracefn._wire import DecodeError
from tracefn.errors import NotFoundError
from tracefn.ops.gfile import exists, makedirs
from tracefn.ops.gfile_files import GFile

_SPEC_FILE = "dataset_spec.pb"


def has_spec(path: str) -> bool:
    """Whether the folder has the file with the specs."""
    return exists(os.path.join(path, _SPEC_FILE))


def save_spec(path: str, element_spec) -> None:
    """Makes the folder, and the file in it."""
    makedirs(path)
    with GFile(os.path.join(path, _SPEC_FILE), "wb") as f:
        f.write(_structured_value.encoded(element_spec))


def saved_spec(path: str):
    """The specs of the elements of a saved dataset.

    Raises:
      NotFoundError: there is no file with them, or it is damaged.
    """
    file = os.path.join(path, _SPEC_FILE)
    if not exists(file):
        raise NotFoundError(None, None, f"tf.data snapshot element_spec file not found: {file}.")
    with GFile(file, "rb") as f:
        data = f.read()
    try:
        return _structured_value.decoded(data)
    except (DecodeError, UnicodeDecodeError, KeyError, StopIteration) as error:
        raise NotFoundError(None, None, f"tf.data snapshot element_spec file not found or invalid: {file}.") from error


def read_with_checkpoints(dataset, checkpoint_args) -> None:
    """Reads all elements, from the latest checkpoint on, and makes checkpoints of the position in between."""
    iterator = iter(dataset)
    checkpoint = Checkpoint(iterator=iterator)
    manager = CheckpointManager(checkpoint, **checkpoint_args)
    checkpoint.restore(manager.latest_checkpoint)
    step_counter = checkpoint_args.get("step_counter")
    for _ in iterator:
        if step_counter is not None:
            step_counter.assign_add(1)
        manager.save()
