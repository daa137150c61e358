"""Restores objects from a checkpoint without their graph: Variables by the names that TensorFlow 1 gave them."""

from __future__ import annotations

from typing import Any

from tracefn import _core
from tracefn._checkpoint.restoring import next_uid
from tracefn._checkpoint.values import (
    Restoration,
    SavedTensor,
    VariableSaveable,
    Wanted,
    full_name,
    has_values,
    of_saveable,
    serialize,
)
from tracefn.variable import Variable

_restore = _core.raw_op("RestoreV2")


def restorations_by_name(trackable) -> list[tuple[str, Restoration]]:
    """(name, how it takes its value) for the values of an object, by their names in TensorFlow 1."""
    if isinstance(trackable, Variable) and type(trackable)._serialize_to_tensors is Variable._serialize_to_tensors:
        name = full_name(trackable)
        return [(name, of_saveable(VariableSaveable(trackable, "", name)))]
    if not has_values(trackable):
        return []
    name = full_name(trackable)
    if not name:
        return []
    _, tensors = serialize(trackable, "")
    return [(name, Restoration([_wanted(name, tensor) for tensor in tensors], _restore_whole(trackable)))]


def _wanted(name: str, tensor: SavedTensor) -> Wanted:
    return Wanted(name, tensor.slice_spec, tensor.tensor.dtype)


def _restore_whole(trackable):
    return lambda values: trackable._restore_from_tensors({"VARIABLE_VALUE": values[0]})


class NameBasedRestore:
    """One restore of a checkpoint that holds no object graph.

    Args:
      prefix: str, with which the paths of the files begin.
      reader: CheckpointReader.

    Attributes:
      restore_uid: int, greater than those of earlier restores.
      unused_attributes: list of (object, names of values that the checkpoint lacks).
    """

    def __init__(self, prefix: str, reader) -> None:
        self.save_path = prefix
        self.reader = reader
        self.restore_uid = next_uid()
        self.unused_attributes: list[tuple[Any, list[str]]] = []

    def eager_restore(self, trackable) -> None:
        """Gives an object the values that the checkpoint has under its names."""
        dtypes = self.reader.get_variable_to_dtype_map()
        for name, restoration in restorations_by_name(trackable):
            if any(wanted.key not in dtypes for wanted in restoration.wanted):
                self.unused_attributes.append((trackable, [name]))
                continue
            values = _restore(
                prefix=self.save_path,
                tensor_names=[wanted.key for wanted in restoration.wanted],
                shape_and_slices=[wanted.slice_spec for wanted in restoration.wanted],
                dtypes=[dtypes[wanted.key] for wanted in restoration.wanted],
            )
            restoration.restore(list(values))
