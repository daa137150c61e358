"""`tensorflow.python.ops.lookup_ops`: tables of texts and their numbers, as TensorFlow 1 made them."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.compat.v1.tables import StaticHashTableV1
from tracefn.ops.table_initializers import TextFileIndex, TextFileInitializer
from tracefn.python.ops._hashed_tables import (
    FastHashSpec,
    HasherSpec,
    IdTableWithHashBuckets,
    StrongHashSpec,
)

__all__ = [
    "FastHashSpec",
    "HashTable",
    "HasherSpec",
    "IdTableWithHashBuckets",
    "StrongHashSpec",
    "TextFileIdTableInitializer",
    "TextFileStringTableInitializer",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
]

tf = root()


class HashTable(StaticHashTableV1):
    """A table that a session fills by running `init`.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     table = tf.python.ops.lookup_ops.HashTable(tf.lookup.KeyValueTensorInitializer(["a"], [7]), 0)
      ...     session.run(table.init)
      ...     session.run(table.lookup(tf.constant(["a"]))).tolist()
      [7]
    """

    @property
    def init(self):
        """The operation that fills it."""
        return self.initializer


class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a table with the numbers of a file's lines: by default the lines are the keys.

    Args:
      filename: str, path or scalar string tensor.
      key_column_index, value_column_index: as `key_index` and `value_index` of `tf.lookup.TextFileInitializer`.
      vocab_size, delimiter, name: as there.
      key_dtype: dtype of the keys.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> file = tempfile.NamedTemporaryFile("w", suffix=".txt")
      >>> _ = file.write("a\\nb"), file.flush()
      >>> table = tf.lookup.StaticHashTable(tf.python.ops.lookup_ops.TextFileIdTableInitializer(file.name), -1)
      >>> table.lookup(tf.constant(["b", "c"])).numpy().tolist()
      [1, -1]
    """

    def __init__(
        self,
        filename,
        key_column_index=TextFileIndex.WHOLE_LINE,
        value_column_index=TextFileIndex.LINE_NUMBER,
        vocab_size=None,
        delimiter="\t",
        name="text_file_id_table_init",
        key_dtype=tf.string,
    ) -> None:
        super().__init__(
            filename, key_dtype, key_column_index, tf.int64, value_column_index, vocab_size, delimiter, name
        )


class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a table with a file's lines: by default their numbers are the keys.

    Args:
      filename, key_column_index, value_column_index, vocab_size, delimiter, name: as of `TextFileIdTableInitializer`.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> file = tempfile.NamedTemporaryFile("w", suffix=".txt")
      >>> _ = file.write("a\\nb"), file.flush()
      >>> table = tf.lookup.StaticHashTable(tf.python.ops.lookup_ops.TextFileStringTableInitializer(file.name), "?")
      >>> table.lookup(tf.constant([1, 2], tf.int64)).numpy().tolist()
      [b'b', b'?']
    """

    def __init__(
        self,
        filename,
        key_column_index=TextFileIndex.LINE_NUMBER,
        value_column_index=TextFileIndex.WHOLE_LINE,
        vocab_size=None,
        delimiter="\t",
        name="text_file_string_table_init",
    ) -> None:
        super().__init__(
            filename, tf.int64, key_column_index, tf.string, value_column_index, vocab_size, delimiter, name
        )


def _indexed(initializer, num_oov_buckets, default_value, hasher_spec, key_dtype):
    """A table of indices, with buckets for unknown keys or a default value.

    Raises:
      ValueError: the number of buckets is negative.
      TypeError: `hasher_spec` is no HasherSpec, where there are buckets.
    """
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater or equal than 0, got {num_oov_buckets}.")
    table = tf.lookup.StaticHashTable(initializer, default_value)
    return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=key_dtype) if num_oov_buckets else table


def index_table_from_tensor(
    vocabulary_list, num_oov_buckets=0, default_value=-1, hasher_spec=FastHashSpec, dtype=None, name=None
):
    """A table from the elements of a vector to their places.

    Args:
      vocabulary_list: vector of str or ints.
      num_oov_buckets: int, into how many further places unknown keys go by their hash.
      default_value: int, of unknown keys if there are no such places.
      hasher_spec: HasherSpec, how unknown keys are hashed.
      name: has no effect.
      dtype: DType of the keys that are looked up; None: string.

    Raises:
      ValueError: there is no vocabulary, or `num_oov_buckets` is negative.

    Example:
      >>> import tracefn as tf
      >>> table = tf.python.ops.lookup_ops.index_table_from_tensor(["a", "b"])
      >>> table.lookup(tf.constant(["b", "c"])).numpy().tolist()
      [1, -1]
    """
    del name
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` must be specified.")
    keys = tf.convert_to_tensor(vocabulary_list)
    wanted = tf.string if dtype is None else tf.as_dtype(dtype)
    if keys.dtype.is_integer != wanted.is_integer:
        raise ValueError(
            f"Invalid `dtype`: Expected {'integer' if keys.dtype.is_integer else 'non-integer'}, got {wanted}."
        )
    if wanted.is_integer:
        keys = tf.cast(keys, "int64")
    initializer = tf.lookup.KeyValueTensorInitializer(keys, tf.range(tf.size(keys, out_type="int64")))
    return _indexed(initializer, num_oov_buckets, default_value, hasher_spec, wanted)


def index_table_from_file(
    vocabulary_file=None,
    num_oov_buckets=0,
    vocab_size=None,
    default_value=-1,
    hasher_spec=FastHashSpec,
    key_dtype=None,
    name=None,
    key_column_index=-2,
    value_column_index=-1,
    delimiter="\t",
):
    """A table from the lines of a file to their numbers.

    Args:
      vocabulary_file: path.
      vocab_size: int, the number of lines, or None.
      key_column_index, value_column_index: int, columns; -2: the whole line, -1: its number.
      delimiter: str between columns.
      num_oov_buckets, default_value, hasher_spec, name: as in `index_table_from_tensor`.
      key_dtype: DType of the keys; None: string.

    Raises:
      ValueError: there is no file, or `num_oov_buckets` is negative, or `vocab_size` is not positive.
    """
    del name
    if not vocabulary_file:
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size} for vocabulary_file: {vocabulary_file}.")
    wanted = tf.string if key_dtype is None else tf.as_dtype(key_dtype)
    initializer = tf.lookup.TextFileInitializer(
        vocabulary_file,
        key_dtype=tf.int64 if wanted.is_integer else wanted,
        key_index=key_column_index,
        value_dtype=tf.int64,
        value_index=value_column_index,
        vocab_size=vocab_size,
        delimiter=delimiter,
    )
    return _indexed(initializer, num_oov_buckets, default_value, hasher_spec, wanted)


def index_to_string_table_from_tensor(vocabulary_list, default_value="UNK", name=None):
    """A table from places in a vector of str to its elements.

    Raises:
      ValueError: there is no vocabulary.

    Example:
      >>> import tracefn as tf
      >>> table = tf.python.ops.lookup_ops.index_to_string_table_from_tensor(["a", "b"])
      >>> table.lookup(tf.constant([1, 5], tf.int64)).numpy().tolist()
      [b'b', b'UNK']
    """
    del name
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` argument must be specified.")
    values = tf.convert_to_tensor(vocabulary_list, "string")
    keys = tf.range(tf.size(values, out_type="int64"))
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), default_value)


def index_to_string_table_from_file(
    vocabulary_file,
    vocab_size=None,
    default_value="UNK",
    name=None,
    key_column_index=-1,
    value_column_index=-2,
    delimiter="\t",
):
    """A table from numbers of lines of a file to the lines; the arguments are those of `index_table_from_file`.

    Raises:
      ValueError: there is no file, or `vocab_size` is not positive.
    """
    del name
    if not vocabulary_file:
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    initializer = tf.lookup.TextFileInitializer(
        vocabulary_file,
        key_dtype=tf.int64,
        key_index=key_column_index,
        value_dtype=tf.string,
        value_index=value_column_index,
        vocab_size=vocab_size,
        delimiter=delimiter,
    )
    return tf.lookup.StaticHashTable(initializer, default_value)
