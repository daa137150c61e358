"""`tf.ragged.cross`, `cross_hashed`: combinations of the values of several features, row by row."""

from __future__ import annotations

from tracefn._export import export
from tracefn.dtypes import int32, int64, string
from tracefn.ops._build import name_scope, op
from tracefn.ops.ragged.row_partition import cast
from tracefn.ops.ragged.tensor import RaggedTensor, convert_values, is_ragged
from tracefn.ops.sparse.tensor import is_sparse

_HASH_KEY = 0xDECAFCAFFE  # TensorFlow's default


@export("ragged.cross")
def cross(inputs, name=None):
    """Joins the values of several features, row by row: every combination of one value of each, as one string.

    Args:
      inputs: list of matrices of strings or integers with equally many rows: tensors, RaggedTensors or SparseTensors.
      name: name of the ops.

    Returns:
      string RaggedTensor with as many rows; the values of a combination are joined by `_X_`.

    Raises:
      TypeError: `inputs` is no list.
      ValueError: an input has another dtype.
      InvalidArgumentError: the numbers of rows differ.

    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]])])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>
    """
    return _crossed(inputs, False, 0, None, name)


@export("ragged.cross_hashed")
def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """Hashes the values of several features, row by row: every combination of one value of each, as one number.

    Args:
      inputs: see `tf.ragged.cross`.
      num_buckets: int; the numbers are below it, if it is not 0.
      hash_key: int, an unsigned 64-bit number on which the hashes depend.
      name: name of the ops.

    Returns:
      int64 RaggedTensor with as many rows.

    Raises:
      TypeError, ValueError, InvalidArgumentError: as by `tf.ragged.cross`.

    >>> tf.ragged.cross_hashed([tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]])], 100)
    <tf.RaggedTensor [[82], [61, 41]]>
    """
    return _crossed(inputs, True, num_buckets, hash_key, name)


def _feature(i: int, value):
    if not is_sparse(value):
        value = convert_values(value)
    if value.dtype.is_integer:
        return value.with_values(cast(value.values, int64)) if _has_values(value) else cast(value, int64)
    if value.dtype != string:
        raise ValueError(f"Unexpected dtype for inputs[{i}]: {value.dtype}")
    return value


def _has_values(value) -> bool:
    return is_sparse(value) or is_ragged(value)


def _crossed(inputs, hashed: bool, num_buckets: int, hash_key, name):
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    with name_scope(name or "RaggedCross"):
        if any(is_ragged(value) and value.ragged_rank != 1 for value in inputs):
            raise ValueError("tf.ragged.cross only supports inputs with rank=2")
        features = [_feature(i, value) for i, value in enumerate(inputs)]
        ragged = [value for value in features if is_ragged(value)]
        sparse = [value for value in features if is_sparse(value)]
        narrow = bool(ragged) and all(value.row_splits.dtype == int32 for value in ragged)
        key = _HASH_KEY if hash_key is None else hash_key
        values, splits = op("RaggedCross")(
            ragged_values=[value.values for value in ragged],
            ragged_row_splits=[value.row_splits for value in ragged],
            sparse_indices=[value.indices for value in sparse],
            sparse_values=[value.values for value in sparse],
            sparse_shape=[value.dense_shape for value in sparse],
            dense_inputs=[value for value in features if not _has_values(value)],
            input_order="".join("R" if is_ragged(x) else "S" if is_sparse(x) else "D" for x in features),
            hashed_output=hashed,
            num_buckets=num_buckets,
            hash_key=key - 2**64 if key > 2**63 else key,  # the attribute is signed
            out_values_type=int64 if hashed else string,
            out_row_splits_type=int32 if narrow else int64)
        return RaggedTensor.from_row_splits(values, splits, validate=False)
