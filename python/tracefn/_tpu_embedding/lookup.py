"""Lookups of the features of a configuration: dense, sparse and ragged ids, sequences, and their weights."""

from __future__ import annotations

import math
from typing import Any

from tracefn import _core, _logging, nest
from tracefn._nest.shallow import flatten_with_joined_string_paths
from tracefn.ops.array_creation import ones_like
from tracefn.ops.array_shape import reshape, shape
from tracefn.ops.casting import cast
from tracefn.ops.embedding import embedding_lookup
from tracefn.ops.embedding_sparse import embedding_lookup_sparse, safe_embedding_lookup_sparse
from tracefn.ops.ragged import RaggedTensor
from tracefn.ops.ragged.arrays import expand_dims
from tracefn.ops.ragged.reduction import reduce_sum
from tracefn.ops.ragged.selection import embedding_lookup as ragged_lookup
from tracefn.ops.sparse.arrays import slice as sparse_slice
from tracefn.ops.sparse.tensor import SparseTensor

_gather = _core.raw_op("GatherV2")
_scatter_nd = _core.raw_op("ScatterNd")
_pack = _core.raw_op("Pack")
_div_no_nan = _core.raw_op("DivNoNan")
_sqrt = _core.raw_op("Sqrt")


def serving_embedding_lookup(inputs, weights, tables, feature_config) -> Any:
    """Looks up features in tables, on the CPU.

    Args:
      inputs: nest of ids: tensors, SparseTensors and RaggedTensors.
      weights: None, or such a nest of weights, in which entries may be None.
      tables: dict from TableConfig to the tables, Variables or tensors of shape [vocabulary_size, dim].
      feature_config: nest of FeatureConfigs, which has all paths of `inputs`.

    Returns:
      A nest like `inputs`: ids of shape S give S + [dim] if dense; the ids of a row of others are combined, [rows, dim],
      or one after the other, [rows, max_sequence_length, dim].

    Raises:
      ValueError: an input is not in `feature_config` or of another type, or weights do not fit.

    Example:
      >>> import tracefn as tf
      >>> embedding = tf.tpu.experimental.embedding
      >>> table = embedding.TableConfig(3, 1, combiner="sum", name="t")
      >>> ids = tf.ragged.constant([[0, 2], [1]])
      >>> rows = tf.constant([[1.0], [10.0], [100.0]])
      >>> embedding.serving_embedding_lookup([ids], None, {table: rows}, [embedding.FeatureConfig(table)])[0].numpy().tolist()
      [[101.0], [10.0]]
    """
    flat_inputs = flatten_with_joined_string_paths(inputs)
    flat_weights: list = [None] * len(flat_inputs)
    if weights is not None:
        nest.assert_same_structure(inputs, weights)
        flat_weights = nest.flatten(weights)
    features = dict(flatten_with_joined_string_paths(feature_config))
    paths = {path for path, _ in flat_inputs}
    if not paths <= features.keys():
        raise ValueError(
            f"Inputs are not a subset of feature_config. Inputs keys are {paths}, but feature_config keys are "
            f"{features.keys()}"
        )
    found = [
        _looked_up(path, ids, weight, tables[features[path].table], features[path])
        for (path, ids), weight in zip(flat_inputs, flat_weights, strict=True)
    ]
    return nest.pack_sequence_as(inputs, found)


def _looked_up(path: str, ids, weight, table, feature):
    _check_weight(path, ids, weight, feature)
    if isinstance(ids, _core.Tensor):
        if feature.max_sequence_length > 0:
            raise ValueError(f"Feature {path} is a sequence feature but a dense tensor was passed.")
        return embedding_lookup(table, ids)
    if isinstance(ids, SparseTensor):
        return sparse_feature(ids, weight, table, feature)
    if isinstance(ids, RaggedTensor):
        return ragged_feature(ids, weight, table, feature)
    raise ValueError(f"Input {path} is type {type(ids)}. Tensor, SparseTensor or RaggedTensor expected.")


def _check_weight(path: str, ids, weight, feature) -> None:
    if weight is None:
        return
    if isinstance(ids, _core.Tensor):
        raise ValueError(f"Weight specified for {path}, but input is dense.")
    if type(weight) is not type(ids):
        raise ValueError(
            f"Weight for {path} is of type {type(weight)} but it does not match type of the input which is {type(ids)}."
        )
    if feature.max_sequence_length > 0:
        raise ValueError(f"Weight specified for {path}, but this is a sequence feature.")


def sparse_feature(ids, weight, table, feature):
    """The lookup of a SparseTensor of ids."""
    rank = ids.shape.rank
    length = feature.max_sequence_length
    # Such a shape has a truth value: whether its rank is known.
    if length > 0 and not feature.output_shape and rank in (None, 2):
        rows = cast(shape(ids)[0], "int64")
        # A TPU cuts longer sequences off.
        cut = sparse_slice(ids, [0, 0], _pack(values=[rows, length], axis=0))
        values = _gather(params=table, indices=cut.values, axis=0)
        whole = _pack(values=[rows, length, feature.table.dim], axis=0)
        return _scatter_nd(indices=cut.indices, updates=values, shape=whole)
    if length > 0:
        _logging.warning(
            "max_sequence_length setting will be ignored because the rank of the input tensor is %d which is not 2.", rank
        )
    if not feature.validate_weights_and_indices and rank is not None and rank <= 2:
        return embedding_lookup_sparse(table, ids, weight, combiner=feature.table.combiner)
    return safe_embedding_lookup_sparse(table, ids, weight, combiner=feature.table.combiner)


def ragged_feature(ids, weight, table, feature):
    """The lookup of a RaggedTensor of ids.

    Raises:
      ValueError: its rank is not 2, or the feature's output shape is no multiple of its number of rows.
    """
    if ids.shape.rank != 2:
        raise ValueError(f"Only rank 2 ragged tensor is supported, but got rank {ids.shape.rank}")
    rows, dim = ids.shape[0], feature.table.dim
    if not feature.output_shape:
        if feature.max_sequence_length > 0:
            return ragged_lookup(table, ids).to_tensor(shape=[rows, feature.max_sequence_length, dim])
        return _combined(table, ids, weight, feature.table.combiner)
    wanted = feature.output_shape.as_list()
    places = math.prod(wanted)
    if places == rows:
        found = _combined(table, ids, weight, feature.table.combiner)
    elif places > rows and places % rows == 0:
        found = ragged_lookup(table, ids).to_tensor(shape=[rows, places // rows, dim])
    else:
        raise ValueError(
            "Output shape set in the FeatureConfig should be the factor of the input data batch size. But instead got output "
            f"shape {feature.output_shape}, input data batch size {rows}"
        )
    return reshape(found, [*wanted, dim])


def _combined(table, ids, weights, combiner: str):
    """The rows of each row of ids, combined."""
    if weights is None:
        weights = ids.with_flat_values(ones_like(ids.flat_values, dtype=table.dtype))
    weights = expand_dims(weights, axis=2)
    found = reduce_sum(ragged_lookup(table, ids) * weights, axis=1)
    if combiner == "mean":
        return _div_no_nan(x=found, y=reduce_sum(weights, axis=1))
    if combiner == "sqrtn":
        return _div_no_nan(x=found, y=_sqrt(x=reduce_sum(weights * weights, axis=1)))
    return found
