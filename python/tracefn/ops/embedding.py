"""Lookups in embedding tables: in one tensor or Variable, or in a partitioned table."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.indexing import gather


@export("nn.embedding_lookup")
def embedding_lookup(params, ids, max_norm=None, name=None):
    """The rows of a table with the given ids.

    Args:
      params: tensor or Variable of rank at least 1: the table. A list is one table whose rows are split into consecutive
        pieces of equal length; the first pieces have one row more if the number of rows is not divisible.
      ids: integer tensor.
      max_norm: None, or the maximum norm of a row; longer rows are scaled down.
      name: name of the ops.

    Returns:
      Tensor whose shape is that of `ids` followed by that of a row.

    Raises:
      InvalidArgumentError: an id is out of range.
      ValueError: `params` is empty.

    Example:
      >>> import tracefn as tf
      >>> table = tf.Variable([[1.0], [2.0]])
      >>> tf.nn.embedding_lookup(table, [1, 0]).numpy().tolist()
      [[2.0], [1.0]]
    """
    if params is None:
        raise ValueError("params must be specified")
    pieces = params if isinstance(params, list) else [params]
    if not pieces:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    with name_scope(name or "embedding_lookup") as scope:
        pieces = [p if hasattr(p, "sparse_read") else convert(p, name="params") for p in pieces]
        ids = convert(ids, name="ids")
        if len(pieces) > 1:
            return _lookup_in_pieces(pieces, ids, max_norm, scope)
        return op("Identity")(input=_clipped(gather(pieces[0], ids, name=scope), ids, max_norm))


def _clipped(rows, ids, max_norm):
    """The rows, scaled down to the norm `max_norm` at most."""
    if max_norm is None:
        return rows
    from tracefn.ops.clipping import clip_by_norm  # start-up time: only rows with a bound need it

    return clip_by_norm(rows, max_norm, axes=list(range(ids.shape.rank, rows.shape.rank)))


def _lookup_in_pieces(pieces, ids, max_norm, scope):
    """Looks up each id in the piece that holds its row, and restores the order of the ids."""
    flat = op("Reshape")(tensor=ids, shape=[-1])
    places = op("Range")(start=0, limit=op("Size")(input=flat), delta=1)
    piece, row = _place(flat, _number_of_rows(pieces, flat.dtype), len(pieces))
    n = len(pieces)
    rows_of_piece = op("DynamicPartition")(data=row, partitions=piece, num_partitions=n)
    places_of_piece = op("DynamicPartition")(data=places, partitions=piece, num_partitions=n)
    found = [_clipped(gather(p, rows), rows, max_norm) for p, rows in zip(pieces, rows_of_piece, strict=True)]
    together = op("ParallelDynamicStitch")(indices=places_of_piece, data=found, name=scope)
    row_shape = op("Shape")(input=pieces[0])[1:]
    shape = op("ConcatV2")(values=[op("Shape")(input=ids), row_shape], axis=0)
    result = op("Reshape")(tensor=together, shape=shape)
    result.set_shape(ids.shape.concatenate(pieces[0].shape[1:]))
    return result


def _number_of_rows(pieces, dtype):
    known = [None if p.shape.rank is None else p.shape[0] for p in pieces]
    if None not in known:
        return constant(sum(known), dtype)
    rows = [op("Cast")(x=op("Shape")(input=p)[0], DstT=dtype) for p in pieces]
    return op("AddN")(inputs=rows)


def _place(ids, total, n: int):
    """(piece, row within it) of each id: the first `total % n` pieces have one row more than the others."""
    length, longer = total // n, total % n
    among_longer = ids // (length + 1)
    piece = op("Maximum")(x=among_longer, y=(ids - longer) // length)
    row = op("SelectV2")(condition=piece < longer, t=ids % (length + 1), e=(ids - longer) % length)
    return op("Cast")(x=piece, DstT="int32"), row
