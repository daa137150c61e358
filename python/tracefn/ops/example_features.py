"""What to read from examples: the classes of features, and their keys in the order that the parsing ops take."""

from __future__ import annotations

import re
from collections import namedtuple
from typing import NamedTuple

from tracefn._export import export
from tracefn._logging import warn
from tracefn.dtypes import as_dtype, float32, int32, int64, string
from tracefn.ops._build import convert, op
from tracefn.tensor_shape import as_shape


@export("io.VarLenFeature", "compat.v1.VarLenFeature")
class VarLenFeature(namedtuple("VarLenFeature", ["dtype"])):
    """A feature of any number of values, read as a SparseTensor.

    Args:
      dtype: float32, int64 or string.

    Example:
      >>> import tracefn as tf
      >>> tf.io.VarLenFeature(tf.int64).dtype
      tf.int64
    """

    __slots__ = ()


@export("io.FixedLenFeature", "compat.v1.FixedLenFeature")
class FixedLenFeature(namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"], defaults=[None])):
    """A feature of a known number of values, read as a tensor.

    Args:
      shape: shape of the values.
      dtype: float32, int64 or string.
      default_value: what stands for a missing feature: a value of that shape. None: it must not be missing.

    Example:
      >>> import tracefn as tf
      >>> tf.io.FixedLenFeature([], tf.int64)
      FixedLenFeature(shape=[], dtype=tf.int64, default_value=None)
    """

    __slots__ = ()


@export("io.FixedLenSequenceFeature", "compat.v1.FixedLenSequenceFeature")
class FixedLenSequenceFeature(
    namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"], defaults=[False, None])
):
    """A feature of any number of blocks of values, or a list of features, read as a tensor.

    Args:
      shape: shape of one block.
      dtype: float32, int64 or string.
      allow_missing: whether it may be missing, and then has no blocks. Must be true for Examples.
      default_value: scalar that fills up the shorter examples of a batch; None: 0 or "".

    Example:
      >>> import tracefn as tf
      >>> tf.io.FixedLenSequenceFeature([2], tf.int64).allow_missing
      False
    """

    __slots__ = ()


@export("io.SparseFeature", "compat.v1.SparseFeature")
class SparseFeature(
    namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"], defaults=[False])
):
    """A SparseTensor from one feature with its values, and one with the indices along each axis.

    Args:
      index_key: key of the int64 indices, or a list of keys, one for each axis.
      value_key: key of the values.
      dtype: float32, int64 or string.
      size: size of the axis, or a list of sizes.
      already_sorted: whether the indices are in order.

    Example:
      >>> import tracefn as tf
      >>> tf.io.SparseFeature("ix", "value", tf.float32, 100).size
      100
    """

    __slots__ = ()


class _RaggedFields(NamedTuple):
    dtype: object
    value_key: object
    partitions: tuple
    row_splits_dtype: object
    validate: bool


class _RowSplits(NamedTuple):
    key: str


class _RowLengths(NamedTuple):
    key: str


class _RowStarts(NamedTuple):
    key: str


class _RowLimits(NamedTuple):
    key: str


class _ValueRowIds(NamedTuple):
    key: str


class _UniformRowLength(NamedTuple):
    length: int


_PARTITIONS = {
    "RowSplits": _RowSplits,
    "RowLengths": _RowLengths,
    "RowStarts": _RowStarts,
    "RowLimits": _RowLimits,
    "ValueRowIds": _ValueRowIds,
    "UniformRowLength": _UniformRowLength,
}
for _name, _class in _PARTITIONS.items():
    _class.__name__ = _name
    _class.__qualname__ = f"RaggedFeature.{_name}"


@export("io.RaggedFeature")
class RaggedFeature(_RaggedFields):
    """A RaggedTensor from one feature with its values, and others that part them into rows.

    Args:
      dtype: float32, int64 or string.
      value_key: key of the values; None: that of the feature itself.
      partitions: list of what parts the values, from the outermost rows to the innermost: RowSplits(key),
        RowLengths(key), RowStarts(key), RowLimits(key), ValueRowIds(key), UniformRowLength(length), all of them members
        of this class. Without any, an example gives a vector.
      row_splits_dtype: int32 or int64.
      validate: whether the partitions are checked.

    Raises:
      ValueError: a dtype or key is none of these.
      TypeError: `partitions` holds something else.

    Example:
      >>> import tracefn as tf
      >>> tf.io.RaggedFeature(tf.int64, partitions=[tf.io.RaggedFeature.RowLengths("n")]).partitions
      (RowLengths(key='n'),)
    """

    __slots__ = ()
    RowSplits = _RowSplits
    RowLengths = _RowLengths
    RowStarts = _RowStarts
    RowLimits = _RowLimits
    ValueRowIds = _ValueRowIds
    UniformRowLength = _UniformRowLength

    def __new__(cls, dtype, value_key=None, partitions=(), row_splits_dtype=int32, validate=False):
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f"Argument `value_key` must be a string; got {value_key}")
        if value_key == "":
            raise ValueError("Argument `value_key` must not be empty")
        dtype = as_dtype(dtype)
        if dtype not in (int64, float32, string):
            raise ValueError(f"Argument `dtype` must be int64, float32, or bytes; got {dtype!r}")
        row_splits_dtype = as_dtype(row_splits_dtype)
        if row_splits_dtype not in (int32, int64):
            raise ValueError(f"Argument `row_splits_dtype` must be int32 or int64; got{row_splits_dtype!r}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"Argument `partitions` must be a list or tuple. Receivedpartitions={partitions} of type "
                            f"{type(partitions).__name__}.")
        kinds = tuple(_PARTITIONS.values())
        for partition in partitions:
            if not isinstance(partition, kinds):
                raise TypeError("Argument `partitions` cannot be cast to any of the partition types in "
                                f"{kinds}; got: {partition!r} with type {type(partition)}")
        if not isinstance(validate, bool):
            raise TypeError(f"Argument `validate` must be a bool; got {validate!r}")
        return super().__new__(cls, dtype, value_key, tuple(partitions), row_splits_dtype, validate)


def _need(feature, key: str, part: str) -> None:
    if not getattr(feature, part):
        word = {"dtype": "type"}.get(part, part)
        raise ValueError(f"Missing {word} for feature {key}. Received feature={feature}.")


class Wanted:
    """The keys that features need, each once, by the form in which they are read.

    Attributes:
      sparse, dense, ragged: dicts by key: of dtypes; of (shape, dtype); of (dtype of values, dtype of row splits).
      defaults: dict of default values of dense features that may be missing; None for those without a value.

    Args:
      features: dict from keys to features, or None.
      kinds: classes of features that are allowed.

    Raises:
      ValueError: a feature is of another class, or incomplete; or a key is to be read in two ways.
    """

    def __init__(self, features, kinds) -> None:
        self.sparse: dict = {}
        self.dense: dict = {}
        self.ragged: dict = {}
        self.defaults: dict = {}
        for key, feature in sorted((features or {}).items()):
            if not isinstance(feature, kinds):
                raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
            self._add(key, feature)
        forms = {"Dense": self.dense, "sparse": self.sparse, "ragged": self.ragged}
        self._check_apart("Dense", "sparse", forms)
        self._check_apart("Dense", "ragged", forms)
        if both := self.ragged.keys() & self.sparse.keys():
            raise ValueError(f"Ragged and sparse keys must not intersect; ragged_keys: {[*self.ragged]}, sparse_keys: "
                             f"{[*self.sparse]}, intersection: {both}")

    def __len__(self) -> int:
        return len(self.sparse) + len(self.dense) + len(self.ragged)

    @staticmethod
    def _check_apart(one: str, other: str, forms: dict[str, dict]) -> None:
        if both := forms[one].keys() & forms[other].keys():
            raise ValueError(f"{one} and {other} keys must not intersect; {one.lower()}_keys: {[*forms[one]]}, "
                             f"{other}_keys: {[*forms[other]]}, intersection: {both}")

    def _add(self, key, feature) -> None:
        if isinstance(feature, VarLenFeature):
            _need(feature, key, "dtype")
            self._add_sparse(key, feature.dtype)
        elif isinstance(feature, SparseFeature):
            self._add_sparse_feature(key, feature)
        elif isinstance(feature, RaggedFeature):
            self._add_ragged(feature.value_key or key, feature.dtype, feature.row_splits_dtype)
            for partition in feature.partitions:
                if not isinstance(partition, RaggedFeature.UniformRowLength):
                    self._add_ragged(partition.key, int64, feature.row_splits_dtype)
        else:
            self._add_dense(key, feature)

    def _add_sparse(self, key, dtype) -> None:
        dtype = as_dtype(dtype)
        known = self.sparse.setdefault(key, dtype)
        if known != dtype:
            raise ValueError(f"Conflicting type {known} vs {dtype} for feature {key}.")

    def _add_sparse_feature(self, key, feature) -> None:
        for part in ("index_key", "value_key"):
            if not getattr(feature, part):
                raise ValueError(f"Missing {part} for SparseFeature {feature}.")
        _need(feature, key, "dtype")
        index_keys = [feature.index_key] if isinstance(feature.index_key, str) else feature.index_key
        if len(index_keys) > 1:
            warn("A SparseFeature with several index keys is complicated; a VarLenFeature may do.")
        for index_key in sorted(index_keys):
            self._add_sparse(index_key, int64)
        self._add_sparse(feature.value_key, feature.dtype)

    def _add_ragged(self, key, dtype, splits) -> None:
        known, known_splits = self.ragged.setdefault(key, (dtype, splits))
        if known != dtype:
            raise ValueError(f"Conflicting type {known} vs {dtype} for feature {key}.")
        if known_splits != splits:
            raise ValueError(f"Conflicting partition type {known_splits} vs {splits} for feature {key}.")

    def _add_dense(self, key, feature) -> None:
        _need(feature, key, "dtype")
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        shape = as_shape(feature.shape)
        if isinstance(feature, FixedLenFeature):
            if shape.rank and shape[0] is None:
                raise ValueError(f"First dimension of shape for feature {key} unknown. Consider using "
                                 f"FixedLenSequenceFeature. Received feature={feature}.")
            if not shape.is_fully_defined():
                raise ValueError(f"All dimensions of shape for feature {key} need to be known but received {feature.shape}.")
        elif feature.allow_missing:
            self.defaults[key] = None
        self.dense[key] = shape, as_dtype(feature.dtype)
        if feature.default_value is not None:
            self.defaults[key] = feature.default_value

    def default_tensors(self) -> list:
        """One tensor for each dense feature: its default, without elements if there is none."""
        return [self._default(key, shape, dtype) for key, (shape, dtype) in self.dense.items()]

    def _default(self, key, shape, dtype):
        value = self.defaults.get(key)
        padded = shape.rank is not None and shape.rank > 0 and shape[0] is None
        if value is None:
            return convert(("" if dtype == string else 0) if padded else [], dtype=dtype)
        name = ("padding_" if padded else "key_") + re.sub(r"[^A-Za-z0-9_.\-/]", "_", key)
        value = convert(value, dtype=dtype, name=name)
        return op("Reshape")(tensor=value, shape=convert([] if padded else shape.as_list(), dtype="int32"))


__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "VarLenFeature",
    "Wanted",
]
