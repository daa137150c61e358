"""`tf.compat.v1.feature_column.shared_embedding_columns`: the table that columns share is in a collection of the graph."""

from __future__ import annotations

from typing import NamedTuple

from tracefn._export import export
from tracefn._feature_columns.base import CategoricalColumn
from tracefn._feature_columns.embeddings import LookedUp, load_table, shared_table
from tracefn._namespaces import root
from tracefn.tensor_shape import TensorShape

tf = root()


class _Shared(NamedTuple):
    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: object
    shared_embedding_collection_name: str
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool = True


class SharedEmbeddingColumnOfV1(LookedUp, _Shared):
    """Rows of a table that other columns use, too; see `tf.compat.v1.feature_column.shared_embedding_columns`."""

    @property
    def name(self) -> str:
        """The name of the categorical column, and a suffix."""
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def _var_scope_name(self) -> str:
        return self.shared_embedding_collection_name

    @property
    def variable_shape(self):
        """TensorShape of one row."""
        return TensorShape([self.dimension])

    def create_state(self, state_manager) -> None:
        """Makes the table [ids, dimension], "embedding_weights", unless the graph has it.

        Raises:
          ValueError: the graph's collection holds something else.
        """
        graph = tf.compat.v1.get_default_graph()
        key, shape = self.shared_embedding_collection_name, (self.categorical_column.num_buckets, self.dimension)
        found = graph.get_collection(key)
        advice = (
            "Suggested fix A: Choose a unique name for this collection. Suggested fix B: Do not add any variables to this "
            "collection. The feature_column library already adds a variable under the hood."
        )
        if len(found) > 1:
            raise ValueError(f"Collection {found} can only contain one variable. {advice}")
        if not found:
            table = state_manager.create_variable(
                self, "embedding_weights", shape, tf.float32, trainable=self.trainable, initializer=self.initializer
            )
            graph.add_to_collection(key, table)
        elif found[0].shape != shape:
            raise ValueError(
                f"Shared embedding collection {key} contains variable {found[0].name} of unexpected shape {found[0].shape}. "
                f"Expected shape is {shape}. {advice}"
            )

    def _dense(self, transformation_cache, state_manager):
        (table,) = tf.compat.v1.get_default_graph().get_collection(self.shared_embedding_collection_name)
        with tf.name_scope(self.name):
            load_table(self.ckpt_to_load_from, self.tensor_name_in_ckpt, table)
            return self._rows(table, transformation_cache, state_manager)


SharedEmbeddingColumnOfV1.__name__ = "_SharedEmbeddingColumn"


@export("compat.v1.feature_column.shared_embedding_columns")
def shared_embedding_columns(
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
    """Columns of rows of one table, for the ids of several columns, in `input_layer` and `linear_model`.

    Args:
      categorical_columns: categorical columns of one class, with equally many ids.
      dimension: int, the length of a row.
      combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup: as in
        `tf.feature_column.embedding_column`.
      shared_embedding_collection_name: name of the graph's collection that holds the table, and of its variable scope; None:
        one made from the names of the columns.

    Returns:
      List of columns.

    Raises:
      RuntimeError: ops run eagerly.
      ValueError: an argument is not of its form.

    Example:
      >>> import tracefn as tf
      >>> fc = tf.compat.v1.feature_column
      >>> with tf.Graph().as_default():
      ...     ids = [fc.categorical_column_with_identity(key, 3) for key in ("a", "b")]
      ...     columns = fc.shared_embedding_columns(ids, 2)
      ...     inputs = fc.input_layer({"a": [[0]], "b": [[2]]}, columns)
      ...     print(inputs.shape, len(tf.compat.v1.global_variables()))
      (1, 4) 1
    """
    initializer, _, name = shared_table(
        categorical_columns, dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, shared_embedding_collection_name,
        given="ven",  # as TensorFlow spells it
    )  # fmt: skip
    return [
        SharedEmbeddingColumnOfV1(
            column,
            dimension,
            combiner,
            initializer,
            name,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            max_norm,
            trainable,
            use_safe_embedding_lookup,
        )
        for column in categorical_columns
    ]
