"""Columns of ids: numbers as they are, hashes, combinations of features, and ids with weights."""

from __future__ import annotations

from typing import NamedTuple

from tracefn._export import export
from tracefn._feature_columns.base import (
    CategoricalColumn,
    check_ids,
    check_key,
    check_number,
    check_same_kind,
    to_sparse,
)
from tracefn._feature_columns.configs import Fields, OfKey
from tracefn._namespaces import root
from tracefn.dtypes import float32, string

tf = root()


class OfOneFeature(OfKey, CategoricalColumn):
    """A categorical column made from the one feature `key`, with as many values as there are."""

    dtype: object

    @property
    def parse_example_spec(self) -> dict:
        """The feature's spec: of any length."""
        return {self.key: tf.io.VarLenFeature(self.dtype)}

    def transform_feature(self, transformation_cache, state_manager):
        """The ids, a SparseTensor."""
        return self._ids(to_sparse(transformation_cache.get(self.key, state_manager)), state_manager)

    def _ids(self, values, state_manager):
        """The ids for a SparseTensor of values."""
        raise NotImplementedError


class _Identity(NamedTuple):
    key: str
    number_buckets: int
    default_value: int | None


class IdentityCategoricalColumn(OfOneFeature, _Identity):
    """Integers that are the ids; see `tf.feature_column.categorical_column_with_identity`."""

    @property
    def dtype(self):
        """What is parsed: int64."""
        return tf.int64

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        return self.number_buckets

    def _ids(self, values, state_manager):
        if not values.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {values.dtype}")
        ids = tf.cast(values.values, tf.int64)
        if self.default_value is not None:
            outside = tf.logical_or(ids < 0, ids >= self.number_buckets)
            ids = tf.where(outside, tf.cast(self.default_value, tf.int64), ids)
        return tf.SparseTensor(values.indices, ids, values.dense_shape)


class _Hashed(NamedTuple):
    key: str
    hash_bucket_size: int
    dtype: object


class HashedCategoricalColumn(OfOneFeature, _Hashed):
    """Hashes; see `tf.feature_column.categorical_column_with_hash_bucket`."""

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        return self.hash_bucket_size

    def _ids(self, values, state_manager):
        check_same_kind(self, values.dtype)
        texts = values.values if self.dtype == tf.string else tf.as_string(values.values)
        hashes = tf.strings.to_hash_bucket_fast(texts, self.hash_bucket_size)
        return tf.SparseTensor(values.indices, hashes, values.dense_shape)


class _Weighted(NamedTuple):
    categorical_column: CategoricalColumn
    weight_feature_key: str
    dtype: object


class WeightedCategoricalColumn(Fields, CategoricalColumn, _Weighted):
    """The ids of a column with weights; see `tf.feature_column.weighted_categorical_column`."""

    @property
    def name(self) -> str:
        """The names of the column and of the weights."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> dict:
        """The column's specs, and one of the weights.

        Raises:
          ValueError: the weights are the column's own feature.
        """
        specs = dict(self.categorical_column.parse_example_spec)
        key = self.weight_feature_key
        if key in specs:
            raise ValueError(f"Parse config {specs[key]} already exists for {key}.")
        return {**specs, key: tf.io.VarLenFeature(self.dtype)}

    @property
    def parents(self) -> list:
        """The column, and the key of the weights."""
        return [self.categorical_column, self.weight_feature_key]

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        return self.categorical_column.num_buckets

    def transform_feature(self, transformation_cache, state_manager):
        """The SparseTensors of ids and of weights.

        Raises:
          ValueError: the weights have another dtype.
        """
        weights = transformation_cache.get(self.weight_feature_key, state_manager)
        if weights.dtype != self.dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        weights = to_sparse(weights, 0)
        if not weights.dtype.is_floating:
            weights = tf.cast(weights, tf.float32)
        return to_sparse(transformation_cache.get(self.categorical_column, state_manager)), weights

    def get_sparse_tensors(self, transformation_cache, state_manager):
        """An IdWeightPair of SparseTensors."""
        return self.IdWeightPair(*transformation_cache.get(self, state_manager))


class _Crossed(NamedTuple):
    keys: tuple
    hash_bucket_size: int
    hash_key: int | None


class CrossedColumn(Fields, CategoricalColumn, _Crossed):
    """Hashes of combinations; see `tf.feature_column.crossed_column`."""

    def _leaves(self) -> list:
        """The keys, with those of crossed columns in place of these."""
        return [leaf for key in self.keys for leaf in (key._leaves() if isinstance(key, CrossedColumn) else [key])]

    @property
    def name(self) -> str:
        """The names of what is combined."""
        return "_X_".join(sorted(leaf if isinstance(leaf, str) else leaf.name for leaf in self._leaves()))

    @property
    def parse_example_spec(self) -> dict:
        """The specs of what is combined; features themselves are strings."""
        specs: dict = {}
        for key in self.keys:
            specs |= {key: tf.io.VarLenFeature(tf.string)} if isinstance(key, str) else key.parse_example_spec
        return specs

    @property
    def parents(self) -> list:
        """What is combined."""
        return list(self.keys)

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        return self.hash_bucket_size

    def transform_feature(self, transformation_cache, state_manager):
        """The hashes, a SparseTensor.

        Raises:
          ValueError: a column has weights, or is not categorical.
        """
        parts = [self._part(leaf, transformation_cache, state_manager) for leaf in self._leaves()]
        return tf.sparse.cross_hashed(parts, self.hash_bucket_size, self.hash_key)

    @staticmethod
    def _part(leaf, transformation_cache, state_manager):
        if isinstance(leaf, str):
            return transformation_cache.get(leaf, state_manager)
        if not isinstance(leaf, CategoricalColumn):
            raise ValueError(f"Unsupported column type. Given: {leaf}")
        pair = leaf.get_sparse_tensors(transformation_cache, state_manager)
        if pair.weight_tensor is not None:
            raise ValueError(
                "crossed_column does not support weight_tensor, but the given column populates weight_tensor. "
                f"Given column: {leaf.name}"
            )
        return pair.id_tensor


@export("feature_column.categorical_column_with_identity")
def categorical_column_with_identity(key, num_buckets, default_value=None):
    """A column of integers that are ids themselves.

    Args:
      key: str, the name of the feature.
      num_buckets: int: ids are below it.
      default_value: int, the id of integers that are negative or too large; None: using them fails later.

    Returns:
      IdentityCategoricalColumn.

    Raises:
      ValueError: an argument is not of its form.

    Example:
      >>> import tracefn as tf
      >>> tf.feature_column.categorical_column_with_identity("room", 5, 0)
      IdentityCategoricalColumn(key='room', number_buckets=5, default_value=0)
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


@export("feature_column.categorical_column_with_hash_bucket")
def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=string):
    """A column whose ids are hashes of strings or integers.

    Args:
      key: str, the name of the feature.
      hash_bucket_size: int: ids are below it.
      dtype: DType of the feature, a string or an integer.

    Returns:
      HashedCategoricalColumn.

    Raises:
      ValueError: an argument is not of its form.

    Example:
      >>> import tracefn as tf
      >>> tf.feature_column.categorical_column_with_hash_bucket("word", 100).name
      'word'
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    check_key(key)
    check_ids(dtype, f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


@export("feature_column.weighted_categorical_column")
def weighted_categorical_column(categorical_column, weight_feature_key, dtype=float32):
    """A column of ids with a weight for each, which is another feature.

    Args:
      categorical_column: categorical column.
      weight_feature_key: str, the name of the feature of the weights.
      dtype: DType of the weights.

    Returns:
      WeightedCategoricalColumn.

    Raises:
      ValueError: `dtype` is none of numbers.

    Example:
      >>> import tracefn as tf
      >>> word = tf.feature_column.categorical_column_with_hash_bucket("word", 100)
      >>> tf.feature_column.weighted_categorical_column(word, "count").name
      'word_weighted_by_count'
    """
    check_number(dtype, f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)


@export("feature_column.crossed_column")
def crossed_column(keys, hash_bucket_size, hash_key=None):
    """A column of hashes of all combinations of the values of several features.

    Args:
      keys: list of at least two names of features and categorical columns, none of hashes.
      hash_bucket_size: int: ids are below it.
      hash_key: int, with which the hashes begin; None: TensorFlow's.

    Returns:
      CrossedColumn.

    Raises:
      ValueError: an argument is not of its form.

    Example:
      >>> import tracefn as tf
      >>> tf.feature_column.crossed_column(["city", "street"], 1000).name
      'city_X_street'
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column except "
                f"HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing will increase "
                f"probability of collision. Instead, use the feature name as a string. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
