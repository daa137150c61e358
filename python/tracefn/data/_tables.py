"""Lookup tables that datasets fill."""

from __future__ import annotations

from tracefn import _core
from tracefn.data._base import int64, unary
from tracefn.dtypes import as_dtype, string
from tracefn.framework import name_scope
from tracefn.ops.table_initializers import TableInitializerBase
from tracefn.ops.tables import StaticHashTable, StaticVocabularyTable
from tracefn.tensor_spec import TensorSpec

_op = _core.raw_op
_ALL = 2**31 - 1


def _check_pairs(spec) -> None:
    base = (
        "Datasets used to initialize lookup tables must produce elements in the form (key, value), where the keys and "
        "values are scalar tensors. "
    )
    if not isinstance(spec, tuple) or len(spec) != 2:
        count = len(spec) if isinstance(spec, (tuple, dict)) else 1
        raise ValueError(
            f"{base}However, the given dataset produces {count} components instead of two (key, value) "
            f"components. Full dataset element spec: {spec}."
        )
    for part, what in zip(spec, ("key", "value"), strict=True):
        if not isinstance(part, TensorSpec):
            raise ValueError(f"{base}However, the given dataset produces non-Tensor {what}s of type {type(part)}.")
        if part.shape.rank not in (None, 0):
            raise ValueError(
                f"{base}However, the given dataset produces non-scalar {what} Tensors of rank {part.shape.rank}."
            )


class DatasetInitializer(TableInitializerBase):
    """Fills a table with the elements of a dataset: pairs of a key and a value.

    Args:
      dataset: Dataset of pairs of scalars.

    Raises:
      ValueError: its elements are something else.

    Example:
      >>> import tracefn as tf
      >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], [7, 8]))
      >>> table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(pairs), default_value=-1)
      >>> table.lookup(tf.constant(["b", "z"])).numpy().tolist()
      [8, -1]
    """

    def __init__(self, dataset):
        _check_pairs(dataset.element_spec)
        self.dataset = dataset
        key, value = dataset.element_spec
        super().__init__(key.dtype, value.dtype)

    def initialize(self, table):
        """Fills a table; in a graph, returns the operation that does.

        Raises:
          TypeError: the table has other dtypes.
        """
        self._check(table)
        empty = tuple(_empty(spec.dtype) for spec in self.dataset.element_spec)
        keys, values = self.dataset.batch(_ALL).reduce(empty, lambda _, batch: batch)
        return _op("LookupTableImportV2")(table_handle=table.resource_handle, keys=keys, values=values)


def _empty(dtype):
    value = _core.convert_to_tensor("" if dtype.name == "string" else 0, dtype=dtype)
    return _op("Fill")(dims=_core.convert_to_tensor([0], dtype="int32"), value=value)


def table_from_dataset(
    dataset=None,
    num_oov_buckets=0,
    vocab_size=None,
    default_value=None,
    hasher_spec=("fasthash", None),
    key_dtype=string,
    name=None,
):
    """A lookup table of the pairs in a dataset.

    Args:
      dataset: Dataset of pairs of a key and a value, scalars.
      num_oov_buckets: how many further values stand for keys that are not there.
      vocab_size: the number of pairs, or None.
      default_value: the value of keys that are not there; None: -1.
      hasher_spec: the default; other hashes are not supported.
      key_dtype: dtype of the keys.
      name: name of the table.

    Raises:
      ValueError: the elements are something else, or a number is not valid.
      TypeError: keys are neither strings nor integers.

    Example:
      >>> import tracefn as tf
      >>> pairs = tf.data.Dataset.from_tensor_slices((tf.range(3, dtype=tf.int64), tf.range(3, dtype=tf.int64) * 7))
      >>> table = tf.data.experimental.table_from_dataset(pairs, key_dtype=tf.int64)
      >>> table.lookup(tf.constant([0, 2, 5], tf.int64)).numpy().tolist()
      [0, 14, -1]
    """
    if hasher_spec not in (None, ("fasthash", None)):
        raise ValueError("`hasher_spec` is not supported.")
    _check_pairs(dataset.element_spec)
    value_dtype, key_dtype = dataset.element_spec[1].dtype, as_dtype(key_dtype)
    if default_value is None:
        if not (value_dtype.is_integer or value_dtype.is_floating):
            raise ValueError(
                "`default_value` must be specified when creating a table from a dataset that produces values of "
                f"type {value_dtype}."
            )
        default_value = -1
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.")
    if vocab_size is not None and not isinstance(vocab_size, _core.Tensor) and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    if not key_dtype.is_integer and key_dtype.name != "string":
        raise TypeError(f"`key_dtype` must be either an integer or string type, but got {key_dtype}")
    if vocab_size is not None:
        dataset = unary(
            "_AssertCardinalityDataset",
            "AssertCardinalityDataset",
            dataset.take(vocab_size),
            cardinality=int64(vocab_size),
        )
    with name_scope(name or "string_to_index"):
        initializer = DatasetInitializer(dataset)
        if num_oov_buckets:
            return StaticVocabularyTable(initializer, num_oov_buckets, lookup_key_dtype=key_dtype)
        return StaticHashTable(initializer, default_value)


def index_table_from_dataset(
    dataset=None, num_oov_buckets=0, vocab_size=None, default_value=-1, hasher_spec=("fasthash", None), key_dtype=string, name=None
):
    """A lookup table from the elements of a dataset to their places, int64.

    Args:
      dataset: Dataset of scalars.
      num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name: as in `table_from_dataset`.

    Example:
      >>> import tracefn as tf
      >>> words = tf.data.Dataset.from_tensor_slices(["emerson", "lake", "palmer"])
      >>> table = tf.data.experimental.index_table_from_dataset(words)
      >>> table.lookup(tf.constant(["lake", "and"])).numpy().tolist()
      [1, -1]
    """
    return table_from_dataset(
        dataset.enumerate().map(lambda i, key: (key, i)),
        num_oov_buckets,
        vocab_size,
        default_value,
        hasher_spec,
        key_dtype,
        name,
    )
