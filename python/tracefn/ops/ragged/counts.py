"""`tf.math.bincount` and `tf.sparse.bincount` of ragged tensors."""

from __future__ import annotations

from tracefn._export import exported
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.debugging import check_equal
from tracefn.ops.ragged.row_partition import after, cast
from tracefn.ops.ragged.tensor import convert_values, is_ragged
from tracefn.ops.sparse.tensor import SparseTensor


def _checked(arr, weights, axis, binary_output: bool):
    """(the values as a tensor or RaggedTensor, their weights, the axis)."""
    arr = convert_values(arr, "arr")
    if weights is not None:
        weights = convert_values(weights, "weights")
        if binary_output:
            raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
    axis = 0 if axis is None else axis
    if axis not in (0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    return arr, weights, axis


def _weights_of(values, weights, dtype=None):
    """The weights of a ragged tensor's values; an empty vector if there are none."""
    if weights is None:
        return constant([], values.values.dtype if dtype is None else dtype)
    if not is_ragged(weights):
        raise ValueError("`weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument "
                         f"weights={weights} of type: {type(weights).__name__}.")
    if weights.row_splits is values.row_splits:
        return weights.values
    check = check_equal(weights.row_splits, values.row_splits,
                        message="'weights' and 'values' must have the same row splits.")
    return after([check], weights.values)


def bincount(arr, weights=None, minlength=None, maxlength=None, dtype="int32", name=None, axis=None,
             binary_output=False):
    """How often each integer occurs in all rows, or in each."""
    with name_scope(name or "bincount"):
        arr, weights, axis = _checked(arr, weights, axis, binary_output)
        if axis == 0 or not is_ragged(arr):
            while is_ragged(arr):
                weights = None if weights is None else _weights_of(arr, weights)
                arr = arr.values
            return exported()["math.bincount"](arr, weights, minlength, maxlength, dtype, axis=axis,
                                               binary_output=binary_output)
        if not arr.dtype.is_integer:
            arr = arr.with_values(cast(arr.values, "int32"))
        kind, flat = arr.dtype, arr.flat_values
        some = cast(op("Greater")(x=op("Size")(input=flat), y=0), kind)
        size = some * (exported()["math.reduce_max"](flat) + 1)
        if minlength is not None:
            size = op("Maximum")(x=convert(minlength, dtype=kind, name="minlength"), y=size)
        if maxlength is not None:
            size = op("Minimum")(x=convert(maxlength, dtype=kind, name="maxlength"), y=size)
        return op("RaggedBincount")(splits=cast(arr.row_splits, "int64"), values=_tensor_of(arr.values), size=size,
                                    weights=_weights_of(arr, weights, dtype), binary_output=binary_output)


def _tensor_of(values):
    """The values of rows, which must not be ragged themselves."""
    if is_ragged(values):
        raise ValueError("`axis=-1` takes a RaggedTensor with one ragged dimension.")
    return values


def sparse_bincount(values, weights=None, axis=0, minlength=None, maxlength=None, binary_output=False, name=None):
    """How often each integer occurs in all rows, or in each, as a SparseTensor."""
    with name_scope(name or "count"):
        values, weights, axis = _checked(values, weights, axis, binary_output)
        if axis == 0 or not is_ragged(values):
            while is_ragged(values):
                weights = None if weights is None else _weights_of(values, weights)
                values = values.values
            return exported()["sparse.bincount"](values, weights, axis, minlength, maxlength, binary_output)
        return SparseTensor(*op("RaggedCountSparseOutput")(
            splits=cast(values.row_splits, "int64"), values=_tensor_of(values.values),
            weights=_weights_of(values, weights), minlength=-1 if minlength is None else minlength,
            maxlength=-1 if maxlength is None else maxlength, binary_output=binary_output))
