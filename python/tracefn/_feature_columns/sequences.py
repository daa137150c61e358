"""Columns of features that are sequences."""

from __future__ import annotations

from typing import NamedTuple

from tracefn._export import export
from tracefn._feature_columns.base import (
    CategoricalColumn,
    SequenceDenseColumn,
    check_key,
    check_number,
    lengths_of,
)
from tracefn._feature_columns.categories import categorical_column_with_hash_bucket, categorical_column_with_identity
from tracefn._feature_columns.configs import Fields, OfKey
from tracefn._feature_columns.numeric import check_normalizer, checked_shape
from tracefn._feature_columns.vocabularies import (
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from tracefn._namespaces import root
from tracefn.dtypes import float32, string
from tracefn.tensor_shape import TensorShape

tf = root()


class _Sequence(NamedTuple):
    categorical_column: CategoricalColumn


class SequenceCategoricalColumn(Fields, CategoricalColumn, _Sequence):
    """The ids of another column, as sequences."""

    @property
    def name(self) -> str:
        """The name of the other column."""
        return self.categorical_column.name

    @property
    def parse_example_spec(self) -> dict:
        """The specs of the other column."""
        return self.categorical_column.parse_example_spec

    @property
    def parents(self) -> list:
        """The other column."""
        return [self.categorical_column]

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        return self.categorical_column.num_buckets

    def transform_feature(self, transformation_cache, state_manager):
        """What the other column gives."""
        return self.categorical_column.transform_feature(transformation_cache, state_manager)

    def get_sparse_tensors(self, transformation_cache, state_manager):
        """An IdWeightPair of SparseTensors [batch, time, ids in a step]."""
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        shape = tf.shape(pair.id_tensor)
        steps = tf.stack([shape[0], shape[1], tf.reduce_prod(shape[2:])])
        return self.IdWeightPair(*(None if part is None else tf.sparse.reshape(part, steps) for part in pair))


class _SequenceNumbers(NamedTuple):
    key: str
    shape: tuple
    default_value: float
    dtype: object
    normalizer_fn: object


class SequenceNumericColumn(OfKey, SequenceDenseColumn, _SequenceNumbers):
    """Sequences of numbers; see `tf.feature_column.sequence_numeric_column`."""

    @property
    def parse_example_spec(self) -> dict:
        """The feature's spec: of any length."""
        return {self.key: tf.io.VarLenFeature(self.dtype)}

    @property
    def variable_shape(self):
        """TensorShape of one step."""
        return TensorShape(self.shape)

    def transform_feature(self, transformation_cache, state_manager):
        """The feature, a SparseTensor, normalized."""
        values = transformation_cache.get(self.key, state_manager)
        return values if self.normalizer_fn is None else self.normalizer_fn(values)

    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        """A TensorSequenceLengthPair of the numbers [batch, time, ...] and the lengths [batch]."""
        values = transformation_cache.get(self, state_manager)
        dense = tf.sparse.to_dense(values, self.default_value)
        dense = tf.reshape(dense, tf.concat([tf.shape(dense)[:1], [-1], self.shape], axis=0))
        size = self.variable_shape.num_elements() if values.shape.rank == 2 else 1
        return self.TensorSequenceLengthPair(dense, lengths_of(values, size))


@export("feature_column.sequence_numeric_column")
def sequence_numeric_column(key, shape=(1,), default_value=0.0, dtype=float32, normalizer_fn=None):
    """A column of sequences of numbers.

    Args:
      key: str, the name of the feature.
      shape: ints, the shape of one step.
      default_value: number, with which shorter sequences are filled up.
      dtype: DType of the feature.
      normalizer_fn: function from a SparseTensor to another, or None.

    Returns:
      SequenceNumericColumn.

    Raises:
      TypeError, ValueError: an argument is not of its form.

    Example:
      >>> import tracefn as tf
      >>> column = tf.feature_column.sequence_numeric_column("level")
      >>> levels = tf.RaggedTensor.from_row_lengths([1.0, 2.0, 3.0], [2, 1]).to_sparse()
      >>> cache = tf.__internal__.feature_column.FeatureTransformationCache({"level": levels})
      >>> column.get_sequence_dense_tensor(cache, None).sequence_length.numpy().tolist()
      [2, 1]
    """
    dims = checked_shape(shape, key)
    check_number(dtype, f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    check_normalizer(normalizer_fn)
    check_key(key)
    return SequenceNumericColumn(key, dims, default_value, dtype, normalizer_fn)


@export("feature_column.sequence_categorical_column_with_identity")
def sequence_categorical_column_with_identity(key, num_buckets, default_value=None):
    """`tf.feature_column.categorical_column_with_identity` for a feature that is a sequence."""
    return SequenceCategoricalColumn(categorical_column_with_identity(key, num_buckets, default_value))


@export("feature_column.sequence_categorical_column_with_hash_bucket")
def sequence_categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=string):
    """`tf.feature_column.categorical_column_with_hash_bucket` for a feature that is a sequence."""
    return SequenceCategoricalColumn(categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


@export("feature_column.sequence_categorical_column_with_vocabulary_list")
def sequence_categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    """`tf.feature_column.categorical_column_with_vocabulary_list` for a feature that is a sequence."""
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(key, vocabulary_list, dtype, default_value, num_oov_buckets)
    )


@export("feature_column.sequence_categorical_column_with_vocabulary_file")
def sequence_categorical_column_with_vocabulary_file(
    key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None, dtype=string
):
    """`tf.feature_column.categorical_column_with_vocabulary_file` for a feature that is a sequence."""
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(
            key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
        )
    )
