"""What an embedding is: a table, and a feature that looks up rows in it."""

from __future__ import annotations

import math

from tracefn.dtypes import float32, int32
from tracefn.ops.array_creation import ones
from tracefn.ops.keras_initializers import TruncatedNormal
from tracefn.ops.ranges import range as range_of
from tracefn.tensor_shape import TensorShape

_COMBINERS = ("mean", "sum", "sqrtn")


class QuantizationConfig:
    """That a TPU rounds embeddings to evenly spaced values. Elsewhere it has no effect.

    Args:
      num_buckets: int, how many values.
      lower, upper: floats, the least and the greatest value.

    Raises:
      ValueError: there are less than two values.

    Example:
      >>> import tracefn as tf
      >>> tf.tpu.experimental.embedding.QuantizationConfig(256, -1.0, 1.0)
      QuantizationConfig(num_buckets=256, lower=-1.0, upper=1.0)
    """

    def __init__(self, num_buckets: int, lower: float, upper: float) -> None:
        if num_buckets < 2:
            raise ValueError(f"num_buckets is {num_buckets}, must be at least 2 for simulated quantization.")
        self.num_buckets = num_buckets
        self.lower = lower
        self.upper = upper

    def __repr__(self) -> str:
        return f"QuantizationConfig(num_buckets={self.num_buckets!r}, lower={self.lower!r}, upper={self.upper!r})"


class RowIdInitializer:
    """Initializes each row with its number.

    Args:
      offset: int, the number of the first row.

    Example:
      >>> import tracefn as tf
      >>> tf.tpu.experimental.embedding.RowIdInitializer(5)([2, 3], tf.float32).numpy().tolist()
      [[5.0, 5.0, 5.0], [6.0, 6.0, 6.0]]
    """

    def __init__(self, offset: int = 0) -> None:
        self.offset = offset

    def __call__(self, shape, dtype):
        numbers = range_of(self.offset, self.offset + shape[0], 1, dtype=dtype)
        return numbers[:, None] * ones(shape, dtype=dtype)


class TableConfig:
    """An embedding table.

    Args:
      vocabulary_size: int, its rows.
      dim: int, its columns.
      initializer: callable that takes a shape and a dtype; by default normal values of deviation `1 / sqrt(dim)`.
      optimizer: one of `tf.tpu.experimental.embedding`, for this table; None means that of all tables.
      combiner: "mean", "sum" or "sqrtn": how the rows of one lookup become one.
      name: str, by default the table's number.
      quantization_config, layout: TPU only.
      dtype: tf.float32 or tf.int32.

    Raises:
      ValueError: an argument is out of its range.

    Example:
      >>> import tracefn as tf
      >>> tf.tpu.experimental.embedding.TableConfig(10, 2, name="t").vocabulary_size
      10
    """

    def __init__(
        self,
        vocabulary_size: int,
        dim: int,
        initializer=None,
        optimizer=None,
        combiner="mean",
        name=None,
        quantization_config=None,
        layout=None,
        dtype=float32,
    ) -> None:
        if not isinstance(vocabulary_size, int) or vocabulary_size < 1:
            raise ValueError(f"Argument `vocabulary_size` must be an int and must be >= 1. Received: {vocabulary_size}")
        if not isinstance(dim, int) or dim < 1:
            raise ValueError(f"Argument `dim` (embedding dimension) must be an int and must be >= 1. Received: {dim}")
        if initializer is not None and not callable(initializer):
            raise ValueError(f"Argument `initializer` must be a callable (or None). Received: {initializer}")
        if not isinstance(combiner, str):
            raise ValueError(f"Argument `combiner` should either be a str or a CustomCombiner. Received: {type(combiner)}")
        if combiner not in _COMBINERS:
            raise ValueError(f"String argument `combiner` must be in {_COMBINERS}. Received: {combiner}")
        if dtype not in (float32, int32):
            raise ValueError(f"Argument `dtype` must be either float32 or int32. Received: {dtype}")
        self._has_default = initializer is None
        self.vocabulary_size = vocabulary_size
        self.dim = dim
        self.initializer = TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dim)) if initializer is None else initializer
        self.optimizer = optimizer
        self.combiner = combiner
        self.name = name
        self.quantization_config = quantization_config
        self.layout = layout
        self.dtype = dtype

    def __repr__(self) -> str:
        initializer = None if self._has_default else self.initializer
        return (
            f"TableConfig(vocabulary_size={self.vocabulary_size!r}, dim={self.dim!r}, initializer={initializer!r}, "
            f"optimizer={self.optimizer!r}, combiner={self.combiner!r}, name={self.name!r}, "
            f"quantization_config={self.quantization_config!r})"
        )


class FeatureConfig:
    """A feature: the table that it looks up rows in, and how.

    Args:
      table: TableConfig.
      max_sequence_length: int; if positive, a lookup gives this many rows one after the other, not one combined row.
      validate_weights_and_indices: whether negative ids and weights are left out of lookups of sparse tensors.
      output_shape: the shape of a lookup's result without the last axis, or None.
      name: str or None.

    Raises:
      ValueError: an argument has the wrong type or is out of its range.

    Example:
      >>> import tracefn as tf
      >>> embedding = tf.tpu.experimental.embedding
      >>> embedding.FeatureConfig(table=embedding.TableConfig(10, 2, name="t")).table.name
      't'
    """

    def __init__(
        self,
        table: TableConfig,
        max_sequence_length: int = 0,
        validate_weights_and_indices: bool = True,
        output_shape=None,
        name=None,
    ) -> None:
        if not isinstance(table, TableConfig):
            raise ValueError(
                f"Argument `table` has invalid type {type(table)}. Expected `tf.tpu.experimental.embedding.TableConfig`."
            )
        if not isinstance(max_sequence_length, int) or max_sequence_length < 0:
            raise ValueError(
                f"Argument `max_sequence_length` must be an int and must be >= 0. Received: {max_sequence_length}"
            )
        if not isinstance(validate_weights_and_indices, bool):
            raise ValueError(
                f"Argument `validate_weights_and_indices` must be a boolean. Received: {validate_weights_and_indices}"
            )
        self.table = table
        self.max_sequence_length = max_sequence_length
        self.name = name
        self.output_shape = TensorShape(output_shape)
        self.validate_weights_and_indices = validate_weights_and_indices

    def __repr__(self) -> str:
        return (
            f"FeatureConfig(table={self.table!r}, max_sequence_length={self.max_sequence_length!r}, "
            f"validate_weights_and_indices={self.validate_weights_and_indices!r}, output_shape={self.output_shape!r}, "
            f"name={self.name!r})"
        )
