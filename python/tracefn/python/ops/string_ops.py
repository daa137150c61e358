"""`tensorflow.python.ops.string_ops`: functions that have no public name."""

from __future__ import annotations

from tracefn.ops._build import convert, op
from tracefn.ops.sparse.tensor import SparseTensor

__all__ = ["string_split_v2"]


def string_split_v2(source, sep=None, maxsplit=-1):
    """The pieces of texts, as a sparse matrix.

    Args:
      source: string vector.
      sep: str between pieces; None or "" for whitespace.
      maxsplit: int, the largest number of cuts; -1 for any.

    Returns:
      SparseTensor with a row for each text.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.string_ops.string_split_v2(["a b", "c"]).values.numpy().tolist()
      [b'a', b'b', b'c']
    """
    found = op("StringSplitV2")(
        input=convert(source, dtype="string"), sep=convert(sep or "", dtype="string"), maxsplit=maxsplit
    )
    return SparseTensor(*found)
