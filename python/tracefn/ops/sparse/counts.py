"""`tf.sparse.bincount`: how often numbers occur, as a SparseTensor."""

from __future__ import annotations

from tracefn._export import export
from tracefn.composite import CompositeTensor
from tracefn.ops._build import constant, convert, ints, name_scope, op
from tracefn.ops.casting import cast
from tracefn.ops.debugging import check_equal
from tracefn.ops.ragged.row_partition import after
from tracefn.ops.reduction import reduce_max
from tracefn.ops.sparse.tensor import SparseTensor, is_sparse, parts

_AXES = "Unsupported value for argument axis={}. Only 0 and -1 are currently supported."
_EXCLUSIVE = "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one."


def sparse_weights(values, weights, dtype=None):
    """The values of the weights of a SparseTensor, which must have its places; an empty vector if there are none.

    Raises:
      ValueError: the weights are not sparse.
      InvalidArgumentError: the places differ.
    """
    if weights is None:
        return constant([], dtype=dtype or values.dtype)
    if not is_sparse(weights):
        raise ValueError("Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received "
                         f"weights={weights} of type: {type(weights).__name__}")
    checks = []
    if weights.dense_shape is not values.dense_shape:
        checks.append(check_equal(weights.dense_shape, values.dense_shape,
                                  message="'weights' and 'values' must have the same dense shape."))
    if weights.indices is not values.indices:
        checks.append(check_equal(weights.indices, values.indices,
                                  message="'weights' and 'values' must have the same indices."))
    return after(checks, weights.values)


def dense_weights(values, weights, dtype=None):
    """The weights of a dense tensor; an empty vector if there are none.

    Raises:
      ValueError: the weights are not dense.
    """
    if weights is None:
        return constant([], dtype=dtype or values.dtype)
    if isinstance(weights, CompositeTensor):
        raise ValueError("`weights` must be a `Tensor` if `values` is a `Tensor`. Received weights="
                         f"{weights} of type: {type(weights).__name__}")
    return convert(weights)


@export("sparse.bincount")
def bincount(values, weights=None, axis=0, minlength=None, maxlength=None, binary_output=False, name=None):
    """How often each integer occurs, as a SparseTensor.

    Args:
      values: int32 or int64 tensor, SparseTensor or RaggedTensor of non-negative numbers.
      weights: of the same kind and shape as `values`: the weight of each occurrence; None: 1.
      axis: 0 or None: count in all of `values`; -1: in each row.
      minlength: int, the least size of the last dimension.
      maxlength: int, that size; larger numbers are ignored.
      binary_output: whether the result is just 1 for numbers that occur.
      name: name of the scope.

    Returns:
      SparseTensor of the dtype of the weights, or of `values`.

    Raises:
      ValueError: `axis` is another one, or both `weights` and `binary_output` are given.
      InvalidArgumentError: a number is negative.

    Example:
      >>> import tracefn as tf
      >>> counts = tf.sparse.bincount([[1, 1, 3], [0, 1, 0]], axis=-1)
      >>> tf.sparse.to_dense(counts).numpy().tolist()
      [[0, 2, 0, 1], [2, 1, 0, 0]]
    """
    from tracefn.ops.ragged.tensor import is_ragged  # start-up time: few programs need it

    with name_scope(name or "count"):
        if not is_sparse(values) and not is_ragged(values):
            values = convert(values, name="values")
        if weights is not None and not isinstance(weights, CompositeTensor):
            weights = convert(weights, name="weights")
        if weights is not None and binary_output:
            raise ValueError(_EXCLUSIVE)
        axis = 0 if axis is None else axis
        if axis not in (0, -1):
            raise ValueError(_AXES.format(axis))
        options = {
            "minlength": -1 if minlength is None else minlength,
            "maxlength": -1 if maxlength is None else maxlength,
            "binary_output": binary_output,
        }
        if axis == 0:
            values, weights = _all_values(values, weights)
        if is_sparse(values):
            weights = sparse_weights(values, weights)
            found = op("SparseCountSparseOutput")(**parts("", values, "dense_shape"), weights=weights, **options)
        elif is_ragged(values):
            weights = _ragged_weights(values, weights)
            splits = cast(values.row_splits, "int64")
            found = op("RaggedCountSparseOutput")(splits=splits, values=values.values, weights=weights, **options)
        else:
            found = op("DenseCountSparseOutput")(values=values, weights=dense_weights(values, weights), **options)
        return SparseTensor(*found)


def _all_values(values, weights):
    """Values and weights without their rows."""
    from tracefn.ops.ragged.tensor import is_ragged  # start-up time: few programs need it

    if is_sparse(values):
        return values.values, None if weights is None else sparse_weights(values, weights)
    if is_ragged(values):
        while is_ragged(values):
            weights = None if weights is None else _ragged_weights(values, weights)
            values = values.values
        return values, weights
    flat = ints([-1])
    if weights is not None and not isinstance(weights, CompositeTensor):
        weights = op("Reshape")(tensor=weights, shape=flat)
    return op("Reshape")(tensor=values, shape=flat), weights


def _ragged_weights(values, weights, dtype=None):
    """The values of ragged weights, which must have the rows of `values`; an empty vector if there are none."""
    from tracefn.ops.ragged.tensor import is_ragged  # start-up time: few programs need it

    if weights is None:
        return constant([], dtype=dtype or values.values.dtype)
    if not is_ragged(weights):
        raise ValueError("`weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument weights="
                         f"{weights} of type: {type(weights).__name__}.")
    check = None
    if weights.row_splits is not values.row_splits:
        check = check_equal(cast(weights.row_splits, "int64"), cast(values.row_splits, "int64"),
                            message="'weights' and 'values' must have the same row splits.")
    return after([check], weights.values)


def math_bincount(arr, weights=None, minlength=None, maxlength=None, dtype="int32", name=None, axis=None,
                  binary_output=False):
    """`tf.math.bincount` of a SparseTensor or a RaggedTensor."""
    with name_scope(name or "bincount"):
        if weights is not None and binary_output:
            raise ValueError(_EXCLUSIVE)
        axis = 0 if axis is None else axis
        if axis not in (0, -1):
            raise ValueError(_AXES.format(axis))
        if not arr.dtype.is_integer:
            arr = cast(arr, "int32") if is_sparse(arr) else arr.with_flat_values(cast(arr.flat_values, "int32"))
        if axis == 0:
            numbers, weights = _all_values(arr, weights)
            weights = constant([], dtype) if weights is None else weights
            size = _length(numbers, minlength, maxlength)
            return op("DenseBincount")(input=numbers, size=size, weights=weights, binary_output=binary_output)
        numbers = arr.values
        take = sparse_weights if is_sparse(arr) else _ragged_weights
        weights = take(arr, weights, dtype)
        options = {"size": _length(numbers, minlength, maxlength), "weights": weights, "binary_output": binary_output}
        if is_sparse(arr):
            return op("SparseBincount")(**parts("", arr, "dense_shape"), **options)
        return op("RaggedBincount")(splits=cast(arr.row_splits, "int64"), values=numbers, **options)


def _length(numbers, minlength, maxlength):
    """One more than the largest number, 0 if there is none, clamped to the given bounds."""
    largest = op("Maximum")(x=reduce_max(numbers), y=constant(-1, numbers.dtype))
    size = cast(op("Size")(input=numbers) > 0, numbers.dtype) * (largest + 1)
    if minlength is not None:
        size = op("Maximum")(x=convert(minlength, dtype=numbers.dtype, name="minlength"), y=size)
    if maxlength is not None:
        size = op("Minimum")(x=convert(maxlength, dtype=numbers.dtype, name="maxlength"), y=size)
    return size
