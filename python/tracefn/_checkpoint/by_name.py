"""Variables, tables and SaveableObjects that are saved and restored under names of their own."""

from __future__ import annotations

from typing import Any

from tracefn import _core, nest
from tracefn._checkpoint.named import NameBasedRestore, restorations_by_name
from tracefn._checkpoint.saveable import SaveableObject
from tracefn._checkpoint.values import (
    Restoration,
    SavedTensor,
    VariableSaveable,
    full_name,
    has_values,
    of_saveable,
    older_saveables,
    serialized,
    slice_spec_of,
)
from tracefn._value_text import value_text
from tracefn.framework import executing_eagerly
from tracefn.variable import Variable

_restore = _core.raw_op("RestoreV2")


def _name_of(value) -> str:
    if isinstance(value, SaveableObject):
        return value.name
    if isinstance(value, Variable):
        return full_name(value)
    if hasattr(value, "_get_variable_list"):  # a variable in parts
        return value.name
    if has_values(value) and isinstance(getattr(value, "_name", None), str):  # a table
        return value._name
    raise TypeError(f"Variable to save is not a Variable: {value_text(value)}")


def saveables_of(values) -> list[SaveableObject]:
    """What to save under which names.

    Args:
      values: dict from names to Variables, tables and SaveableObjects, or lists of the slices of one; or a list of them. A
        variable in parts is saved as one.

    Raises:
      ValueError: two have one name, or one has two.
      TypeError: a value is none of these.
    """
    named: dict[str, Any] = {}
    if isinstance(values, dict):
        named = dict(values)
        for name in named:
            if not isinstance(name, str):
                raise TypeError(
                    "names_to_saveables must be a dict mapping string names to trackable operations. Name is not a string: "
                    f"{name}"
                )
    elif not isinstance(values, (list, tuple, set)):
        raise TypeError(f"Variables to save should be passed in a dict or a list. Got {values}")
    else:
        for value in nest.flatten(list(values)):
            name = _name_of(value)
            if name not in named:
                named[name] = value
            elif getattr(value, "_save_slice_info", None) is not None:
                held = named[name]
                named[name] = [*(held if isinstance(held, list) else [held]), value]
            elif executing_eagerly():
                if named[name] is not value:
                    raise ValueError(
                        f"Two different ResourceVariable objects with the same shared_name '{name}' were passed to the Saver. "
                        "This likely means that they were created in different Graphs or isolated contexts, and may not be "
                        "checkpointed together."
                    )
            elif isinstance(value, Variable) or hasattr(value, "_get_variable_list") or named[name] is not value:
                raise ValueError(f"At least two variables have the same name: {name}")
    found = [saveable for name, value in sorted(named.items()) for saveable in _named(name, value)]
    seen: set[int] = set()
    for saveable in found:
        if id(saveable.op) in seen:
            raise ValueError(f"The same saveable will be restored with two names: {saveable.name}")
        if saveable.op is not None:
            seen.add(id(saveable.op))
    return found


def _named(name: str, value) -> list[SaveableObject]:
    if isinstance(value, SaveableObject):
        return [value]
    if isinstance(value, Variable):
        return [VariableSaveable(value, slice_spec_of(value), name)]
    if isinstance(value, (list, tuple)) or hasattr(value, "_get_variable_list"):
        parts = value._get_variable_list() if hasattr(value, "_get_variable_list") else value
        return [VariableSaveable(part, slice_spec_of(part), name) for part in parts]
    if has_values(value):
        older = older_saveables(value)
        return [_TrackableSaveable(value, name)] if older is None else older
    raise TypeError(
        "names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: "
        f"{value_text(value)}"
    )


class _TrackableSaveable(SaveableObject):
    """Another object, such as a table, whose values have keys that begin with a name."""

    def __init__(self, trackable, name: str) -> None:
        def key_of(tensor_name: str) -> str:
            return f"{name}{tensor_name}"

        found = trackable._serialize_to_tensors()
        self.tensors = [SavedTensor(key_of(one), "", tensor) for one, tensor in found.items()]
        self.restoration = serialized(trackable, key_of)
        super().__init__(trackable, [], name)


def tensors_of(saveables) -> list[SavedTensor]:
    """The tensors of `saveables_of`, with the keys under which they are saved."""
    found = []
    for saveable in saveables:
        if isinstance(saveable, _TrackableSaveable):
            found += saveable.tensors
        else:
            found += [SavedTensor(spec.name, spec.slice_spec, spec) for spec in saveable.specs]
    return found


def restorations(saveables) -> list[Restoration]:
    """How the values of `saveables_of` are restored."""
    return [one.restoration if isinstance(one, _TrackableSaveable) else of_saveable(one) for one in saveables]


def restore_all(prefix, found: list[Restoration], keys: dict | None = None) -> list:
    """Reads the values and gives them to their objects; returns the ops.

    Args:
      keys: the keys under which the checkpoint has them, by their names; None: the names.
    """
    wanted = [one for restoration in found for one in restoration.wanted]
    values = list(
        _restore(
            prefix=prefix,
            tensor_names=[one.key if keys is None else keys[one.key] for one in wanted],
            shape_and_slices=[one.slice_spec for one in wanted],
            dtypes=[one.dtype for one in wanted],
        )
    )
    made = []
    for restoration in found:
        mine, values = values[: len(restoration.wanted)], values[len(restoration.wanted) :]
        made.append(restoration.restore(mine))
    return made


def restore_objects_by_name(objects, checkpoint: NameBasedRestore, session) -> None:
    """Restores objects in a session, from a checkpoint without an object graph."""
    found = []
    for trackable in objects:
        if hasattr(trackable, "_maybe_initialize_trackable"):
            trackable._maybe_initialize_trackable()
            if trackable._update_uid < checkpoint.restore_uid:
                trackable._update_uid = checkpoint.restore_uid
                found += [restoration for _, restoration in restorations_by_name(trackable)]
    if found:
        session.run(restore_all(checkpoint.save_path, found))
