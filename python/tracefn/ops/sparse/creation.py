"""SparseTensors of dense tensors, and identity matrices; and back to dense tensors."""

from __future__ import annotations

import numbers

from tracefn import _core
from tracefn._export import export
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.array_creation import ones
from tracefn.ops.casting import cast
from tracefn.ops.indexing import gather_nd
from tracefn.ops.sparse.tensor import SparseTensor, require_sparse


@export("sparse.from_dense")
def from_dense(tensor, name=None):
    """The elements of a tensor that are not zero.

    Args:
      tensor: tensor of any shape and dtype; an empty string counts as zero.
      name: name of the scope.

    Returns:
      SparseTensor in row-major order.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.sparse.from_dense([[0, 3], [4, 0]])
      >>> sp.indices.numpy().tolist(), sp.values.numpy().tolist()
      ([[0, 1], [1, 0]], [3, 4])
    """
    with name_scope(name or "dense_to_sparse"):
        tensor = convert(tensor)
        indices = op("Where")(input=op("NotEqual")(x=tensor, y=op("ZerosLike")(x=tensor)))
        return SparseTensor(indices, gather_nd(tensor, indices), op("Shape")(input=tensor, out_type="int64"))


def _int64_tensor(value, name: str):
    if isinstance(value, numbers.Integral):
        return convert(value, dtype="int64", name=name)
    if not isinstance(value, _core.Tensor):
        raise TypeError(f"{name} must be an integer value")
    return cast(value, "int64")


@export("sparse.eye")
def sparse_eye(num_rows, num_columns=None, dtype="float32", name=None):
    """A sparse matrix with ones on its diagonal.

    Args:
      num_rows: int scalar.
      num_columns: int scalar; None: as many as rows.
      dtype: dtype of the values.
      name: name of the scope.

    Returns:
      SparseTensor of shape [num_rows, num_columns].

    Raises:
      TypeError: a size is no integer.

    Example:
      >>> import tracefn as tf
      >>> tf.sparse.to_dense(tf.sparse.eye(2, 3)).numpy().tolist()
      [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    with name_scope(name or "eye"):
        rows = _int64_tensor(num_rows, "num_rows")
        columns = rows if num_columns is None else _int64_tensor(num_columns, "num_columns")
        size = op("Minimum")(x=rows, y=columns)
        zero, one = constant(0, "int64"), constant(1, "int64")
        diagonal = op("Range")(start=zero, limit=size, delta=one)
        return SparseTensor(
            op("Pack")(values=[diagonal, diagonal], axis=1),
            ones(op("ExpandDims")(input=size, dim=0), dtype=dtype),
            op("Pack")(values=[rows, columns]),
        )


@export("sparse.to_dense")
def to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """A dense tensor with the values of a SparseTensor.

    Args:
      sp_input: SparseTensor.
      default_value: scalar of its dtype, the value of all other elements; None: zero, or the empty string.
      validate_indices: whether places must be in row-major order, without repetition.
      name: name of the node.

    Returns:
      Tensor of sp_input's shape and dtype.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
      InvalidArgumentError: a place is outside the shape, or places are not in order.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 3])
      >>> tf.sparse.to_dense(sp, default_value=-1).numpy().tolist()
      [[-1, 5, -1], [7, -1, -1]]
    """
    sp_input = require_sparse(sp_input)
    if default_value is None:
        default_value = constant("" if sp_input.dtype == "string" else False if sp_input.dtype.is_bool else 0, sp_input.dtype)
    return op("SparseToDense")(
        sparse_indices=sp_input.indices,
        output_shape=sp_input.dense_shape,
        sparse_values=sp_input.values,
        default_value=default_value,
        validate_indices=validate_indices,
        name=name,
    )
