"""Columns that say which ids an example has: ones and zeros."""

from __future__ import annotations

from typing import NamedTuple

from tracefn._export import export
from tracefn._feature_columns.base import CategoricalColumn, DenseColumn, SequenceDenseColumn, lengths_of
from tracefn._feature_columns.configs import Fields
from tracefn._feature_columns.sequences import SequenceCategoricalColumn
from tracefn._namespaces import root
from tracefn.tensor_shape import TensorShape

tf = root()


class OfCategories(Fields, DenseColumn, SequenceDenseColumn):
    """A dense column made from a categorical one."""

    categorical_column: CategoricalColumn
    _kind: str  # of the function that makes it

    @property
    def parse_example_spec(self) -> dict:
        """The specs of the categorical column."""
        return self.categorical_column.parse_example_spec

    @property
    def parents(self) -> list:
        """The categorical column."""
        return [self.categorical_column]

    def get_dense_tensor(self, transformation_cache, state_manager):
        """Tensor [batch, ...].

        Raises:
          ValueError: the categorical column is of sequences.
        """
        column = self.categorical_column
        if isinstance(column, SequenceCategoricalColumn):
            raise ValueError(
                f"In {self._kind}: {self.name}. categorical_column must not be of type SequenceCategoricalColumn. "
                "Suggested fix A: If you wish to use DenseFeatures, use a non-sequence categorical_column_with_*. "
                "Suggested fix B: If you wish to create sequence input, use SequenceFeatures instead of DenseFeatures. "
                f"Given (type {type(column)}): {column}"
            )
        return self._dense(transformation_cache, state_manager)

    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        """A TensorSequenceLengthPair of a tensor [batch, time, ...] and lengths [batch].

        Raises:
          ValueError: the categorical column is not of sequences.
        """
        column = self.categorical_column
        if not isinstance(column, SequenceCategoricalColumn):
            raise ValueError(
                f"In {self._kind}: {self.name}. categorical_column must be of type SequenceCategoricalColumn to use "
                "SequenceFeatures. Suggested fix: Use one of sequence_categorical_column_with_*. "
                f"Given (type {type(column)}): {column}"
            )
        ids = column.get_sparse_tensors(transformation_cache, state_manager).id_tensor
        return self.TensorSequenceLengthPair(self._dense(transformation_cache, state_manager), lengths_of(ids))

    def _dense(self, transformation_cache, state_manager):
        raise NotImplementedError


class _Indicator(NamedTuple):
    categorical_column: CategoricalColumn


class IndicatorColumn(OfCategories, _Indicator):
    """How often an example has each id; see `tf.feature_column.indicator_column`."""

    _kind = "indicator_column"

    @property
    def name(self) -> str:
        """The name of the categorical column, and a suffix."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def variable_shape(self):
        """TensorShape of one row."""
        return TensorShape([1, self.categorical_column.num_buckets])

    def transform_feature(self, transformation_cache, state_manager):
        """How often each id occurs, or the sum of its weights: float32 [..., ids]."""
        ids, weights = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        size = self.categorical_column.num_buckets
        if weights is None:
            return tf.reduce_sum(tf.one_hot(tf.sparse.to_dense(ids, -1), size), axis=-2)
        places = tf.concat([ids.indices[:, :-1], tf.cast(ids.values, tf.int64)[:, tf.newaxis]], axis=1)
        shape = tf.concat([ids.dense_shape[:-1], tf.constant([size], tf.int64)], axis=0)
        known = tf.logical_and(places[:, -1] >= 0, places[:, -1] < size)
        return tf.scatter_nd(tf.boolean_mask(places, known), tf.boolean_mask(weights.values, known), shape)

    def _dense(self, transformation_cache, state_manager):
        return transformation_cache.get(self, state_manager)


@export("feature_column.indicator_column")
def indicator_column(categorical_column):
    """A column that counts the ids of another: 0 for ids that an example has not.

    Args:
      categorical_column: categorical column.

    Returns:
      IndicatorColumn.

    Raises:
      ValueError: the column is not categorical.

    Example:
      >>> import tracefn as tf
      >>> room = tf.feature_column.indicator_column(tf.feature_column.categorical_column_with_identity("room", 3))
      >>> cache = tf.__internal__.feature_column.FeatureTransformationCache({"room": [[0, 2], [1, 1]]})
      >>> room.get_dense_tensor(cache, None).numpy().tolist()
      [[1.0, 0.0, 1.0], [0.0, 2.0, 0.0]]
    """
    if not isinstance(categorical_column, CategoricalColumn):
        raise ValueError(f"Unsupported input type. Input must be a CategoricalColumn. Given: {categorical_column}")
    return IndicatorColumn(categorical_column)
