"""`tf.train.load_checkpoint`'s reader: the tensors of a checkpoint by their names."""

from __future__ import annotations

import math
import os
import re

from tracefn import _core
from tracefn._export import export
from tracefn._messages import data_type_name
from tracefn._paths import path_of
from tracefn.dtypes import as_dtype
from tracefn.errors import (
    UNKNOWN,
    DataLossError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    OutOfRangeError,
)

_restore = _core.raw_op("RestoreV2")

# What an op adds to the text of its error.
_OF_OP = re.compile(r"^\{\{function_node [^}]*\}\} | \[Op:RestoreV2\].*$", re.DOTALL)
# The errors with classes of their own, by parts of their texts.
_KINDS = (
    (NotFoundError, "not found in checkpoint"),
    (NotFoundError, "Failed to find any matching files for"),
    (InvalidArgumentError, "Failed to get matching files on"),
    (DataLossError, "Unable to open table file"),
)

_OTHERS = frozenset({as_dtype("string"), as_dtype("variant"), as_dtype("resource")})  # of no known size
_MOST_AHEAD, _MOST_BYTES_AHEAD = 256, 1 << 20


def _text_of(name) -> str:
    if isinstance(name, str):
        return name
    if isinstance(name, bytes):
        return name.decode(errors="surrogateescape")
    raise TypeError(f"Expected binary or unicode string, got {name!r}")


def _of_reader(error: OpError, prefix: str) -> Exception:
    """TensorFlow's exception in the place of an op's that has read a file: most have no class of their own.

    Args:
      error: the op's exception.
      prefix: with which the paths of the checkpoint's files begin.
    """
    text = _OF_OP.sub("", error.message)
    if isinstance(error, OutOfRangeError):
        return IndexError(text)
    if isinstance(error, FailedPreconditionError) and not text.startswith(f"{prefix}."):  # a directory of that name
        text = (
            f"Unable to open table file {prefix}: FAILED_PRECONDITION: {text}: perhaps your file is in a different file format "
            "and you need to use a different restore operator?"
        )
    for kind, part in _KINDS:
        if part in text:
            return kind(None, None, text)
    return OpError(None, None, text, UNKNOWN)


class CheckpointReader:
    """Reads a checkpoint.

    Args:
      filename: str, bytes or path, with which the paths of its files begin.

    Raises:
      NotFoundError: there is none.
      DataLossError: it is a directory.
      OpError: its index is damaged.
    """

    def __init__(self, filename) -> None:
        filename = path_of(filename)
        self._prefix = filename.encode() if isinstance(filename, str) else bytes(filename)
        try:
            entries = _core.checkpoint_entries(self._prefix)
        except OpError as error:
            raise _of_reader(error, os.fsdecode(self._prefix)) from None
        self._entries = {name.decode(errors="surrogateescape"): (number, dims) for name, number, dims, _ in entries}

        self._names = list(self._entries)
        self._places = {name: place for place, name in enumerate(self._names)}
        self._ahead: dict = {}

    def _entry(self, name):
        text = _text_of(name)
        found = self._entries.get(text)
        if found is None:
            raise NotFoundError(None, None, f"Key {text} not found in checkpoint")
        return found

    def get_tensor(self, tensor_str):
        """The value of a tensor: a NumPy array, or bytes for a scalar string.

        Raises:
          TypeError: the name is neither str nor bytes.
          NotFoundError: there is no tensor of this name.
          OpError: the files are damaged.
          IndexError: one is too short.
        """
        self._entry(tensor_str)
        name = _text_of(tensor_str)
        if name in self._ahead:
            return self._ahead.pop(name)
        with _core.TargetContext(None):
            following = self._following(name)
            if following:
                try:
                    value, *others = self._read([name, *following])
                    self._ahead = dict(zip(following, others, strict=True))
                    return value
                except OpError:  # one of the others may be damaged
                    self._ahead = {}
            try:
                return self._read([name])[0]
            except OpError as error:
                raise _of_reader(error, os.fsdecode(self._prefix)) from None

    def _following(self, name: str) -> list[str]:
        """The small tensors after one, which are read along with it: each read looks through the whole index."""
        names, left = [], _MOST_BYTES_AHEAD
        for other in self._names[self._places[name] + 1 : self._places[name] + 1 + _MOST_AHEAD]:
            number, dims = self._entries[other]
            dtype = as_dtype(number)
            left -= math.prod(dims) * dtype.size if dtype not in _OTHERS else left + 1
            if left < 0:
                break
            names.append(other)
        return names

    def _read(self, names: list[str]) -> list:
        tensors = _restore(
            prefix=self._prefix,
            tensor_names=[name.encode(errors="surrogateescape") for name in names],
            shape_and_slices=[""] * len(names),
            dtypes=[as_dtype(self._entries[name][0]) for name in names],
        )
        values = (tensor.numpy() for tensor in tensors)
        return [value if isinstance(value, bytes) else value[()] for value in values]

    def has_tensor(self, tensor_str) -> bool:
        """Whether there is a tensor of this name."""
        return _text_of(tensor_str) in self._entries

    def get_variable_to_shape_map(self) -> dict:
        """The shapes of the tensors, as lists, by their names."""
        return {name: list(dims) for name, (_, dims) in self._entries.items()}

    def get_variable_to_dtype_map(self) -> dict:
        """The dtypes of the tensors by their names."""
        return {name: as_dtype(number) for name, (number, _) in self._entries.items()}

    def debug_string(self) -> bytes:
        """A line for each tensor: its name, dtype and shape."""
        lines = []
        for name, (number, dims) in self._entries.items():
            lines.append(f"{name} ({data_type_name(as_dtype(number))}) [{','.join(map(str, dims))}]\n")
        return "".join(lines).encode(errors="surrogateescape")

    # TensorFlow's class has them under these names, too.
    _GetVariableToDataTypeMap = get_variable_to_dtype_map
    _HasTensor = has_tensor


@export("compat.v1.train.NewCheckpointReader")
def NewCheckpointReader(filepattern):
    """A reader of a checkpoint, with `get_tensor`, `has_tensor`, `get_variable_to_shape_map` and more.

    Args:
      filepattern: str, with which the paths of the checkpoint's files begin.

    Raises:
      NotFoundError: there is none.

    Example:
      >>> import tempfile, tracefn as tf
      >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/c")
      >>> reader = tf.compat.v1.train.NewCheckpointReader(path)
      >>> reader.get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
      array([1., 2.], dtype=float32)
    """
    return CheckpointReader(filepattern)
