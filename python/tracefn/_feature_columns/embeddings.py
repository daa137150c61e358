"""Columns of rows of a table, which a model trains, for ids."""

from __future__ import annotations

import math
from typing import NamedTuple

from tracefn._export import export
from tracefn._feature_columns.base import CategoricalColumn
from tracefn._feature_columns.categories import WeightedCategoricalColumn
from tracefn._feature_columns.dense import OfCategories
from tracefn._feature_columns.sequences import SequenceCategoricalColumn
from tracefn._namespaces import root
from tracefn._tracking.auto import AutoTrackable
from tracefn.tensor_shape import TensorShape

tf = root()


class LookedUp(OfCategories):
    """A column of rows of a table, one per id, combined."""

    combiner: str
    max_norm: float | None
    use_safe_embedding_lookup: bool
    _kind = "embedding_column"

    def transform_feature(self, transformation_cache, state_manager):
        """What the categorical column gives."""
        return transformation_cache.get(self.categorical_column, state_manager)

    def _rows(self, table, transformation_cache, state_manager):
        ids, weights = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        rank = ids.shape.rank
        is_safe = self.use_safe_embedding_lookup or rank is None or rank > 2
        look_up = tf.nn.safe_embedding_lookup_sparse if is_safe else tf.nn.embedding_lookup_sparse
        return look_up(
            table, ids, weights, combiner=self.combiner, name=f"{self.name}_weights", max_norm=self.max_norm
        )


class _Embedding(NamedTuple):
    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: object
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool = True


class EmbeddingColumn(LookedUp, _Embedding):
    """Rows of a table of its own; see `tf.feature_column.embedding_column`."""

    @property
    def name(self) -> str:
        """The name of the categorical column, and a suffix."""
        return f"{self.categorical_column.name}_embedding"

    @property
    def variable_shape(self):
        """TensorShape of one row."""
        return TensorShape([self.dimension])

    def create_state(self, state_manager) -> None:
        """Makes the table [ids, dimension], "embedding_weights"."""
        state_manager.create_variable(
            self,
            name="embedding_weights",
            shape=(self.categorical_column.num_buckets, self.dimension),
            dtype=tf.float32,
            trainable=self.trainable,
            use_resource=True,
            initializer=self.initializer,
        )

    def _dense(self, transformation_cache, state_manager):
        table = state_manager.get_variable(self, name="embedding_weights")
        load_table(self.ckpt_to_load_from, self.tensor_name_in_ckpt, table)
        return self._rows(table, transformation_cache, state_manager)


def load_table(checkpoint, name, table) -> None:
    """Lets a table begin with the values of one in a checkpoint; None: it does not."""
    if checkpoint is not None:
        tf.compat.v1.train.init_from_checkpoint(checkpoint, {name: table})


class SharedEmbeddingColumnCreator(AutoTrackable):
    """The table that several columns share, one per graph, made on first use."""

    def __init__(self, dimension, initializer, checkpoint, name_there, num_buckets, trainable, name, is_safe) -> None:
        self._dimension, self._initializer = dimension, initializer
        self._checkpoint, self._name_there = checkpoint, name_there
        self._num_buckets, self._trainable = num_buckets, trainable
        self._name, self._is_safe = name, is_safe
        self._tables: dict = {}

    def __call__(self, categorical_column, combiner, max_norm):
        return SharedEmbeddingColumn(categorical_column, self, combiner, max_norm, self._is_safe)

    @property
    def dimension(self) -> int:
        """The length of a row."""
        return self._dimension

    @property
    def embedding_weights(self):
        """The table of the current graph, a Variable [ids, dimension]."""
        graph = tf.compat.v1.get_default_graph()
        if id(graph) not in self._tables:
            table = tf.compat.v1.get_variable(
                self._name,
                (self._num_buckets, self._dimension),
                tf.float32,
                initializer=self._initializer,
                trainable=self._trainable,
            )
            load_table(self._checkpoint, self._name_there, table)
            self._tables[id(graph)] = graph, table  # the graph, lest another one gets its id
        return self._tables[id(graph)][1]


class _Shared(NamedTuple):
    categorical_column: CategoricalColumn
    shared_embedding_column_creator: SharedEmbeddingColumnCreator
    combiner: str
    max_norm: float | None
    use_safe_embedding_lookup: bool = True


class SharedEmbeddingColumn(LookedUp, _Shared):
    """Rows of a table that other columns use, too; see `tf.feature_column.shared_embeddings`."""

    @property
    def name(self) -> str:
        """The name of the categorical column, and a suffix."""
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def variable_shape(self):
        """TensorShape of one row."""
        return TensorShape([self.shared_embedding_column_creator.dimension])

    def _dense(self, transformation_cache, state_manager):
        with tf.name_scope(self.name):
            table = self.shared_embedding_column_creator.embedding_weights
            return self._rows(table, transformation_cache, state_manager)


def checked_initializer(dimension, initializer, checkpoint, name_there, text: str):
    """The initializer of a table.

    Raises:
      ValueError: an argument is not of its form.
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (checkpoint is None) != (name_there is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if initializer is None:
        return tf.compat.v1.truncated_normal_initializer(mean=0.0, stddev=1 / math.sqrt(dimension))
    if not callable(initializer):
        raise ValueError(text)
    return initializer


@export("feature_column.embedding_column")
def embedding_column(
    categorical_column,
    dimension,
    combiner="mean",
    initializer=None,
    ckpt_to_load_from=None,
    tensor_name_in_ckpt=None,
    max_norm=None,
    trainable=True,
    use_safe_embedding_lookup=True,
):
    """A column of rows of a table, one per id of another column.

    Args:
      categorical_column: categorical column.
      dimension: int, the length of a row.
      combiner: "mean", "sqrtn" or "sum": how the rows of an example's ids are combined.
      initializer: initializer of TensorFlow 1; None: a truncated normal one.
      ckpt_to_load_from, tensor_name_in_ckpt: the checkpoint and the name there that give the first values, or None.
      max_norm: the maximum norm of a row, or None.
      trainable: whether the table is.
      use_safe_embedding_lookup: whether examples may have no ids, or negative ones.

    Returns:
      EmbeddingColumn.

    Raises:
      ValueError: an argument is not of its form.

    Example:
      >>> import tracefn as tf
      >>> room = tf.feature_column.categorical_column_with_identity("room", 3)
      >>> tf.feature_column.embedding_column(room, 4).variable_shape
      TensorShape([4])
    """
    text = f"initializer must be callable if specified. Embedding of column_name: {categorical_column.name}"
    initializer = checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, text)
    return EmbeddingColumn(
        categorical_column,
        dimension,
        combiner,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
        use_safe_embedding_lookup,
    )


def _bare(column):
    """The column whose ids another has with weights, or as sequences."""
    while isinstance(column, (WeightedCategoricalColumn, SequenceCategoricalColumn)):
        column = column.categorical_column
    return column


def _sorted(columns) -> list:
    return sorted(columns, key=lambda column: column.name)


def shared_name(columns) -> str:
    """The name of the table that columns share."""
    return "_".join(column.name for column in _sorted(columns)) + "_shared_embedding"


def common_size(columns, given: str = "Given") -> int:
    """How many ids each of several categorical columns has.

    Args:
      columns: the columns.
      given: a word of one text.

    Raises:
      ValueError: they are no categorical columns, or differ in their classes or numbers of ids.
    """
    ordered = _sorted(columns)
    if not isinstance(ordered[0], CategoricalColumn):
        raise ValueError(
            "All categorical_columns must be subclasses of CategoricalColumn. "
            f"Given: {ordered[0]}, of type: {type(ordered[0])}"
        )
    first, size = _bare(ordered[0]), ordered[0].num_buckets
    for column in map(_bare, ordered[1:]):
        if not isinstance(column, type(first)):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type, or be "
                "weighted_categorical_column or sequence column of the same type. "
                f"Given column: {first} of type: {type(first)} does not match given column: {column} of type: {type(column)}"
            )
        if column.num_buckets != size:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number of buckets. "
                f"{given} column: {first} with buckets: {size} does  not match column: {column} with buckets: {column.num_buckets}"
            )
    return size


def shared_table(columns, dimension, initializer, checkpoint, name_there, name, given: str = "Given") -> tuple:
    """(initializer, number of ids, name) of the table that columns share.

    Args:
      name: the name that is asked for, or None.
      given: as in `common_size`.

    Raises:
      RuntimeError: ops run eagerly.
      ValueError: an argument is not of its form.
    """
    if tf.executing_eagerly():
        raise RuntimeError("shared_embedding_columns are not supported when eager execution is enabled.")
    text = "initializer must be callable if specified."
    initializer = checked_initializer(dimension, initializer, checkpoint, name_there, text)
    return initializer, common_size(columns, given), name or shared_name(columns)


@export("feature_column.shared_embeddings")
def shared_embeddings(
    categorical_columns,
    dimension,
    combiner="mean",
    initializer=None,
    shared_embedding_collection_name=None,
    ckpt_to_load_from=None,
    tensor_name_in_ckpt=None,
    max_norm=None,
    trainable=True,
    use_safe_embedding_lookup=True,
):
    """Columns of rows of one table, for the ids of several columns; in a graph of TensorFlow 1.

    Args:
      categorical_columns: categorical columns of one class, with equally many ids.
      dimension: int, the length of a row.
      combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup: as in
        `tf.feature_column.embedding_column`.
      shared_embedding_collection_name: name of the table; None: one made from the names of the columns.

    Returns:
      List of SharedEmbeddingColumns.

    Raises:
      RuntimeError: ops run eagerly.
      ValueError: an argument is not of its form.
    """
    initializer, size, name = shared_table(
        categorical_columns, dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, shared_embedding_collection_name
    )
    creator = SharedEmbeddingColumnCreator(
        dimension,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        size,
        trainable,
        name,
        use_safe_embedding_lookup,
    )
    return [creator(column, combiner, max_norm) for column in categorical_columns]
