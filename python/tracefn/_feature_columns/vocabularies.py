"""Columns of ids that are places in a vocabulary, which is a list or a file."""

from __future__ import annotations

from typing import NamedTuple

from tracefn import _numpy as np
from tracefn._export import export
from tracefn._feature_columns.base import check_ids, check_key, check_same_kind
from tracefn._feature_columns.categories import OfOneFeature
from tracefn._namespaces import root
from tracefn.dtypes import string
from tracefn.framework import init_scope, is_tensor
from tracefn.python.ops.lookup_ops import index_table_from_file, index_table_from_tensor

tf = root()
_RECORDS = "tfrecord_gzip"


class _Vocabulary(OfOneFeature):
    """A column whose ids a table finds; a state manager keeps it, if there is one."""

    num_oov_buckets: int
    default_value: int

    def _size(self) -> int:
        """The number of values in the vocabulary."""
        raise NotImplementedError

    @property
    def num_buckets(self) -> int:
        """The number of ids: of the vocabulary, and those of other values."""
        return self._size() + self.num_oov_buckets

    def _ids(self, values, state_manager):
        check_same_kind(self, values.dtype)
        if values.dtype.is_integer:
            return self._table(tf.int64, state_manager).lookup(tf.cast(values, tf.int64))
        return self._table(self.dtype, state_manager).lookup(values)

    def _table(self, key_dtype, state_manager):
        name = f"{self.key}_lookup"
        if state_manager is not None and state_manager.has_resource(self, name):
            return state_manager.get_resource(self, name)
        with init_scope():
            table = self._made_table(key_dtype, name)
        if state_manager is not None:
            state_manager.add_resource(self, name, table)
        return table

    def _made_table(self, key_dtype, name: str):
        raise NotImplementedError


class _List(NamedTuple):
    key: str
    vocabulary_list: tuple
    dtype: object
    default_value: int
    num_oov_buckets: int


class VocabularyListCategoricalColumn(_Vocabulary, _List):
    """Places in a list; see `tf.feature_column.categorical_column_with_vocabulary_list`."""

    def _size(self) -> int:
        return len(self.vocabulary_list)

    def _made_table(self, key_dtype, name: str):
        return index_table_from_tensor(
            self.vocabulary_list, self.num_oov_buckets, self.default_value, dtype=key_dtype, name=name
        )


class _File(NamedTuple):
    key: str
    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: object
    default_value: int
    file_format: str | None = None


class VocabularyFileCategoricalColumn(_Vocabulary, _File):
    """Places in a file; see `tf.feature_column.categorical_column_with_vocabulary_file`."""

    def _size(self) -> int:
        return self.vocabulary_size

    def _made_table(self, key_dtype, name: str):
        if self.file_format == _RECORDS:
            texts = tf.data.TFRecordDataset(self.vocabulary_file, "GZIP")
            if key_dtype == tf.int64:
                texts = texts.map(lambda text: tf.strings.to_number(text, tf.int64))
            return tf.data.experimental.index_table_from_dataset(
                texts, self.num_oov_buckets, self.vocabulary_size, self.default_value, key_dtype=key_dtype
            )
        return index_table_from_file(
            self.vocabulary_file,
            self.num_oov_buckets,
            self.vocabulary_size,
            self.default_value,
            key_dtype=key_dtype,
            name=name,
        )


def _check_others(key, num_oov_buckets, has_default: bool) -> None:
    """Checks what becomes of values that are not in a vocabulary.

    Raises:
      ValueError: both ways are given, or the number of ids is negative.
    """
    if not num_oov_buckets:
        return
    if has_default:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


@export("feature_column.categorical_column_with_vocabulary_list")
def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    """A column whose ids are places in a list.

    Args:
      key: str, the name of the feature.
      vocabulary_list: list of different strings or ints.
      dtype: DType of the feature; None: that of the list.
      default_value: int, the id of other values.
      num_oov_buckets: int, into how many further ids other values go by their hash; 0: they have the default id.

    Returns:
      VocabularyListCategoricalColumn.

    Raises:
      ValueError: an argument is not of its form.

    Example:
      >>> import tracefn as tf
      >>> colour = tf.feature_column.categorical_column_with_vocabulary_list("colour", ["red", "blue"])
      >>> cache = tf.__internal__.feature_column.FeatureTransformationCache({"colour": ["blue", "green"]})
      >>> colour.get_sparse_tensors(cache, None).id_tensor.values.numpy().tolist()
      [1, -1]
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    held = tf.as_dtype(np.array(vocabulary_list).dtype)
    _check_others(key, num_oov_buckets, default_value != -1)
    check_ids(held, f"column_name: {key} vocabulary")
    wanted = held if dtype is None else dtype
    if wanted.is_integer != held.is_integer:
        raise ValueError(f"dtype {wanted} and vocabulary dtype {held} do not match, column_name: {key}")
    check_ids(wanted, f"column_name: {key}")
    check_key(key)
    return VocabularyListCategoricalColumn(key, tuple(vocabulary_list), wanted, default_value, num_oov_buckets)


@export("feature_column.categorical_column_with_vocabulary_file")
def categorical_column_with_vocabulary_file(
    key, vocabulary_file, vocabulary_size=None, dtype=string, default_value=None, num_oov_buckets=0, file_format=None
):
    """A column whose ids are the numbers of lines in a file.

    Args:
      key: str, the name of the feature.
      vocabulary_file: path of a text with one value per line, or of compressed records.
      vocabulary_size: int, how many values are used; None: all.
      dtype: DType of the feature, a string or an integer.
      default_value: int, the id of other values; None: -1.
      num_oov_buckets: int, into how many further ids other values go by their hash; 0: they have the default id.
      file_format: "tfrecord_gzip" for records, which a name that ends in "tfrecord.gz" means, too.

    Returns:
      VocabularyFileCategoricalColumn.

    Raises:
      ValueError: an argument is not of its form, or the file does not exist.

    Example:
      >>> import tracefn as tf
      >>> tf.io.write_file("colours.txt", "red\\nblue\\n")
      >>> tf.feature_column.categorical_column_with_vocabulary_file("colour", "colours.txt").num_buckets
      2
      >>> tf.io.gfile.remove("colours.txt")
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if file_format is None and vocabulary_file.endswith("tfrecord.gz"):
        file_format = _RECORDS
    if vocabulary_size is None:
        if not tf.io.gfile.exists(vocabulary_file):
            raise ValueError(f"vocabulary_file in {key} does not exist.")
        vocabulary_size = _size_of(vocabulary_file, file_format)
    if not is_tensor(vocabulary_size) and vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_others(key, num_oov_buckets, default_value is not None)
    check_ids(dtype, f"column_name: {key}")
    check_key(key)
    return VocabularyFileCategoricalColumn(
        key,
        vocabulary_file,
        vocabulary_size,
        num_oov_buckets or 0,
        dtype,
        -1 if default_value is None else default_value,
        file_format,
    )


@export("compat.v1.feature_column.categorical_column_with_vocabulary_file")
def categorical_column_with_vocabulary_file_v1(
    key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None, dtype=string
):
    """`tf.feature_column.categorical_column_with_vocabulary_file` with its arguments in TensorFlow 1's order, of a text."""
    return categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
    )


def _size_of(path: str, file_format: str | None):
    """The number of values in a file; for records in a graph, a tensor."""
    if file_format != _RECORDS:
        with tf.io.gfile.GFile(path, "rb") as file:
            return sum(1 for _ in file)
    count = tf.data.TFRecordDataset(path, "GZIP").reduce(0, lambda n, _: n + 1)
    return count.numpy() if tf.executing_eagerly() else count
