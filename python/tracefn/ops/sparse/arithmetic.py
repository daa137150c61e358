"""Sums, products and other functions of SparseTensors."""

from __future__ import annotations

from tracefn import _numpy as np
from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.framework import control_dependencies, executing_eagerly
from tracefn.indexed_slices import IndexedSlices
from tracefn.nest import flatten, pack_sequence_as
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.array_shape import broadcast_static_shape
from tracefn.ops.debugging import assert_, check_equal
from tracefn.ops.indexing import gather, gather_nd, sort
from tracefn.ops.sparse.tensor import SparseTensor, SparseTensorValue, is_sparse, parts, require_sparse

_SPARSE = (SparseTensor, SparseTensorValue)


@export("sparse.add")
def add(a, b, threshold=0):
    """The sum of two SparseTensors, or of one and a dense tensor of the same shape.

    Args:
      a, b: SparseTensor or tensor, one of them sparse; SparseTensors are in row-major order.
      threshold: scalar: where two SparseTensors both have a value, the sum is left out if its magnitude is less.

    Returns:
      SparseTensor if both are sparse, otherwise a tensor.

    Raises:
      TypeError: neither is sparse.
      InvalidArgumentError: the shapes differ.

    Example:
      >>> import tracefn as tf
      >>> a = tf.SparseTensor([[0, 1], [1, 0]], [5.0, 7.0], [2, 2])
      >>> tf.sparse.add(a, tf.sparse.eye(2)).values.numpy().tolist()
      [1.0, 5.0, 7.0, 1.0]
      >>> tf.sparse.add(a, tf.ones([2, 2])).numpy().tolist()
      [[1.0, 6.0], [8.0, 1.0]]
    """
    if not isinstance(a, _SPARSE) and not isinstance(b, _SPARSE):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not (isinstance(a, _SPARSE) and isinstance(b, _SPARSE)):
        sparse, dense = (b, a) if isinstance(b, _SPARSE) else (a, b)
        sparse = require_sparse(sparse)
        return op("SparseTensorDenseAdd")(**parts("a_", sparse), b=dense)
    a, b = require_sparse(a), require_sparse(b)
    thresh = convert(threshold, dtype=a.dtype.real_dtype, name="threshold")
    indices, values, shape = op("SparseAdd")(**parts("a_", a), **parts("b_", b), thresh=thresh)
    a.shape.assert_is_compatible_with(b.shape)
    known = broadcast_static_shape(a.shape, b.shape)
    return SparseTensor(indices, values, known.as_list() if known.is_fully_defined() else shape)


def _extreme(kind: str, sp_a, sp_b, name):
    with name_scope(name or kind):
        indices, values = op(kind)(**parts("a_", sp_a), **parts("b_", sp_b), name=name)
    return SparseTensor(indices, values, sp_a.dense_shape)


@export("sparse.maximum")
def maximum(sp_a, sp_b, name=None):
    """The elementwise maximum of two SparseTensors of the same shape; missing values are zeros.

    Args:
      sp_a, sp_b: SparseTensors of numbers in row-major order.
      name: name of the node.

    Returns:
      SparseTensor with the places of both.

    Raises:
      InvalidArgumentError: the shapes differ, or a place is outside.

    Example:
      >>> import tracefn as tf
      >>> a, b = tf.SparseTensor([[0]], [-5], [3]), tf.SparseTensor([[1]], [7], [3])
      >>> tf.sparse.maximum(a, b).values.numpy().tolist()
      [0, 7]
    """
    return _extreme("SparseSparseMaximum", sp_a, sp_b, name)


@export("sparse.minimum")
def minimum(sp_a, sp_b, name=None):
    """The elementwise minimum of two SparseTensors of the same shape; missing values are zeros.

    Args:
      sp_a, sp_b: SparseTensors of numbers in row-major order.
      name: name of the node.

    Returns:
      SparseTensor with the places of both.

    Raises:
      InvalidArgumentError: the shapes differ, or a place is outside.

    Example:
      >>> import tracefn as tf
      >>> a, b = tf.SparseTensor([[0]], [-5], [3]), tf.SparseTensor([[1]], [7], [3])
      >>> tf.sparse.minimum(a, b).values.numpy().tolist()
      [-5, 0]
    """
    return _extreme("SparseSparseMinimum", sp_a, sp_b, name)


@export("sparse.map_values")
def map_values(op, *args, **kwargs):
    """Applies a function to the values of SparseTensors.

    Args:
      op: callable; SparseTensors among its arguments, and in structures of them, are replaced by their values.
      *args, **kwargs: its arguments. All SparseTensors must have the same places and shape.

    Returns:
      SparseTensor with these places and the result as values.

    Raises:
      ValueError: no argument is a SparseTensor.
      InvalidArgumentError: their places or shapes differ.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 3])
      >>> tf.sparse.map_values(tf.add, sp, 1).values.numpy().tolist()
      [6, 8]
    """
    found: list[SparseTensor] = []
    inner_args, inner_kwargs = _values(args, found), _values(kwargs, found)
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    first = found[0]
    checks = []
    for other in found[1:]:
        checks.append(check_equal(first.dense_shape, other.dense_shape, message="Mismatched shapes!"))
        checks.append(check_equal(first.indices, other.indices, message="Mismatched indices!"))
    with control_dependencies([check for check in checks if check is not None]):
        return SparseTensor(first.indices, op(*inner_args, **inner_kwargs), first.dense_shape)


def _values(structure, found: list):
    """The structure with values in place of SparseTensors, which are added to `found`."""
    flat = []
    for value in flatten(structure):
        if is_sparse(value):
            found.append(value)
            value = value.values
        flat.append(value)
    return pack_sequence_as(structure, flat)


@export("sparse.softmax")
def softmax(sp_input, name=None):
    """Softmax over the given values along the last dimension.

    Args:
      sp_input: SparseTensor of floats and of rank 2 at least, in row-major order.
      name: name of the scope.

    Returns:
      SparseTensor with the same places.

    Raises:
      InvalidArgumentError: the rank is less than 2.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [3.0, 3.0, 1.0], [2, 3])
      >>> tf.sparse.softmax(sp).values.numpy().tolist()
      [0.5, 0.5, 1.0]
    """
    with name_scope(name or "SparseSoftmax"):
        return sp_input.with_values(op("SparseSoftmax")(**parts("sp_", sp_input)))


@export("sparse.sparse_dense_matmul")
def sparse_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """The product of a sparse and a dense matrix, or of a dense and a sparse one.

    Args:
      sp_a: SparseTensor or matrix [m, k].
      b: matrix or SparseTensor [k, n]; one of both is sparse.
      adjoint_a, adjoint_b: whether the matrix is replaced by its adjoint.
      name: name of the scope.

    Returns:
      Matrix [m, n].

    Raises:
      TypeError: neither is a SparseTensor.
      InvalidArgumentError: the shapes do not match.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.SparseTensor([[0, 1], [1, 0]], [5.0, 7.0], [2, 2])
      >>> tf.sparse.sparse_dense_matmul(sp, [[1.0, 2.0], [3.0, 4.0]]).numpy().tolist()
      [[15.0, 20.0], [7.0, 14.0]]
    """
    if isinstance(b, _SPARSE):
        # A B is the adjoint of B* A*; matrices to be transposed only are conjugated twice.
        product = sparse_dense_matmul(b, sp_a, *((adjoint_a, adjoint_b) if adjoint_a != adjoint_b else
                                                 (not adjoint_a, not adjoint_b)))
        return op("Transpose")(x=product, perm=[1, 0])
    sp_a = require_sparse(sp_a)
    with name_scope(name or "SparseTensorDenseMatMul"):
        b = convert(b, name="b")
        return op("SparseTensorDenseMatMul")(**parts("a_", sp_a), b=b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)


@export("sparse.sampled_addmm")
def sampled_addmm(indices, values, dense_shape, mat1, mat2, beta=1.0, alpha=1.0, output_type="float32"):
    """alpha * (mat1 @ mat2) + beta * values, at given places only.

    Args:
      indices: int tensor [..., n, 2 or more]: the places in the product of each batch.
      values: float tensor [..., n].
      dense_shape: int32 vector [2]: the rows and columns of the product.
      mat1, mat2: float tensors [..., m, k] and [..., k, n].
      beta, alpha: numbers.
      output_type: float dtype of the result.

    Returns:
      (indices, values, dense_shape) of the result.

    Raises:
      ValueError: `dense_shape` is not the shape of the product.

    Example:
      >>> import tracefn as tf
      >>> found = tf.sparse.sampled_addmm([[0, 0]], [1.0], [1, 1], [[2.0, 3.0]], [[4.0], [5.0]], beta=0.5)
      >>> found[1].numpy().tolist()
      [23.5]
    """
    indices, values = convert(indices), convert(values, dtype=output_type)
    dense_shape = convert(dense_shape, dtype="int32")
    mat1, mat2 = convert(mat1, dtype=output_type), convert(mat2, dtype=output_type)
    product = op("Pack")(values=[mat1.shape[-2], mat2.shape[-1]])
    _check_product(dense_shape, product)
    rows = indices[..., :-1]
    columns = op("ConcatV2")(values=[indices[..., :-2], indices[..., -1:]], axis=-1)
    batch_dims = mat1.shape.rank - 2
    swapped = list(range(batch_dims)) + [batch_dims + 1, batch_dims]
    of_rows = gather_nd(mat1, rows, batch_dims=batch_dims)
    of_columns = gather_nd(op("Transpose")(x=mat2, perm=swapped), columns, batch_dims=batch_dims)
    dot = op("Sum")(input=of_rows * of_columns, reduction_indices=[-1])
    return indices, dot * alpha + values * beta, dense_shape


def _check_product(dense_shape, product) -> None:
    known, expected = get_static_value(dense_shape), get_static_value(product)
    if known is not None and expected is not None and not np.all(known == expected):
        raise ValueError(f"Dense shape: {dense_shape} does not match output shape: {product}")
    if not executing_eagerly():
        equal = op("All")(input=op("Equal")(x=dense_shape, y=product), reduction_indices=[0])
        assert_(equal, ["Dense shape: ", dense_shape, " does not match output shape: ", product])


@export("sparse.mask")
def mask(a, mask_indices, name=None):
    """`tf.IndexedSlices` without some of its slices.

    Args:
      a: IndexedSlices.
      mask_indices: int vector of a's index dtype: the indices of the slices to leave out.
      name: name of the scope.

    Returns:
      IndexedSlices.

    Example:
      >>> import tracefn as tf
      >>> a = tf.IndexedSlices(tf.constant([1.0, 2.0, 3.0]), tf.constant([12, 26, 45]), tf.constant([100]))
      >>> tf.sparse.mask(a, [12, 45]).indices.numpy().tolist()
      [26]
    """
    with name_scope(name or "sparse_mask"):
        indices = convert(a.indices)
        sorted_ = op("Reshape")(tensor=sort(convert(mask_indices, dtype=indices.dtype)), shape=[1, -1])
        row = op("Reshape")(tensor=indices, shape=[1, -1])
        below = op("LowerBound")(sorted_inputs=sorted_, values=row)
        missing = op("Equal")(x=below, y=op("UpperBound")(sorted_inputs=sorted_, values=row))
        kept = op("Reshape")(tensor=op("Where")(input=op("Reshape")(tensor=missing, shape=[-1])), shape=[-1])
        return IndexedSlices(gather(a.values, kept), gather(indices, kept), a.dense_shape)


