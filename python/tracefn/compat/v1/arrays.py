"""Shapes, slices and conversions of `tf.compat.v1`: functions of `tf` with old names and another order of arguments."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.compat.v1.arguments import either, today
from tracefn.composite import CompositeTensor
from tracefn.framework import executing_eagerly

_op = _core.raw_op


@export("compat.v1.constant")
def constant(value, dtype=None, shape=None, name="Const", verify_shape=False):
    """`tf.constant`, which can insist on the shape.

    Args:
      value: value of the tensor.
      dtype: its dtype, or None.
      shape: its shape, or None.
      name: name of the node.
      verify_shape: whether the value must have that shape already; otherwise one value fills the shape.

    Raises:
      TypeError: the value has another shape, with `verify_shape`; or it does not convert.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.constant(3, shape=[2]).numpy().tolist()
      [3, 3]
    """
    if verify_shape and shape is not None:
        made = today("constant")(value, dtype, name=name)
        if made.shape != today("TensorShape")(shape):
            wanted, found = tuple(shape), tuple(made.shape)
            if executing_eagerly():
                shown = f"{made.numpy()} (converted from {value})"
                raise TypeError(f"Expected Tensor {shown} with shape {wanted}, but got shape {found}.")
            raise TypeError(f"Expected Tensor's shape: {wanted}, but got {found}.")
        return made
    return _filled(value, dtype, shape, name)


def _filled(value, dtype, shape, name):
    if shape is None:
        return today("constant")(value, dtype, name=name)
    if executing_eagerly():
        return today("constant")(value, dtype, shape, name)
    with _core.TargetContext(None):
        made = _core.convert_to_tensor(value, dtype=dtype)
    wanted = today("TensorShape")(shape)
    count = 1
    for size in wanted:
        count *= size
    have = int(made.shape.num_elements())
    if have == count or have == 1:
        return today("constant")(value, dtype, shape, name)
    # TensorFlow 1 repeats the last of too few values.
    if have > count or have == 0:
        raise ValueError(f"Too many elements provided. Takes at most {count}, but got {have}.")
    flat = made.numpy().reshape(-1)
    padded = [*flat.tolist(), *[flat[-1].item() if hasattr(flat[-1], "item") else flat[-1]] * (count - have)]
    return today("constant")(padded, made.dtype, shape, name)


@export("compat.v1.convert_to_tensor")
def convert_to_tensor(value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None):
    """`tf.convert_to_tensor`, whose `dtype_hint` was called `preferred_dtype`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.convert_to_tensor(3, preferred_dtype=tf.float64).dtype
      tf.float64
    """
    hint = either("dtype_hint", dtype_hint, "preferred_dtype", preferred_dtype)
    return _core.convert_to_tensor(value, dtype=dtype, dtype_hint=hint, name=name)


@export("compat.v1.convert_to_tensor_or_indexed_slices")
def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    """`value` as a tensor, unless it is `tf.IndexedSlices` or consists of several tensors in another way.

    Raises:
      ValueError: it has another dtype, or is None.
    """
    if isinstance(value, CompositeTensor):
        if dtype is not None and value.dtype != dtype:
            raise ValueError(
                f"Incompatible tensor conversion requested to `dtype` {today('as_dtype')(dtype).name} for "
                f"`value` ({value}) with dtype {value.dtype.name}."
            )
        return value
    return _core.convert_to_tensor(value, dtype=dtype, name=name)


@export("compat.v1.convert_to_tensor_or_sparse_tensor")
def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """`value` as a tensor, unless it is a `tf.SparseTensor`; a SparseTensorValue becomes one.

    Raises:
      RuntimeError: a sparse tensor has another dtype.
    """
    sparse = today("SparseTensor")
    if isinstance(value, today("compat.v1.SparseTensorValue")):
        value = sparse.from_value(value)
    if isinstance(value, sparse):
        if dtype is not None and value.dtype != dtype:
            raise RuntimeError(f"Sparse dtype mismatch. Requested: {today('as_dtype')(dtype).name},  Actual: {value.dtype.name}")
        return value
    return _core.convert_to_tensor(value, dtype=dtype, name=name)


@export("compat.v1.expand_dims")
def expand_dims(input, axis=None, name=None, dim=None):
    """`tf.expand_dims`, whose `axis` was called `dim`.

    Raises:
      ValueError: there is no axis.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.expand_dims([1, 2], dim=0).shape
      TensorShape([1, 2])
    """
    axis = either("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return today("expand_dims")(input, axis, name)


@export("compat.v1.squeeze")
def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """`tf.squeeze`, whose `axis` was called `squeeze_dims`."""
    axis = either("axis", axis, "squeeze_dims", squeeze_dims)
    return today("squeeze")(input, axis, name)


@export("compat.v1.gather")
def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    """`tf.gather`, with another order of arguments."""
    return today("gather")(params, indices, validate_indices, axis, batch_dims, name)


@export("compat.v1.gather_nd")
def gather_nd(params, indices, name=None, batch_dims=0, bad_indices_policy=""):
    """`tf.gather_nd`, with another order of arguments."""
    return today("gather_nd")(params, indices, batch_dims, name, bad_indices_policy)


@export("compat.v1.batch_gather")
def batch_gather(params, indices, name=None):
    """`tf.gather` with one dimension of the indices that is not a batch dimension.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist()
      [[2], [3]]
    """
    indices = _core.convert_to_tensor(indices, name="indices")
    rank = indices.shape.rank
    if rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape.")
    return today("gather")(params, indices, batch_dims=rank - 1, axis=rank - 1, name=name or "BatchGather")


@export("compat.v1.where")
def where(condition, x=None, y=None, name=None):
    """The indices of true elements, or a choice between `x` and `y`, which have one shape.

    Args:
      condition: bool tensor of the shape of `x`, or a vector that chooses rows, or a scalar.
      x, y: tensors of one dtype and shape; both or none.
      name: name of the node.

    Raises:
      ValueError: one of `x` and `y` is missing.
      InvalidArgumentError: the shapes differ (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy().tolist()
      [[1, 2], [7, 8]]
    """
    if x is None and y is None:
        condition = today("cast")(condition, "bool") if not hasattr(condition, "dtype") else condition
        return _op("Where")(condition=_core.convert_to_tensor(condition, name="condition"), name=name or "Where")
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return _op("Select")(condition=condition, t=x, e=y, name=name)


@export("compat.v1.shape")
def shape(input, name=None, out_type=None):
    """`tf.shape`, with another order of arguments."""
    return today("shape")(input, "int32" if out_type is None else out_type, name)


@export("compat.v1.size")
def size(input, name=None, out_type=None):
    """`tf.size`, with another order of arguments."""
    return today("size")(input, "int32" if out_type is None else out_type, name)


@export("compat.v1.zeros_like")
def zeros_like(tensor, dtype=None, name=None, optimize=True):
    """`tf.zeros_like`. `optimize` is accepted, without effect."""
    del optimize
    return today("zeros_like")(tensor, dtype, name)


@export("compat.v1.ones_like")
def ones_like(tensor, dtype=None, name=None, optimize=True):
    """`tf.ones_like`. `optimize` is accepted, without effect."""
    del optimize
    return today("ones_like")(tensor, dtype, name)


@export("compat.v1.transpose")
def transpose(a, perm=None, name="transpose", conjugate=False):
    """`tf.transpose`, with another order of arguments."""
    return today("transpose")(a, perm, conjugate, name)


@export("compat.v1.pad")
def pad(tensor, paddings, mode="CONSTANT", name=None, constant_values=0):
    """`tf.pad`, with another order of arguments."""
    return today("pad")(tensor, paddings, mode, constant_values, name)


@export("compat.v1.boolean_mask")
def boolean_mask(tensor, mask, name="boolean_mask", axis=None):
    """`tf.boolean_mask`, with another order of arguments."""
    return today("boolean_mask")(tensor, mask, axis, name)


@export("compat.v1.reverse_sequence")
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None):
    """`tf.reverse_sequence`, whose axes were called `seq_dim` and `batch_dim`."""
    seq_axis = either("seq_axis", seq_axis, "seq_dim", seq_dim)
    batch_axis = either("batch_axis", batch_axis, "batch_dim", batch_dim)
    return today("reverse_sequence")(input, seq_lengths, seq_axis, batch_axis, name)


@export("compat.v1.tuple")
def tuple_(tensors, name=None, control_inputs=None):
    """`tf.tuple`, with another order of arguments."""
    return today("tuple")(tensors, control_inputs, name)


@export("compat.v1.setdiff1d")
def setdiff1d(x, y, index_dtype="int32", name=None):
    """The elements of one vector that are not in another, in their order, and their indices.

    Args:
      x, y: vectors of one dtype.
      index_dtype: int32 or int64.
      name: name of the node.

    Returns:
      Named tuple (out, idx).

    Example:
      >>> import tracefn as tf
      >>> out, idx = tf.compat.v1.setdiff1d([1, 2, 3, 4], [2, 4])
      >>> out.numpy().tolist(), idx.numpy().tolist()
      ([1, 3], [0, 2])
    """
    return _op("ListDiff")(x=x, y=y, out_idx=index_dtype, name=name)


@export("compat.v1.batch_to_space")
def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    """`tf.batch_to_space` with blocks of one size in two dimensions."""
    size = either("block_shape", block_shape, "block_size", block_size)
    if size is None:
        raise ValueError("`block_size` must be given")
    return _op("BatchToSpaceND")(input=input, block_shape=_square(size), crops=crops, name=name or "BatchToSpace")


@export("compat.v1.batch_to_space_nd")
def batch_to_space_nd(input, block_shape, crops, name=None):
    """`tf.batch_to_space`."""
    return _op("BatchToSpaceND")(input=input, block_shape=block_shape, crops=crops, name=name)


@export("compat.v1.space_to_batch")
def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):
    """`tf.space_to_batch` with blocks of one size in two dimensions."""
    size = either("block_shape", block_shape, "block_size", block_size)
    return _op("SpaceToBatchND")(input=input, block_shape=_square(size), paddings=paddings, name=name or "SpaceToBatch")


def _square(size):
    """The shape of blocks of that size; a shape stays one."""
    return [int(size)] * 2 if isinstance(size, int) else size


@export("compat.v1.space_to_depth")
def space_to_depth(input, block_size, name=None, data_format="NHWC"):
    """`tf.nn.space_to_depth`, with another order of arguments."""
    return today("nn.space_to_depth")(input, block_size, data_format, name)


@export("compat.v1.depth_to_space")
def depth_to_space(input, block_size, name=None, data_format="NHWC"):
    """`tf.nn.depth_to_space`, with another order of arguments."""
    return today("nn.depth_to_space")(input, block_size, data_format, name)


@export("compat.v1.extract_image_patches")
def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None):
    """`tf.image.extract_patches`, whose `sizes` were called `ksizes`."""
    ksizes = either("sizes", sizes, "ksizes", ksizes)
    return _op("ExtractImagePatches")(
        images=images, ksizes=ksizes, strides=strides, rates=rates, padding=padding, name=name
    )
