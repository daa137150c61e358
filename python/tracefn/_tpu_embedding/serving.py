"""`tf.tpu.experimental.embedding.TPUEmbeddingForServing`: embedding tables on the CPU."""

from __future__ import annotations

from functools import partial
from typing import Any

from tracefn import nest
from tracefn._tpu_embedding.lookup import serving_embedding_lookup
from tracefn._tpu_embedding.optimizers import _Optimizer
from tracefn._tracking.auto import AutoTrackable
from tracefn.framework import init_scope
from tracefn.variable import Variable


class TPUEmbeddingForServing(AutoTrackable):
    """The tables of a configuration, as Variables, with the slots of their optimizers.

    Args:
      feature_config: nest of FeatureConfigs.
      optimizer: that of tables without their own; None makes no slots.
      experimental_sparsecore_restore_info: must be None.

    Raises:
      ValueError: two tables have the same name, or an optimizer is none of `tf.tpu.experimental.embedding`.
      NotImplementedError: `experimental_sparsecore_restore_info` is given.

    Example:
      >>> import tracefn as tf
      >>> embedding = tf.tpu.experimental.embedding
      >>> table = embedding.TableConfig(3, 2, initializer=tf.ones_initializer(), name="t")
      >>> served = embedding.TPUEmbeddingForServing({"x": embedding.FeatureConfig(table)}, None)
      >>> served({"x": tf.constant([0, 2])})["x"].shape
      TensorShape([2, 2])
    """

    def __init__(self, feature_config, optimizer, experimental_sparsecore_restore_info=None) -> None:
        if experimental_sparsecore_restore_info is not None:
            raise NotImplementedError(
                "tf.tpu.experimental.embedding.TPUEmbeddingForServing: experimental_sparsecore_restore_info is not supported: "
                "checkpoints of stacked tables are not read."
            )
        features = nest.flatten(feature_config)
        self._feature_config = feature_config
        self._output_shapes = [feature.output_shape for feature in features]
        self._table_config = list(dict.fromkeys(feature.table for feature in features))
        names: set[str] = set()
        for number, table in enumerate(self._table_config):
            if table.optimizer is None:
                table.optimizer = optimizer
            if table.optimizer is not None and not isinstance(table.optimizer, _Optimizer):
                raise ValueError(
                    f"{type(table.optimizer)} is an unsupported optimizer class. Please pass an instance of one of the "
                    "optimizer classes under tf.tpu.experimental.embedding."
                )
            if table.name is None:
                table.name = f"table_{number}"
            if table.name in names:
                raise ValueError(f"Tables must have a unique name. Multiple tables with name {table.name} found.")
            names.add(table.name)
        self._built = False

    def build(self) -> None:
        """Makes the Variables, unless they are there."""
        if not self._built:
            self._variables = {table.name: self._made(table) for table in self._table_config}
            self._built = True

    def _made(self, table) -> dict[str, Any]:
        """The Variables of a table: its slots and "parameters"."""
        sizes = (table.vocabulary_size, table.dim)

        def getter(name, shape, dtype, initializer, trainable):
            del shape  # not given for values from a checkpoint
            value = partial(initializer, sizes, dtype=dtype)
            return Variable(initial_value=value, name=name, shape=sizes, dtype=dtype, trainable=trainable)

        def make(name, initializer, trainable):
            return self._add_variable_with_custom_getter(
                name=name, initializer=initializer, shape=sizes, dtype="float32", getter=getter, trainable=trainable
            )

        parameters = make(table.name, table.initializer, True)
        slots: dict[str, Any] = {}
        if table.optimizer is not None:
            slots = table.optimizer._create_slots(
                parameters, lambda name, initializer: make(f"{table.name}/{name}", initializer, False)
            )
        return {**slots, "parameters": parameters}

    def _ensure_built(self) -> None:
        with init_scope():
            self.build()

    @property
    def variables(self):
        """A dict from the name of a table to its Variables: "parameters" and its slots by name."""
        self._ensure_built()
        return self._variables

    @property
    def embedding_tables(self) -> dict:
        """A dict from TableConfig to the Variable of the table."""
        self._ensure_built()
        return {table: self._variables[table.name]["parameters"] for table in self._table_config}

    def embedding_lookup(self, features, weights=None):
        """Looks up features; see `tf.tpu.experimental.embedding.serving_embedding_lookup`."""
        return serving_embedding_lookup(features, weights, self.embedding_tables, self._feature_config)

    def __call__(self, features, weights=None):
        """`embedding_lookup`, after `build`."""
        self.build()
        return self.embedding_lookup(features, weights)
