"""`tf.compat.v1.train.init_from_checkpoint`: Variables whose initial values are in a checkpoint."""

from __future__ import annotations

import collections.abc

from tracefn import _core
from tracefn._checkpoint.files import checkpoint_at, load_checkpoint
from tracefn._checkpoint.values import slice_spec_of
from tracefn._export import export
from tracefn.compat.v1.partitioned import PartitionedVariable
from tracefn.compat.v1.variable_scopes import current_store
from tracefn.variable import Variable

_restore = _core.raw_op("RestoreV2")
_assign = _core.raw_op("AssignVariableOp")


def pieces_of(value) -> list | None:
    """The Variables that a value of the map is, in one or in pieces; None for a name."""
    if isinstance(value, Variable):
        return [value]
    if isinstance(value, PartitionedVariable):
        return list(value)
    if isinstance(value, list) and all(isinstance(one, Variable) for one in value):
        return value
    return None


def _initialize(path: str, name: str, pieces: list) -> None:
    """Gives Variables the value of a tensor of the checkpoint: now, or in a graph when their initializers run."""
    for variable in pieces:
        with _core.NameScope("checkpoint_initializer"):
            (value,) = _restore(
                prefix=path,
                tensor_names=[name],
                shape_and_slices=[slice_spec_of(variable) if len(pieces) > 1 else ""],
                dtypes=[variable.dtype],
            )
        set_initial(variable, value)


def set_initial(variable, value) -> None:
    """Gives a Variable a value: now, or in a graph when its initializer runs."""
    if variable._nodes is None:
        variable.assign(value)
        return
    value.set_shape(variable.shape)
    variable._nodes.initializer = _assign(resource=variable.handle, value=value)
    variable._nodes.initial_value = value


@export("compat.v1.train.init_from_checkpoint")
def init_from_checkpoint(ckpt_dir_or_file, assignment_map) -> None:
    """Lets Variables have the values of a checkpoint as their initial ones.

    Args:
      ckpt_dir_or_file: str or path of a checkpoint, or of a directory with checkpoints, whose latest is read.
      assignment_map: dict, or list of pairs, from the name of a tensor in the checkpoint to a Variable, a list of the pieces of
        one, or the name of one that `get_variable` has made; from "scope/" in the checkpoint to "scope/" here: all Variables
        there. "/" is the outermost scope.

    Raises:
      ValueError: the checkpoint lacks a tensor, a shape does not fit, or a name is mapped to a scope.

    Example:
      >>> import tempfile, tracefn as tf
      >>> path = tf.compat.v1.train.Saver([tf.Variable(5.0, name="old/w")]).save(None, tempfile.mkdtemp() + "/c")
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     with tf.compat.v1.variable_scope("new"):
      ...         w = tf.compat.v1.get_variable("w", [])
      ...     tf.compat.v1.train.init_from_checkpoint(path, {"old/": "new/"})
      ...     session.run(tf.compat.v1.global_variables_initializer())
      ...     print(session.run(w))
      5.0
    """
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    path = checkpoint_at(ckpt_dir_or_file) or ""  # it is there
    if isinstance(assignment_map, collections.abc.Mapping):
        assignment_map = assignment_map.items()
    store = current_store()
    made = {**store.made, **store.partitioned}
    for name, target in sorted(assignment_map, key=lambda pair: pair[0]):
        pieces = pieces_of(made.get(target, target) if isinstance(target, str) else target)
        if pieces is not None:
            if name not in shapes:
                raise ValueError(f"Tensor {name} is not found in {ckpt_dir_or_file} checkpoint {shapes}")
            if len(pieces) == 1 and not pieces[0].shape.is_compatible_with(shapes[name]):
                raise ValueError(
                    f"Shape of variable {pieces[0].name} ({pieces[0].shape}) doesn't match with shape of tensor {name} "
                    f"({shapes[name]}) from checkpoint reader."
                )
            _initialize(path, name, pieces)
        else:
            _initialize_scope(path, name, target, made, shapes, ckpt_dir_or_file)


def _initialize_scope(path: str, theirs: str, target: str, made: dict, shapes: dict, given) -> None:
    scope = target.rpartition("/")[0]
    if not theirs.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {theirs}. Should be 'scope/': 'other_scope/'."
        )
    for name in sorted(made):
        if scope and not name.startswith(scope + "/") or "/part_" in name:
            continue
        below = name[len(scope) :].removeprefix("/")
        full = below if theirs == "/" else theirs + below
        if full not in shapes:
            raise ValueError(f"Tensor {full} ({below} in {theirs}) is not found in {given} checkpoint")
        _initialize(path, full, pieces_of(made[name]) or [])
