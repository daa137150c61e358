"""Columns of numbers, and of the intervals in which numbers are."""

from __future__ import annotations

from typing import NamedTuple

from tracefn import _numpy as np
from tracefn._export import export
from tracefn._feature_columns.base import CategoricalColumn, DenseColumn, check_key, check_number, is_sparse
from tracefn._feature_columns.configs import Fields, OfKey
from tracefn._namespaces import root
from tracefn.dtypes import float32
from tracefn.python.ops.math_ops import _bucketize
from tracefn.tensor_shape import TensorShape

tf = root()


class _Numbers(NamedTuple):
    key: str
    shape: tuple
    default_value: object
    dtype: object
    normalizer_fn: object


class NumericColumn(OfKey, DenseColumn, _Numbers):
    """Numbers as they are; see `tf.feature_column.numeric_column`."""

    @property
    def parse_example_spec(self) -> dict:
        """The feature's spec: of a fixed length."""
        return {self.key: tf.io.FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self):
        """TensorShape of one row."""
        return TensorShape(self.shape)

    def transform_feature(self, transformation_cache, state_manager):
        """The numbers [batch, ...] as float32, normalized.

        Raises:
          ValueError: the feature is sparse.
        """
        numbers = transformation_cache.get(self.key, state_manager)
        if is_sparse(numbers):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. "
                f"key: {self.key}"
            )
        return tf.cast(numbers if self.normalizer_fn is None else self.normalizer_fn(numbers), tf.float32)

    def get_dense_tensor(self, transformation_cache, state_manager):
        """The numbers [batch, ...]."""
        return transformation_cache.get(self, state_manager)


class _Buckets(NamedTuple):
    source_column: NumericColumn
    boundaries: tuple


class BucketizedColumn(Fields, DenseColumn, CategoricalColumn, _Buckets):
    """The intervals in which numbers are; see `tf.feature_column.bucketized_column`."""

    @property
    def name(self) -> str:
        """The name of the column of numbers, and a suffix."""
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict:
        """The spec of the numbers."""
        return self.source_column.parse_example_spec

    @property
    def parents(self) -> list:
        """The column of numbers."""
        return [self.source_column]

    @property
    def variable_shape(self):
        """TensorShape of one row: the intervals are last."""
        return TensorShape((*self.source_column.shape, len(self.boundaries) + 1))

    @property
    def num_buckets(self) -> int:
        """The number of intervals, for all numbers of a row together."""
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def transform_feature(self, transformation_cache, state_manager):
        """The intervals' numbers [batch, ...], int32."""
        return _bucketize(transformation_cache.get(self.source_column, state_manager), list(map(float, self.boundaries)))

    def get_dense_tensor(self, transformation_cache, state_manager):
        """Ones and zeros [batch, ..., intervals]."""
        return tf.one_hot(transformation_cache.get(self, state_manager), len(self.boundaries) + 1)

    def get_sparse_tensors(self, transformation_cache, state_manager):
        """The ids [batch, numbers in a row], without weights: each number has intervals of its own."""
        found = transformation_cache.get(self, state_manager)
        rows, width = tf.shape(found)[0], self.source_column.shape[0]
        column = tf.tile(tf.range(width), [rows])
        row = tf.repeat(tf.range(rows), width)
        ids = tf.reshape(found, [-1]) + (len(self.boundaries) + 1) * column
        places = tf.cast(tf.stack([row, column], axis=1), tf.int64)
        return self.IdWeightPair(tf.SparseTensor(places, ids, tf.cast(tf.stack([rows, width]), tf.int64)), None)


def checked_shape(shape, key) -> tuple:
    """A shape as a tuple.

    Raises:
      TypeError, ValueError: a dimension is no positive int.
    """
    dims = tuple(shape) if tf.nest.is_nested(shape) else (shape,)
    for dim in dims:
        if not isinstance(dim, int):
            raise TypeError(f"shape dimensions must be integer. shape: {dims}, key: {key}")
        if dim < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {dims}, key: {key}")
    return dims


def _filled(shape: tuple, value):
    return tuple(_filled(shape[1:], value) for _ in range(shape[0])) if shape else value


def _tuples(value):
    return tuple(_tuples(item) for item in value) if isinstance(value, (list, tuple)) else value


def _checked_default(default, shape: tuple, dtype, key):
    """A default value as nested tuples of a shape.

    Raises:
      ValueError: it has another shape.
      TypeError: it does not fit the dtype.
    """
    if default is None:
        return None
    fits = (int, float) if dtype.is_floating else (int,)
    if isinstance(default, fits):
        return _filled(shape, default)
    values = default.tolist() if isinstance(default, np.ndarray) else default
    if tf.nest.is_nested(values):
        if np.shape(values) != shape:
            raise ValueError(
                f"The shape of default_value must be equal to given shape. default_value: {default}, shape: {shape}, key: {key}"
            )
        if all(isinstance(item, fits) for item in tf.nest.flatten(values)):
            return _tuples(values)
    raise TypeError(f"default_value must be compatible with dtype. default_value: {default}, dtype: {dtype}, key: {key}")


def check_normalizer(normalizer_fn) -> None:
    """Checks that a normalizer is a function.

    Raises:
      TypeError: it is not.
    """
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")


@export("feature_column.numeric_column")
def numeric_column(key, shape=(1,), default_value=None, dtype=float32, normalizer_fn=None):
    """A column of numbers.

    Args:
      key: str, the name of the feature.
      shape: ints, the shape of the feature in one example.
      default_value: number, or nest of numbers of that shape, for examples without the feature; None: they are refused.
      dtype: DType of the feature; the column is float32.
      normalizer_fn: function from a tensor to another, or None.

    Returns:
      NumericColumn.

    Raises:
      TypeError, ValueError: an argument is not of its form.

    Example:
      >>> import tracefn as tf
      >>> tf.feature_column.numeric_column("price").parse_example_spec
      {'price': FixedLenFeature(shape=(1,), dtype=tf.float32, default_value=None)}
    """
    dims = checked_shape(shape, key)
    check_number(dtype, f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    default = _checked_default(default_value, dims, dtype, key)
    check_normalizer(normalizer_fn)
    check_key(key)
    return NumericColumn(key, dims, default, dtype, normalizer_fn)


@export("feature_column.bucketized_column")
def bucketized_column(source_column, boundaries):
    """A column of the intervals in which numbers are: each begins at a boundary, which belongs to it.

    Args:
      source_column: NumericColumn of one dimension.
      boundaries: list or tuple of numbers in ascending order.

    Returns:
      BucketizedColumn, dense and categorical.

    Raises:
      ValueError: an argument is not of its form.

    Example:
      >>> import tracefn as tf
      >>> year = tf.feature_column.numeric_column("year")
      >>> tf.feature_column.bucketized_column(year, [1960, 1980]).num_buckets
      3
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source_column}")
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, (list, tuple)) or any(a >= b for a, b in zip(boundaries, boundaries[1:], strict=False)):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))
