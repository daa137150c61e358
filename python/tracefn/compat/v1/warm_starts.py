"""`tf.compat.v1.train.warm_start`: the Variables of a model begin with the values of another, also for another vocabulary."""

from __future__ import annotations

from collections import namedtuple

from tracefn import _core
from tracefn import _numpy as np
from tracefn._checkpoint.files import checkpoint_at, load_checkpoint
from tracefn._checkpoint.object_graph import OBJECT_GRAPH, keys_by_name, read_object_graph
from tracefn._checkpoint.values import full_name
from tracefn._export import export
from tracefn._logging import inform
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.checkpoint_initializers import init_from_checkpoint, pieces_of, set_initial
from tracefn.compat.v1.partitioned import PartitionedVariable
from tracefn.framework import default_graph
from tracefn.variable import Variable

_restore = _core.raw_op("RestoreV2")


def _check_axis(axis) -> None:
    if axis not in (0, 1):
        raise ValueError(f"The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}")


_Fields = namedtuple(
    "_Fields",
    ["new_vocab", "new_vocab_size", "num_oov_buckets", "old_vocab", "old_vocab_size", "backup_initializer", "axis"],
)


@export("compat.v1.train.VocabInfo")
class VocabInfo(_Fields):
    """How the vocabulary of a Variable differs from that of the checkpoint.

    Args:
      new_vocab: path of a file with a word in each line.
      new_vocab_size: how many of its words there are rows for.
      num_oov_buckets: how many rows other words share.
      old_vocab: path of the file of the checkpoint's words.
      old_vocab_size: how many of its words count; -1: all.
      backup_initializer: initializer for the rows of words that are new; None: zeros.
      axis: 0 if words have rows, 1 if they have columns.

    Raises:
      ValueError: `axis` is something else.
    """

    def __new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size=-1, backup_initializer=None, axis=0):
        _check_axis(axis)
        given = (new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size, backup_initializer, axis)
        return super().__new__(cls, *given)


@export("compat.v1.train.warm_start")
def warm_start(
    ckpt_to_initialize_from, vars_to_warm_start=".*", var_name_to_vocab_info=None, var_name_to_prev_var_name=None
) -> None:
    """Lets Variables of the graph have the values of a checkpoint as their initial ones.

    Args:
      ckpt_to_initialize_from: str or path of a checkpoint, or of a directory with checkpoints, whose latest is read.
      vars_to_warm_start: regular expression for the names of trainable Variables; list of such for all Variables; list of
        Variables; or None for the trainable ones that have a VocabInfo.
      var_name_to_vocab_info: dict from names of Variables to `VocabInfo`s.
      var_name_to_prev_var_name: dict from names of Variables to their names in the checkpoint, if they differ.

    Raises:
      ValueError: a name in a dict is that of no Variable that is chosen, the checkpoint lacks a tensor, or a shape does not fit.
      TypeError: something else stands for a Variable.

    Example:
      >>> import tempfile, tracefn as tf
      >>> path = tf.compat.v1.train.Saver([tf.Variable(5.0, name="old/w")]).save(None, tempfile.mkdtemp() + "/c")
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     w = tf.compat.v1.get_variable("new", [])
      ...     tf.compat.v1.train.warm_start(path, "new", var_name_to_prev_var_name={"new": "old/w"})
      ...     session.run(tf.compat.v1.global_variables_initializer())
      ...     print(session.run(w))
      5.0
    """
    inform(f"Warm-starting from: {ckpt_to_initialize_from}")
    chosen = _by_name(vars_to_warm_start)
    words = var_name_to_vocab_info or {}
    previous = var_name_to_prev_var_name or _names_in_objects(ckpt_to_initialize_from, chosen)
    whole: dict = {}
    count = 0
    for name, variables in chosen.items():
        old_name = previous.get(name) or name
        if words.get(name):
            _with_words(variables, ckpt_to_initialize_from, old_name, words[name])
        elif vars_to_warm_start:
            if old_name in whole:  # each tensor once
                init_from_checkpoint(ckpt_to_initialize_from, whole)
                whole = {}
            whole[old_name] = variables[0] if len(variables) == 1 else variables
        else:
            continue
        count += 1
    if whole:
        init_from_checkpoint(ckpt_to_initialize_from, whole)
    inform(f"Warm-started {count} variables.")
    for argument, names in (("var_name_to_prev_var_name", previous), ("var_name_to_vocab_info", words)):
        unused = names.keys() - chosen.keys()
        if unused:
            gap = " " if argument == "var_name_to_vocab_info" else ""  # TensorFlow's text
            raise ValueError(
                f"You provided the following variables in {argument} that were not used: {unused}. {gap}Perhaps you misspelled "
                f"them?  Here is the list of viable variable names: {chosen.keys()}"
            )


def _by_name(wanted) -> dict[str, list]:
    """The chosen Variables, or the pieces of one, by their names."""
    if isinstance(wanted, str) or wanted is None:
        inform("Warm-starting variables only in TRAINABLE_VARIABLES.")
        found = default_graph().get_collection("trainable_variables", wanted)
    elif not isinstance(wanted, list):
        raise ValueError(f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(wanted)}")
    elif all(isinstance(one, str) for one in wanted):
        found = [v for scope in wanted for v in default_graph().get_collection("variables", scope)]
    elif all(isinstance(one, (Variable, PartitionedVariable)) for one in wanted):
        found = [v for one in wanted for v in pieces_of(one) or []]
    else:
        raise ValueError(
            "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are "
            f"{[type(one) for one in wanted]}"
        )
    chosen: dict[str, list] = {}
    for variable in found:
        chosen.setdefault(full_name(variable), []).append(variable)
    return chosen


def _names_in_objects(path, names) -> dict[str, str]:
    """The keys of Variables in a checkpoint of objects, by their names; empty for others.

    Raises:
      ValueError: one is not there.
    """
    reader = load_checkpoint(path)
    if not reader.has_tensor(OBJECT_GRAPH):
        return {}
    keys = keys_by_name(read_object_graph(reader))
    missing = set(names) - keys.keys()
    if missing:
        raise ValueError(
            "Attempting to warm-start from an object-based checkpoint, but found that the checkpoint did not contain values for "
            f"all variables. The following variables were missing: {missing}"
        )
    return {name: keys[name] for name in names}


def _lines(path, most: int) -> list[str]:
    with today("io.gfile.GFile")(path, "r") as file:
        found = file.read().splitlines()
    return found if most < 0 else found[:most]


def _positions(info: VocabInfo) -> list[int]:
    """Where the checkpoint has each word of the new vocabulary; -1 for new words, and for the rows of all others."""
    old = {word: at for at, word in enumerate(_lines(info.old_vocab, info.old_vocab_size))}
    new = _lines(info.new_vocab, info.new_vocab_size)
    return [old.get(word, -1) for word in new] + [-1] * info.num_oov_buckets


def _with_words(variables: list, path, name: str, info: VocabInfo) -> None:
    if not (info.new_vocab and info.new_vocab_size and path and info.old_vocab):
        raise ValueError(
            "Invalid args: Must provide all of [current_vocab_path, current_vocab_size, prev_ckpt, prev_vocab_path}."
        )
    _check_axis(info.axis)
    positions = np.array(_positions(info))
    first = 0
    for variable in variables:
        rows, columns = variable.shape.as_list()
        if info.axis == 0:
            mine = positions[first : first + rows]
            _check_count(rows, len(mine), 1 - info.axis, variable)
        else:
            mine = positions
            _check_count(columns, len(mine), info.axis, variable)
        with _core.NameScope("checkpoint_initializer"):
            (old,) = _restore(prefix=checkpoint_at(path) or "", tensor_names=[name], shape_and_slices=[""], dtypes=[variable.dtype])
            if info.axis == 1:
                old = old[first : first + rows]
            set_initial(variable, _moved(old, mine, info, [rows, columns]))
        first += rows


def _check_count(size: int, words: int, axis: int, variable) -> None:
    if size != words:
        raise ValueError(f"Dimension {axis} of {variable.name} has size {size}, but there are {words} words and buckets.")


def _moved(old, positions, info: VocabInfo, shape: list):
    """The rows or columns of the old matrix at these positions; values of the initializer where there is none."""
    new = today("gather")(old, np.maximum(positions, 0), axis=info.axis)
    missing = np.zeros(shape, bool)
    missing[(positions < 0) if info.axis == 0 else (slice(None), positions < 0)] = True
    cells = np.argwhere(missing)
    if not len(cells):
        return new
    initial = (info.backup_initializer or today("zeros_initializer")())([len(cells), 1])
    return today("tensor_scatter_nd_update")(new, cells, today("reshape")(initial, [-1]))
