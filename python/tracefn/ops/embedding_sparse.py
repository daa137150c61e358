"""Sums and means of embeddings for the ids in each row of a SparseTensor."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.composite import CompositeTensor
from tracefn.ops._build import both_eager, constant, convert, name_scope, op
from tracefn.ops.array_shape import reshape, shape
from tracefn.ops.casting import cast
from tracefn.ops.embedding import embedding_lookup
from tracefn.ops.indexing import gather
from tracefn.ops.indexing import slice as slice_
from tracefn.ops.ragged.tensor import is_ragged
from tracefn.ops.segments import sparse_segment_mean, sparse_segment_sqrt_n, sparse_segment_sum
from tracefn.ops.sparse.arrays import fill_empty_rows, retain
from tracefn.ops.sparse.arrays import reshape as sparse_reshape
from tracefn.ops.sparse.tensor import SparseTensor, is_sparse
from tracefn.tensor_shape import TensorShape, unknown_shape

_COMBINED = {"sum": sparse_segment_sum, "mean": sparse_segment_mean, "sqrtn": sparse_segment_sqrt_n}


@export("nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params, sp_ids, sp_weights, combiner=None, max_norm=None, name=None, allow_fast_lookup=False
):
    """The combined rows of a table for the ids in each row of a sparse matrix.

    Args:
      params: tensor or Variable [n, ...]: the table; or a list of its pieces (`tf.nn.embedding_lookup`).
      sp_ids: SparseTensor [rows, any] of integers, in row-major order, with a value in each row; or a RaggedTensor.
      sp_weights: SparseTensor of floats with the same places, the weight of each id; or a RaggedTensor; None: 1.
      combiner: "sum"; "mean" (also for None), which divides by the sum of the weights; or "sqrtn", which divides by the
        root of the sum of their squares.
      max_norm: None, or the maximum norm of a row; longer rows are scaled down.
      name: name of the ops.
      allow_fast_lookup: whether ids that occur several times may be looked up as often, which makes gradients dense.

    Returns:
      Tensor [rows, ...].

    Raises:
      TypeError: `sp_ids` or `sp_weights` is neither a SparseTensor nor a RaggedTensor, or one is the former, one the latter.
      ValueError: `combiner` is another one.

    Example:
      >>> import tracefn as tf
      >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 2, 1], [2, 2])
      >>> tf.nn.embedding_lookup_sparse(tf.constant([[1.0], [2.0], [4.0]]), ids, None, "sum").numpy().tolist()
      [[5.0], [2.0]]
    """
    return combined_rows(params, sp_ids, sp_weights, combiner, max_norm, name, allow_fast_lookup)


def _sparse(value):
    """A SparseTensor with the elements of a RaggedTensor; another value itself."""
    return value.to_sparse() if is_ragged(value) else value


def combined_rows(params, sp_ids, sp_weights, combiner, max_norm, name, allow_fast_lookup, lookup=embedding_lookup):
    """`embedding_lookup_sparse`, where a function finds the rows of ids: lookup(params, ids, max_norm=max_norm)."""
    combiner = "mean" if combiner is None else combiner
    if combiner not in _COMBINED:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    params = params if isinstance(params, list) else [params]
    if is_ragged(sp_ids):
        if sp_weights is not None and not is_ragged(sp_weights):
            raise TypeError(
                f"sp_ids must be of the same type as sp_weights, received {type(sp_ids).__name__!r} for sp_ids and "
                f"{type(sp_weights).__name__!r} for sp_weights."
            )
        sp_ids, sp_weights = _sparse(sp_ids), _sparse(sp_weights)
    if not is_sparse(sp_ids):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    if sp_weights is not None:
        if not is_sparse(sp_weights):
            raise TypeError(f"sp_weights must be either None or SparseTensor,got {type(sp_weights)}")
        for part in ("values", "indices", "dense_shape"):
            getattr(sp_ids, part).shape.assert_is_compatible_with(getattr(sp_weights, part).shape)
    with name_scope(name or "embedding_lookup_sparse") as scope:
        rows, ids = sp_ids.indices[:, 0], sp_ids.values
        params = [p if hasattr(p, "sparse_read") or isinstance(p, CompositeTensor) else convert(p, name="params")
                  for p in params]
        # As TensorFlow decides: Variables, and tables in a trace, are looked up once for each distinct id.
        direct = (len(params) == 1 and both_eager(params[0], rows) and max_norm is None
                  and (allow_fast_lookup or sp_weights is None))
        if direct:
            embeddings, places = params[0], ids
        else:
            ids, places = op("Unique")(x=ids)
            embeddings = lookup(params if len(params) > 1 else params[0], ids, max_norm=max_norm)
        if sp_weights is not None:
            return _weighted(gather(embeddings, places), sp_weights.values, rows, combiner, scope)
        slices = direct and not allow_fast_lookup  # the table's gradient
        return _COMBINED[combiner](convert(embeddings), places, rows, name=scope, sparse_gradient=slices)


def _weighted(embeddings, weights, rows, combiner: str, scope):
    """The weighted rows, combined; 16-bit floats in float32."""
    rows = cast(rows, "int32")
    dtype = embeddings.dtype
    if dtype in ("float16", "bfloat16"):
        embeddings = cast(embeddings, "float32")
    weights = cast(weights, embeddings.dtype)
    known = weights.shape
    inner = op("ExpandDims")(input=op("Rank")(input=embeddings) - 1, dim=0)
    ones = op("Fill")(dims=inner, value=constant(1, "int32"))
    weights = reshape(weights, op("ConcatV2")(values=[op("Shape")(input=weights), ones], axis=0))
    if embeddings.shape.rank is not None and not isinstance(weights, _core.EagerTensor):
        weights.set_shape(known.concatenate([1] * (embeddings.shape.rank - 1)))
    total = op("SegmentSum")(data=embeddings * weights, segment_ids=rows)
    if combiner == "mean":
        total = op("DivNoNan")(x=total, y=op("SegmentSum")(data=weights, segment_ids=rows))
    elif combiner == "sqrtn":
        squares = op("SegmentSum")(data=op("Pow")(x=weights, y=constant(2, weights.dtype)), segment_ids=rows)
        total = op("DivNoNan")(x=total, y=op("Sqrt")(x=squares))
    return op("Identity")(input=cast(total, dtype), name=scope)


@export("nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(
    embedding_weights,
    sparse_ids,
    sparse_weights=None,
    combiner="mean",
    default_id=None,
    max_norm=None,
    name=None,
    allow_fast_lookup=False,
):
    """`tf.nn.embedding_lookup_sparse` that leaves out negative ids and weights that are not positive.

    Args:
      embedding_weights: tensor or Variable [n, width]: the table; or a list of its pieces.
      sparse_ids: SparseTensor [..., any] of int64, in row-major order; or a RaggedTensor.
      sparse_weights: SparseTensor of floats with the same places, the weight of each id; or a RaggedTensor; None: 1.
      combiner: "sum", "mean" or "sqrtn".
      default_id: int, the id of rows without one; None: they are zero.
      max_norm: None, or the maximum norm of a row; longer rows are scaled down.
      name: name of the ops.
      allow_fast_lookup: whether ids that occur several times may be looked up as often, which makes gradients dense.

    Returns:
      Tensor [..., width].

    Raises:
      ValueError: there is no table.

    Example:
      >>> import tracefn as tf
      >>> ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([0, -1, 1], tf.int64), [3, 2])
      >>> tf.nn.safe_embedding_lookup_sparse(tf.constant([[1.0], [2.0]]), ids).numpy().tolist()
      [[1.0], [0.0], [2.0]]
    """
    return safely_combined_rows(
        embedding_weights, sparse_ids, sparse_weights, combiner, default_id, max_norm, name, allow_fast_lookup
    )


def safely_combined_rows(embedding_weights, sparse_ids, sparse_weights, combiner, default_id, max_norm, name,
                         allow_fast_lookup, lookup=embedding_lookup):  # fmt: skip
    """`safe_embedding_lookup_sparse`, where a function finds the rows of ids: lookup(params, ids, max_norm=max_norm)."""
    if embedding_weights is None or (isinstance(embedding_weights, list) and not embedding_weights):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    tables = embedding_weights if isinstance(embedding_weights, list) else [embedding_weights]
    sparse_ids, sparse_weights = _sparse(sparse_ids), _sparse(sparse_weights)
    dtype = None if sparse_weights is None else sparse_weights.dtype
    tables = [t if hasattr(t, "sparse_read") and dtype in (None, t.dtype) else convert(t, dtype=dtype) for t in tables]
    with name_scope(name or "embedding_lookup") as scope:
        outer_shape = sparse_ids.dense_shape
        known = outer_shape.shape[0]
        rank = op("Size")(input=outer_shape) if known is None else known
        outer = slice_(outer_shape, [0], op("Pack")(values=[rank - 1]))
        rows = op("Prod")(input=outer, reduction_indices=[0])
        ids = sparse_reshape(sparse_ids, op("Pack")(values=[rows, gather(outer_shape, rank - 1)]))
        weights = None if sparse_weights is None else SparseTensor(ids.indices, sparse_weights.values, ids.dense_shape)
        ids, weights = _kept(ids, weights, op("GreaterEqual")(x=ids.values, y=constant(0, ids.dtype)))
        if combiner != "sum" and weights is not None:
            ids, weights = _kept(ids, weights, op("Greater")(x=weights.values, y=constant(0, weights.dtype)))
        ids, empty = fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = fill_empty_rows(weights, 1.0)
        inner = None if default_id is None else scope
        result = combined_rows(tables, ids, weights, combiner, max_norm, inner, allow_fast_lookup, lookup)
        if default_id is None:
            width = op("Pack")(values=[1, shape(result)[1]])
            hidden = op("Tile")(input=op("Reshape")(tensor=empty, shape=[-1, 1]), multiples=width)
            result = op("SelectV2")(condition=hidden, t=op("ZerosLike")(x=result), e=result, name=scope)
        sizes = op("ConcatV2")(values=[slice_(cast(outer_shape, "int32"), [0], op("Pack")(values=[rank - 1])),
                                       slice_(shape(result), [1], [-1])], axis=0)
        final = op("Reshape")(tensor=result, shape=sizes)
        if not isinstance(final, _core.EagerTensor):
            front = TensorShape(None) if known is None else unknown_shape(known - 1)
            final.set_shape(front.concatenate(result.shape[1:]))
        return final


def _kept(ids, weights, valid):
    return retain(ids, valid), None if weights is None else retain(weights, valid)
