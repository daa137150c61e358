"""SparseTensors as strings, or as variants that hold their parts: `tf.io.serialize_sparse` and its relatives."""

from __future__ import annotations

from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.dtypes import string
from tracefn.ops._build import convert, op
from tracefn.ops.sparse.tensor import SparseTensor, parts, require_sparse


@export("io.serialize_sparse")
def serialize_sparse(sp_input, out_type=string, name=None):
    """A SparseTensor as a vector of three: its serialized indices, values and shape.

    Args:
      sp_input: SparseTensor.
      out_type: `tf.string`, or `tf.variant` for tensors that are not written as bytes.
      name: name of the node.

    Returns:
      Tensor [3] of `out_type`.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.

    Example:
      >>> import tracefn as tf
      >>> rows = tf.stack([tf.io.serialize_sparse(tf.SparseTensor([[i]], [i], [3])) for i in (0, 2)])
      >>> tf.sparse.to_dense(tf.io.deserialize_many_sparse(rows, tf.int32), default_value=-1).numpy().tolist()
      [[0, -1, -1], [-1, -1, 2]]
    """
    return op("SerializeSparse")(**parts("sparse_", require_sparse(sp_input)), out_type=out_type, name=name)


@export("io.serialize_many_sparse")
def serialize_many_sparse(sp_input, out_type=string, name=None):
    """The SparseTensors of a batch, each as `tf.io.serialize_sparse` gives it.

    Args:
      sp_input: SparseTensor [N, ...] of rank 2 or more, ordered by its first dimension.
      out_type: `tf.string` or `tf.variant`.
      name: name of the node.

    Returns:
      Tensor [N, 3] of `out_type`.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
      InvalidArgumentError: its rank is less than 2, or it is not ordered.

    Example:
      >>> import tracefn as tf
      >>> tf.io.serialize_many_sparse(tf.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 3])).shape
      TensorShape([2, 3])
    """
    return op("SerializeManySparse")(**parts("sparse_", require_sparse(sp_input)), out_type=out_type, name=name)


@export("io.deserialize_many_sparse", "compat.v1.deserialize_many_sparse")
def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """The batch of the SparseTensors that were serialized.

    Args:
      serialized_sparse: strings [N, 3], as `tf.io.serialize_many_sparse` gives them. The ranks are the same; each
        dimension is as large as the largest.
      dtype: dtype of the values.
      rank: rank of the result, one more than that of each SparseTensor; None if it is not known while tracing.
      name: name of the node.

    Returns:
      SparseTensor [N, ...].

    Raises:
      InvalidArgumentError: the strings are no SparseTensors of that dtype.

    Example:
      >>> import tracefn as tf
      >>> rows = tf.io.serialize_many_sparse(tf.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 3]))
      >>> tf.io.deserialize_many_sparse(rows, tf.int32, rank=2).dense_shape.numpy().tolist()
      [2, 3]
    """
    indices, values, shape = op("DeserializeManySparse")(
        serialized_sparse=convert(serialized_sparse, dtype=string), dtype=dtype, name=name
    )
    rank = get_static_value(rank) if rank is not None else None
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


@export("compat.v1.serialize_sparse")
def serialize_sparse_v1(sp_input, name=None, out_type=string):
    """`tf.io.serialize_sparse` with the name first."""
    return serialize_sparse(sp_input, out_type, name)


@export("compat.v1.serialize_many_sparse")
def serialize_many_sparse_v1(sp_input, name=None, out_type=string):
    """`tf.io.serialize_many_sparse` with the name first."""
    return serialize_many_sparse(sp_input, out_type, name)
