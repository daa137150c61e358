"""`tf.compat.v1.nn`: lookups of sparse ids in tables whose rows are spread over pieces in a way of their own."""

from __future__ import annotations

import functools

from tracefn._export import export
from tracefn._logging import get_logger
from tracefn.compat.v1.neural import embedding_lookup
from tracefn.compat.v1.partitioned import PartitionedVariable
from tracefn.ops.embedding_sparse import combined_rows, safely_combined_rows


def _pieces(table):
    return list(table) if isinstance(table, PartitionedVariable) else table


def _lookup(partition_strategy: str):
    return functools.partial(embedding_lookup, partition_strategy=partition_strategy)


@export("compat.v1.nn.embedding_lookup_sparse")
def embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy="mod", name=None, combiner=None, max_norm=None,
                            allow_fast_lookup=False):  # fmt: skip
    """`tf.nn.embedding_lookup_sparse`, with a choice of how the rows of a table are spread over its pieces.

    Args:
      params: the table, a list of pieces, or a variable in parts.
      sp_ids, sp_weights, combiner, max_norm, name, allow_fast_lookup: as there.
      partition_strategy: "mod": row i is in piece i % n; "div": the pieces are consecutive.

    Raises:
      TypeError: `sp_ids` or `sp_weights` is not a SparseTensor.
      ValueError: there is no such combiner or strategy.

    Example:
      >>> import tracefn as tf
      >>> pieces, ids = [tf.constant([[1.0]]), tf.constant([[2.0]])], tf.sparse.from_dense([[1, 1], [0, 1]])
      >>> tf.compat.v1.nn.embedding_lookup_sparse(pieces, ids, None, combiner="sum").numpy().tolist()
      [[4.0], [2.0]]
    """
    if combiner is None:
        get_logger().warning('The default value of combiner will change from "mean" to "sqrtn" after 2016/11/01.')
    lookup = _lookup(partition_strategy)
    return combined_rows(_pieces(params), sp_ids, sp_weights, combiner, max_norm, name, allow_fast_lookup, lookup)


@export("compat.v1.nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None, combiner="mean", default_id=None,
                                 name=None, partition_strategy="div", max_norm=None, allow_fast_lookup=False):  # fmt: skip
    """`tf.nn.safe_embedding_lookup_sparse`, with a choice of how the rows of a table are spread over its pieces.

    Args:
      embedding_weights: the table, a list of pieces, or a variable in parts.
      partition_strategy: "div": the pieces are consecutive; "mod": row i is in piece i % n.
      other arguments: as there.

    Raises:
      ValueError: there is no table, or no such strategy.

    Example:
      >>> import tracefn as tf
      >>> ids = tf.SparseTensor([[0, 0], [2, 0]], tf.constant([0, 1], tf.int64), [3, 1])
      >>> tf.compat.v1.nn.safe_embedding_lookup_sparse(tf.constant([[1.0], [2.0]]), ids).numpy().tolist()
      [[1.0], [0.0], [2.0]]
    """
    return safely_combined_rows(_pieces(embedding_weights), sparse_ids, sparse_weights, combiner, default_id, max_norm, name,
                                allow_fast_lookup, _lookup(partition_strategy))  # fmt: skip
