"""The functions of SparseTensors with the parameters of TensorFlow 1."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.compat.v1.arguments import either
from tracefn.compat.v1.placeholders import placeholder, placeholder_with_default
from tracefn.ops import segments as segment_functions
from tracefn.ops._build import convert, op
from tracefn.ops.sparse import arithmetic, arrays, creation, merge
from tracefn.ops.sparse.reduction import reduced
from tracefn.ops.sparse.tensor import SparseTensor, static_shape
from tracefn.tensor_shape import TensorShape

# Functions that are the same today.
for _name, _function in {
    "fill_empty_rows": arrays.fill_empty_rows,
    "mask": arithmetic.mask,
    "maximum": arithmetic.maximum,
    "minimum": arithmetic.minimum,
    "reorder": arrays.reorder,
    "reset_shape": arrays.reset_shape,
    "reshape": arrays.reshape,
    "retain": arrays.retain,
    "slice": arrays.slice,
    "softmax": arithmetic.softmax,
    "tensor_dense_matmul": arithmetic.sparse_dense_matmul,
    "tensor_to_dense": creation.to_dense,
    "to_indicator": merge.to_indicator,
    "transpose": arrays.transpose,
    "merge": merge.merge,
}.items():
    export(f"compat.v1.sparse_{_name}")(_function)


@export("compat.v1.sparse_matmul")
def sparse_matmul(
    a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False, name=None
):
    """The product of two dense matrices of float32 or bfloat16 that may hold many zeros, as float32."""
    return op("SparseMatMul")(
        a=a,
        b=b,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
        name=name,
    )


@export("compat.v1.sparse_add")
def sparse_add(a, b, threshold=None, thresh=None):
    """`tf.sparse.add`; `thresh` is an old name of `threshold`."""
    threshold = either("threshold", threshold, "thresh", thresh)
    return arithmetic.add(a, b, 0 if threshold is None else threshold)


@export("compat.v1.sparse_concat")
def sparse_concat(
    axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None, expand_nonconcat_dims=None
):
    """`tf.sparse.concat`; `concat_dim` is an old name of `axis`."""
    axis = either("axis", axis, "concat_dim", concat_dim)
    expand = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    return arrays.sparse_concat(axis, sp_inputs, expand, name)


class _KeywordRequired:
    def __repr__(self) -> str:
        return "KeywordRequired()"


_KEYWORD_REQUIRED = _KeywordRequired()


@export("compat.v1.sparse_split")
def sparse_split(
    keyword_required=_KEYWORD_REQUIRED, sp_input=None, num_split=None, axis=None, name=None, split_dim=None
):
    """`tf.sparse.split`, by keywords only; `split_dim` is an old name of `axis`."""
    if keyword_required is not _KEYWORD_REQUIRED:
        raise ValueError("Keyword arguments are required for this function.")
    return arrays.split(sp_input, num_split, either("axis", axis, "split_dim", split_dim), name)


def _reduce(kind: str, sparse: bool, sp_input, axis, keepdims, reduction_axes, keep_dims):
    axis = either("axis", axis, "reduction_axes", reduction_axes)
    return reduced(kind, sp_input, axis, either("keepdims", keepdims, "keep_dims", keep_dims), sparse)


@export("compat.v1.sparse_reduce_sum")
def sparse_reduce_sum(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """`tf.sparse.reduce_sum` to a dense tensor."""
    return _reduce("SparseReduceSum", False, sp_input, axis, keepdims, reduction_axes, keep_dims)


@export("compat.v1.sparse_reduce_max")
def sparse_reduce_max(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """`tf.sparse.reduce_max` to a dense tensor."""
    return _reduce("SparseReduceMax", False, sp_input, axis, keepdims, reduction_axes, keep_dims)


@export("compat.v1.sparse_reduce_sum_sparse")
def sparse_reduce_sum_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """`tf.sparse.reduce_sum` to a SparseTensor."""
    return _reduce("SparseReduceSum", True, sp_input, axis, keepdims, reduction_axes, keep_dims)


@export("compat.v1.sparse_reduce_max_sparse")
def sparse_reduce_max_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """`tf.sparse.reduce_max` to a SparseTensor."""
    return _reduce("SparseReduceMax", True, sp_input, axis, keepdims, reduction_axes, keep_dims)


@export("compat.v1.sparse_to_dense")
def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    """A dense tensor with `sparse_values` at `sparse_indices`.

    Args:
      sparse_indices: int32 or int64 scalar, vector or matrix [n, rank].
      output_shape: vector [rank] of the same dtype.
      sparse_values: scalar or vector [n].
      default_value: scalar, the value of all other elements.
      validate_indices: whether the places must be in row-major order, without repetition.
      name: name of the node.
    """
    values = convert(sparse_values, name="sparse_values")
    return op("SparseToDense")(
        sparse_indices=sparse_indices,
        output_shape=output_shape,
        sparse_values=values,
        default_value=convert(default_value, dtype=values.dtype, name="default_value"),
        validate_indices=validate_indices,
        name=name,
    )


@export("compat.v1.sparse_placeholder")
def sparse_placeholder(dtype, shape=None, name=None):
    """A SparseTensor of three placeholders.

    Args:
      dtype: dtype of the values.
      shape: shape, whose sizes may be None; or int64 vector; or None. It is the value of `dense_shape` unless that is fed.
      name: prefix of the placeholders' names.

    Raises:
      RuntimeError: outside of a graph.
    """
    names = [None if name is None else f"{name}/{part}" for part in ("shape", "shape_default", "indices", "values")]
    if shape is None:
        rank, known = None, TensorShape(None)
        dense_shape = placeholder("int64", shape=[None], name=names[0])
    else:
        if isinstance(shape, _core.Tensor):
            known, default = static_shape(shape), shape
        else:
            known = TensorShape([None if size in (None, -1) else size for size in shape])
            default = convert([-1 if size is None else size for size in known], dtype="int64", name=names[1])
        rank = default.shape[0]
        dense_shape = placeholder_with_default(default, default.shape, name=names[0])
    values = placeholder(dtype, shape=[None], name=names[3])
    result = SparseTensor(placeholder("int64", shape=[None, rank], name=names[2]), values, dense_shape)
    result.set_shape(known)
    return result


# Of `num_segments` and `name` the name comes first.
def _register_segments(how: str) -> None:
    function = getattr(segment_functions, f"sparse_segment_{how}")

    def segments(data, indices, segment_ids, name=None, num_segments=None, sparse_gradient=False):
        return function(data, indices, segment_ids, num_segments, name, sparse_gradient)

    segments.__name__ = f"sparse_segment_{how}"
    segments.__doc__ = f"`tf.sparse.segment_{how}` with the name before the number of segments."
    export(f"compat.v1.sparse_segment_{how}")(segments)


for _name in ("sum", "mean", "sqrt_n"):
    _register_segments(_name)
