"""Crosses of sparse feature columns."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.ops._build import convert, op
from tracefn.ops.casting import cast
from tracefn.ops.sparse.tensor import SparseTensor, is_sparse

_DEFAULT_HASH_KEY = 0xDECAFCAFFE  # TensorFlow's


def _columns(inputs, kind: str) -> dict:
    """The inputs of a cross op: sparse columns, then dense ones; integers as int64."""
    if not isinstance(inputs, (tuple, list)):
        raise TypeError("Inputs must be a list")
    if not all(is_sparse(column) or isinstance(column, _core.Tensor) for column in inputs):
        raise TypeError(f"All inputs must be {kind}")
    sparse = [column for column in inputs if is_sparse(column)]
    dense = [column for column in inputs if not is_sparse(column)]

    def wide(tensor):
        return tensor if tensor.dtype == "string" else cast(tensor, "int64")

    return {
        "indices": [column.indices for column in sparse],
        "values": [wide(column.values) for column in sparse],
        "shapes": [column.dense_shape for column in sparse],
        "dense_inputs": [wide(column) for column in dense],
    }


@export("sparse.cross")
def cross(inputs, name=None, separator=None):
    """All combinations of the features in a row of several columns, as texts.

    Args:
      inputs: list of SparseTensors and tensors with the same number of rows, of strings or integers.
      name: name of the node.
      separator: string between the features; None: "_X_".

    Returns:
      SparseTensor of strings; the sparse columns come first in each.

    Raises:
      TypeError: `inputs` is no list of such tensors.
      InvalidArgumentError: the numbers of rows differ.

    Example:
      >>> import tracefn as tf
      >>> tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([[1]])]).values.numpy().tolist()
      [b'a_X_1', b'b_X_1']
    """
    sep = convert("_X_" if separator is None else separator, dtype="string")
    return SparseTensor(*op("SparseCrossV2")(**_columns(inputs, "Tensor or SparseTensor."), sep=sep, name=name))


@export("sparse.cross_hashed")
def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """Hashes of all combinations of the features in a row of several columns.

    Args:
      inputs: list of SparseTensors and tensors with the same number of rows, of strings or integers.
      num_buckets: int, a bound for the hashes; 0: none.
      hash_key: int, with which the hashes begin.
      name: name of the node.

    Returns:
      SparseTensor of int64.

    Raises:
      TypeError: `inputs` is no list of such tensors.
      InvalidArgumentError: the numbers of rows differ.

    Example:
      >>> import tracefn as tf
      >>> tf.sparse.cross_hashed([tf.constant([["a", "b"]]), tf.constant([[1]])], num_buckets=100).shape
      TensorShape([1, 2])
    """
    columns = _columns(inputs, "SparseTensors")
    numbers = any(t.dtype != "string" for t in columns["values"] + columns["dense_inputs"])
    found = op("SparseCross")(
        **columns,
        hashed_output=True,
        num_buckets=num_buckets,
        hash_key=hash_key or _DEFAULT_HASH_KEY,
        out_type="int64",
        internal_type="int64" if numbers else "string",
        name=name,
    )
    return SparseTensor(*found)
