"""The classes of feature columns, and the cache from which they take features."""

from __future__ import annotations

import abc
from typing import NamedTuple

from tracefn._namespaces import root

tf = root()


class FeatureColumn(abc.ABC):
    """What becomes of one feature, or of several. Columns are ordered by their texts."""

    @property
    @abc.abstractmethod
    def name(self):
        """Its name, a str."""

    @property
    @abc.abstractmethod
    def parse_example_spec(self):
        """A dict from the names of features to their specs for `tf.io.parse_example`."""

    @property
    @abc.abstractmethod
    def parents(self):
        """List of the columns and names of features that it is made from."""

    @property
    def _var_scope_name(self) -> str:
        return self.name

    @property
    def _is_v2_column(self) -> bool:
        return True

    @abc.abstractmethod
    def transform_feature(self, transformation_cache, state_manager):
        """Its intermediate value, which the cache keeps."""

    def create_state(self, state_manager) -> None:
        """Makes its variables; most columns have none."""
        del state_manager

    def get_config(self) -> dict:
        """Its fields, as plain values."""
        raise NotImplementedError

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        """The column with these fields."""
        raise NotImplementedError

    def __lt__(self, other) -> bool:
        return str(self) < str(other)

    def __gt__(self, other) -> bool:
        return str(self) > str(other)


class DenseColumn(FeatureColumn):
    """A column with a dense tensor."""

    @property
    @abc.abstractmethod
    def variable_shape(self):
        """TensorShape of one row of the dense tensor."""

    @abc.abstractmethod
    def get_dense_tensor(self, transformation_cache, state_manager):
        """Its tensor [batch, ...]."""


class _IdWeightPair(NamedTuple):
    id_tensor: object
    weight_tensor: object


_IdWeightPair.__name__ = "IdWeightPair"


class CategoricalColumn(FeatureColumn):
    """A column with ids below `num_buckets`, in a SparseTensor."""

    IdWeightPair = _IdWeightPair

    @property
    @abc.abstractmethod
    def num_buckets(self):
        """The number of ids, an int."""

    def get_sparse_tensors(self, transformation_cache, state_manager):
        """An IdWeightPair of its ids and their weights: SparseTensors, or None for the weights."""
        return _IdWeightPair(transformation_cache.get(self, state_manager), None)


class _TensorSequenceLengthPair(NamedTuple):
    dense_tensor: object
    sequence_length: object


_TensorSequenceLengthPair.__name__ = "TensorSequenceLengthPair"


class SequenceDenseColumn(FeatureColumn):
    """A column with a dense tensor of sequences."""

    TensorSequenceLengthPair = _TensorSequenceLengthPair

    @abc.abstractmethod
    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        """A TensorSequenceLengthPair of its tensor [batch, time, ...] and the lengths [batch]."""


def is_sparse(value) -> bool:
    """Whether a value is a SparseTensor."""
    return isinstance(value, tf.sparse.SparseTensor)


class FeatureTransformationCache:
    """The features of a batch, and what columns made of them.

    Args:
      features: dict from names, or columns, to tensors and SparseTensors [batch, ...]; [batch] is taken as [batch, 1].

    Example:
      >>> import tracefn as tf
      >>> cache = tf.__internal__.feature_column.FeatureTransformationCache({"price": [1.0, 2.0]})
      >>> cache.get(tf.feature_column.numeric_column("price"), None).numpy().tolist()
      [[1.0], [2.0]]
    """

    def __init__(self, features) -> None:
        self._features = features.copy()
        self._feature_tensors: dict = {}

    def get(self, key, state_manager, training=None):
        """The value of a feature or a column, made on first use.

        Raises:
          ValueError: there is no such feature, or it is a scalar.
          TypeError: `key` is neither a str nor a column.
        """
        del training
        if key not in self._feature_tensors:
            self._feature_tensors[key] = self._made(key, state_manager)
        return self._feature_tensors[key]

    def _made(self, key, state_manager):
        if key in self._features:
            return _batched(key, self._features[key])
        if isinstance(key, str):
            raise ValueError(f"Feature {key} is not in features dictionary.")
        if not isinstance(key, FeatureColumn):
            raise TypeError(f'"key" must be either a "str" or "FeatureColumn". Provided: {key}')
        value = key.transform_feature(self, state_manager)
        if value is None:
            raise ValueError(f"Column {key.name} is not supported.")
        return value


def _batched(key, value):
    """A feature as a tensor or SparseTensor of at least two dimensions."""
    tensor = value if is_sparse(value) else tf.convert_to_tensor(value)
    rank = tensor.shape.rank
    if rank is None:
        at_least_one = tf.debugging.assert_positive(
            tf.rank(tensor), message=f"Feature (key: {key}) cannot have rank 0. Given: {tensor}"
        )
        with tf.control_dependencies([] if at_least_one is None else [at_least_one]):
            return tf.cond(tf.equal(1, tf.rank(tensor)), lambda: _as_columns(tensor), lambda: tensor)
    if rank == 0:
        raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {tensor}")
    return _as_columns(tensor) if rank == 1 else tensor


def _as_columns(tensor):
    if is_sparse(tensor):
        return tf.sparse.reshape(tensor, [tf.shape(tensor)[0], 1])
    return tf.expand_dims(tensor, -1)


def to_sparse(value, left_out=None):
    """A SparseTensor of what a tensor holds beside `left_out`, which is the empty string, -1 or 0 by default."""
    if is_sparse(value):
        return value
    value = tf.convert_to_tensor(value)
    if left_out is None:
        left_out = "" if value.dtype == tf.string else -1 if value.dtype.is_integer else 0
    indices = tf.where(tf.not_equal(value, tf.cast(left_out, value.dtype)))
    return tf.SparseTensor(indices, tf.gather_nd(value, indices), tf.shape(value, out_type=tf.int64))


def lengths_of(sparse, size: int = 1):
    """The lengths [batch] of the sequences in a SparseTensor whose steps have `size` elements each: int64."""
    rows, places = sparse.indices[:, 0], sparse.indices[:, 1]
    ends = tf.math.unsorted_segment_max(places // size + 1, rows, sparse.dense_shape[0])
    return tf.maximum(ends, tf.constant(0, tf.int64))


def check_key(key) -> None:
    """Checks that the key of a feature is a string.

    Raises:
      ValueError: it is not.
    """
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def check_ids(dtype, prefix: str) -> None:
    """Checks the dtype of what is looked up.

    Raises:
      ValueError: it is neither string nor integer.
    """
    if dtype != tf.string and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")


def check_same_kind(column, dtype) -> None:
    """Checks that a column of a dtype can take values of another.

    Raises:
      ValueError: one is of integers, one of strings.
    """
    check_ids(dtype, f"column_name: {column.key} input_tensor")
    if column.dtype.is_integer != dtype.is_integer:
        raise ValueError(
            "Column dtype and SparseTensors dtype must be compatible. "
            f"key: {column.key}, column dtype: {column.dtype}, tensor dtype: {dtype}"
        )


def check_number(dtype, text: str) -> None:
    """Checks that a dtype is one of numbers.

    Raises:
      ValueError: it is not; `text` says so.
    """
    if dtype is None or not (dtype.is_integer or dtype.is_floating):
        raise ValueError(text)
