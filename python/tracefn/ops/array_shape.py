"""Functions that query and change shapes, and that join, split and repeat tensors."""

from __future__ import annotations

import builtins
import numbers

from tracefn import _core, nest
from tracefn import _numpy as np
from tracefn._dispatch import dispatch
from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.composite import CompositeTensor
from tracefn.dimension import Dimension
from tracefn.dtypes import as_dtype
from tracefn.framework import executing_eagerly, is_tensor
from tracefn.ops._build import constant, convert, fits, ints, name_scope, op
from tracefn.tensor_shape import TensorShape


@export("identity")
def identity(input, name=None):
    """The input, unchanged, as the result of a new op.

    Args:
      input: tensor, Variable, or anything that converts to a tensor.
      name: name of the node.

    Returns:
      Tensor of input's dtype and shape.

    Example:
      >>> import tracefn as tf
      >>> tf.identity(3)
      <tf.Tensor: shape=(), dtype=int32, numpy=3>
    """
    if not isinstance(input, _core.Tensor) and isinstance(input, CompositeTensor):
        # Programs may say what it is for their own types, and it does not fail for these.
        found = dispatch("identity", {"input": input, "name": name})
        return nest.map_structure(identity, input, expand_composites=True) if found is NotImplemented else found
    return op("Identity")(input=input, name=name)


@export("identity_n")
def identity_n(input, name=None):
    """The inputs, unchanged, as the results of one new op.

    Args:
      input: list of tensors.
      name: name of the node.

    Returns:
      List of tensors of the same dtypes and shapes.

    Raises:
      TypeError: `input` is not a list or tuple.

    Example:
      >>> import tracefn as tf
      >>> [int(x) for x in tf.identity_n([1, 2])]
      [1, 2]
    """
    if not isinstance(input, (list, tuple)) and not executing_eagerly():
        raise TypeError(f"Expected list for 'input' argument to 'IdentityN' Op, not {input}.")
    return list(op("IdentityN")(input=list(input), name=name))


@export("stop_gradient")
def stop_gradient(input, name=None):
    """The input, unchanged. No gradient flows through it.

    Args:
      input: tensor.
      name: name of the node.

    Returns:
      Tensor of input's dtype and shape.

    Example:
      >>> import tracefn as tf
      >>> tf.stop_gradient(2.0)
      <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
    """
    if not isinstance(input, _core.Tensor) and isinstance(input, CompositeTensor):
        return nest.map_structure(stop_gradient, input, expand_composites=True)
    return op("StopGradient")(input=input, name=name)


@export("shape")
def shape(input, out_type=None, name=None):
    """The shape of a tensor, as a vector.

    Args:
      input: tensor of any shape.
      out_type: int32 (also for None) or int64.
      name: name of the node.

    Returns:
      Vector of rank numbers; a constant of the graph if the shape is known while tracing.

    Example:
      >>> import tracefn as tf
      >>> tf.shape([[1, 2, 3]])
      <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 3], dtype=int32)>
    """
    x = convert(input)
    if (own := _core.other_graph(x)) is not None:
        with own.as_default():
            return shape(x, out_type, name)
    if _core.current_graph() is not None and x.shape.is_fully_defined():
        if out_type in (None, "int32"):
            return ints(x.shape.as_list(), name or "Shape")
        return constant(x.shape.as_list(), out_type, name or "Shape")
    return op("Shape")(input=x, out_type=out_type or "int32", name=name)


@export("size")
def size(input, out_type=None, name=None):
    """The number of elements of a tensor.

    Args:
      input: tensor of any shape.
      out_type: int32 (also for None) or int64; another dtype of numbers if the shape is known.
      name: name of the node.

    Returns:
      Scalar; a constant of the graph if the shape is known while tracing.

    Example:
      >>> import tracefn as tf
      >>> int(tf.size([[1, 2, 3]]))
      3
    """
    x = convert(input)
    if (own := _core.other_graph(x)) is not None:
        with own.as_default():
            return size(x, out_type, name)
    dtype = as_dtype(out_type or "int32")
    is_constant = _core.current_graph() is not None or dtype not in ("int32", "int64")
    if is_constant and x.shape.is_fully_defined():
        count = np.array(x.shape.num_elements(), "int64")
        return constant(count, dtype, name or "Size")
    return op("Size")(input=x, out_type=out_type or "int32", name=name)


@export("rank")
def rank(input, name=None):
    """The number of dimensions of a tensor.

    Args:
      input: tensor of any shape.
      name: name of the node.

    Returns:
      int32 scalar; a constant of the graph if the rank is known while tracing.

    Example:
      >>> import tracefn as tf
      >>> int(tf.rank([[1, 2, 3]]))
      2
    """
    x = convert(input)
    if (own := _core.other_graph(x)) is not None:
        with own.as_default():
            return rank(x, name)
    if _core.current_graph() is not None and x.shape.rank is not None:
        return constant(x.shape.rank, "int32", name or "Rank")
    return op("Rank")(input=x, name=name)


@export("reshape")
def reshape(tensor, shape, name=None):
    """The elements of a tensor with another shape.

    Args:
      tensor: tensor of any shape.
      shape: int vector; one size may be -1: it is computed from the others.
      name: name of the node.

    Returns:
      Tensor of the given shape that shares the elements.

    Raises:
      InvalidArgumentError: the number of elements differs (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.reshape([1, 2, 3, 4], [2, -1]).shape
      TensorShape([2, 2])
    """
    return op("Reshape")(tensor=tensor, shape=_sizes(shape), name=name)


def _sizes(shape):
    """A shape argument as an int vector; an empty list is one too."""
    if isinstance(shape, (list, tuple)) and not shape:
        return ints([], "shape")
    return shape


@export("squeeze")
def squeeze(input, axis=None, name=None):
    """The tensor without its dimensions of size 1.

    Args:
      input: tensor of any shape.
      axis: int or list of ints, the dimensions to remove; None: all of size 1.
      name: name of the node.

    Returns:
      Tensor that shares the elements.

    Raises:
      InvalidArgumentError: a given dimension does not have size 1 (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.squeeze([[[1], [2]]]).shape
      TensorShape([2])
    """
    if is_tensor(axis):
        raise TypeError(f"Expected list for 'axis' argument to 'squeeze' Op, not {axis!r}.")
    dims = [] if axis is None else [axis] if isinstance(axis, (numbers.Real, str)) else list(axis)
    for dim in dims:
        if isinstance(dim, str):
            raise TypeError(f"Expected int for argument 'axis' not {dim!r}.")
    return op("Squeeze")(input=input, squeeze_dims=[int(d) for d in dims], name=name)


@export("expand_dims")
def expand_dims(input, axis, name=None):
    """The tensor with a dimension of size 1 inserted.

    Args:
      input: tensor of rank r.
      axis: int scalar in [-r - 1, r], the position of the new dimension.
      name: name of the node.

    Returns:
      Tensor of rank r + 1 that shares the elements.

    Raises:
      InvalidArgumentError: the axis is out of range (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.expand_dims([1, 2], -1).shape
      TensorShape([2, 1])
    """
    return op("ExpandDims")(input=input, dim=axis, name=name)


@export("transpose")
def transpose(a, perm=None, conjugate=False, name="transpose"):
    """The tensor with its dimensions permuted.

    Args:
      a: tensor of rank r.
      perm: int vector of r axes: dimension i of the result is dimension perm[i] of `a`; None reverses the order.
      conjugate: whether complex elements are conjugated.
      name: name of the node.

    Returns:
      Tensor of a's dtype.

    Raises:
      InvalidArgumentError: perm is not a permutation of the axes (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.transpose([[1, 2, 3]]).shape
      TensorShape([3, 1])
    """
    with name_scope(name or "transpose") as scope:
        a = convert(a, name="a")
        if perm is None:
            if a.shape.rank is not None:
                perm = ints(builtins.range(a.shape.rank - 1, -1, -1), "perm")
            else:
                count = op("Rank")(input=a)
                perm = op("Sub")(x=op("Sub")(x=count, y=1), y=op("Range")(start=0, limit=count, delta=1))
        elif isinstance(perm, (list, tuple)) and not perm:
            perm = ints([], "perm")
        kind = "ConjugateTranspose" if conjugate and a.dtype.is_complex else "Transpose"
        return op(kind)(x=a, perm=perm, name=scope)


@export("concat")
def concat(values, axis, name="concat"):
    """Concatenates tensors along an axis.

    Args:
      values: list of tensors of one dtype whose shapes are equal except along `axis`; or one tensor.
      axis: int scalar in [-rank, rank).
      name: name of the node.

    Returns:
      Tensor whose size along `axis` is the sum of the values' sizes.

    Raises:
      InvalidArgumentError: the shapes do not match or the axis is out of range (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.concat([[1, 2], [3]], 0)
      <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with name_scope(name or "concat"):
            convert(axis, dtype="int32", name="concat_dim").shape.assert_has_rank(0)
            return identity(values[0], name=name or "concat")
    return op("ConcatV2")(values=list(values), axis=axis, name=name or "concat")


@export("stack")
def stack(values, axis=0, name="stack"):
    """Stacks tensors of the same shape along a new axis.

    Args:
      values: list of n tensors of one dtype and shape; or one tensor, whose rows they are.
      axis: int in [-(rank + 1), rank], the position of the new axis.
      name: name of the node.

    Returns:
      Tensor of rank + 1 dimensions, of size n along `axis`.

    Raises:
      ValueError: the axis is out of range.
      InvalidArgumentError: the shapes differ (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
      [[1, 3], [2, 4]]
    """
    if axis == 0 and not isinstance(values, (list, tuple)):
        try:
            return convert(values)
        except (TypeError, ValueError):
            pass  # an iterable of tensors
    items = [values[i] for i in builtins.range(len(values))] if is_tensor(values) else list(values)
    if axis == 0 and not any(is_tensor(v) or hasattr(v, "__tf_tensor__") for v in items):
        try:
            return constant(items, None, name or "stack")
        except (TypeError, ValueError):
            pass  # a list that is not constant is packed below, which reports errors
    if items and (axis != 0 or items[0] is None):
        first = convert(items[0], name=name)  # the shape that all have; None is an error
        if first.shape.rank is not None and not fits(axis, first.shape.rank + 1):
            limit = first.shape.rank + 1
            raise ValueError(f"Argument `axis` = {axis} not in range [{-limit}, {limit})")
    return op("Pack")(values=items, axis=axis, name=name or "stack")


@export("unstack")
def unstack(value, num=None, axis=0, name="unstack"):
    """The slices of a tensor along an axis, with that axis removed.

    Args:
      value: tensor of rank at least 1.
      num: int, the size along `axis`; None: taken from the static shape.
      axis: int in [-rank, rank).
      name: name of the node.

    Returns:
      List of `num` tensors.

    Raises:
      ValueError: the axis is out of range, or `num` is None and the size is not known while tracing.

    Example:
      >>> import tracefn as tf
      >>> [int(x) for x in tf.unstack([1, 2, 3])]
      [1, 2, 3]
    """
    if num is None:
        value = convert(value)
        dims = value.shape
        if dims.rank is not None:
            if not fits(axis, dims.rank):
                raise ValueError(f"Argument `axis` = {axis} not in range [{-dims.rank}, {dims.rank})")
            num = dims.as_list()[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {dims}")
    return op("Unpack")(value=value, num=num, axis=axis, name=name or "unstack")


@export("split")
def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    """Splits a tensor into pieces along an axis.

    Args:
      value: tensor of rank at least 1.
      num_or_size_splits: int, the number of equal pieces; or int vector, their sizes, one of which may be -1.
      axis: int scalar in [-rank, rank).
      num: int, the number of sizes, if it is not known while tracing.
      name: name of the node.

    Returns:
      List of tensors.

    Raises:
      ValueError: a scalar tensor is given as sizes, or their number is not known.
      InvalidArgumentError: the sizes do not fit the tensor (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> [x.numpy().tolist() for x in tf.split([1, 2, 3], [1, -1])]
      [[1], [2, 3]]
    """
    if isinstance(num_or_size_splits, (numbers.Integral, Dimension)):
        count = int(num_or_size_splits)
        return op("Split")(split_dim=axis, value=value, num_split=count, name=name or "split")
    sizes = convert(num_or_size_splits)
    if sizes.shape.rank == 0:
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument provided: "
            f"{num_or_size_splits}"
        )
    if num is None:
        num = sizes.shape.as_list()[0] if sizes.shape.rank == 1 else None
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {num_or_size_splits}")
    return op("SplitV")(value=value, size_splits=sizes, split_dim=axis, num_split=num, name=name or "split")


@export("batch_to_space")
def batch_to_space(input, block_shape, crops, name=None):
    """Moves blocks out of the batch, next to each other, and crops the result.

    Args:
      input: tensor of rank at least m + 1; its first size is a multiple of the product of block_shape.
      block_shape: int vector of m sizes of the blocks; an int for two dimensions of that size.
      crops: int matrix of shape (m, 2): how much is cut off before and after, along each dimension.
      name: name of the node.

    Raises:
      InvalidArgumentError: the shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.batch_to_space([[[[1]]], [[[2]]], [[[3]]], [[[4]]]], 2, [[0, 0], [0, 0]]).numpy().reshape(2, 2).tolist()
      [[1, 2], [3, 4]]
    """
    if isinstance(block_shape, int):
        block_shape = [block_shape] * 2
    return op("BatchToSpaceND")(input=input, block_shape=block_shape, crops=crops, name=name)


@export("pad")
def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    """Pads a tensor.

    Args:
      tensor: tensor of rank r.
      paddings: int tensor of shape [r, 2]: the number of elements before and after it along each dimension.
      mode: "CONSTANT", "REFLECT" (mirrored without repeating the border) or "SYMMETRIC" (mirrored with the border).
      constant_values: scalar of tensor's dtype, for mode "CONSTANT".
      name: name of the node.

    Returns:
      Tensor of tensor's dtype.

    Raises:
      ValueError: `mode` has another value.
      InvalidArgumentError: a padding is negative or does not fit (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.pad([1, 2], [[1, 0]]).numpy().tolist()
      [0, 1, 2]
    """
    kind = mode.upper()
    if kind == "CONSTANT":
        if not is_tensor(constant_values) and constant_values == 0:
            padded = op("Pad")(input=tensor, paddings=paddings, name=name)
        else:
            padded = op("PadV2")(input=tensor, paddings=paddings, constant_values=constant_values, name=name)
    elif kind in ("REFLECT", "SYMMETRIC"):
        padded = op("MirrorPad")(input=tensor, paddings=paddings, mode=kind, name=name)
    else:
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {kind}"
        )
    if isinstance(padded, _core.SymbolicTensor) and not padded.shape.is_fully_defined():
        _tell_known_sizes(padded, paddings)
    return padded


def _known_paddings(paddings):
    """Nested lists or arrays of the paddings that are known, with None for the others; None if none is."""
    if isinstance(paddings, (list, tuple)):
        return [_known_paddings(item) for item in paddings]
    return get_static_value(paddings, partial=True)


def _tell_known_sizes(padded, paddings) -> None:
    """Sets the sizes of a padded tensor along the dimensions whose paddings are known."""
    known, sizes = _known_paddings(paddings), padded.op.inputs[0].shape
    if known is None or sizes.rank is None:
        return
    padded.set_shape(
        [
            None if size is None or pair is None or any(n is None for n in pair) else size + int(sum(pair))
            for pair, size in zip(known, sizes.as_list(), strict=True)
        ]
    )


@export("reverse_sequence")
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None):
    """Reverses the first seq_lengths[b] elements along one axis, for each index b along another.

    Args:
      input: tensor of any dtype.
      seq_lengths: int vector of input.shape[batch_axis] lengths.
      seq_axis: int, the axis along which elements are reversed.
      batch_axis: int; 0 if None.
      name: name of the node.

    Returns:
      Tensor of input's shape.

    Raises:
      InvalidArgumentError: a length is negative or too large (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.reverse_sequence([[1, 2, 3]], [2], seq_axis=1).numpy().tolist()
      [[2, 1, 3]]
    """
    return op("ReverseSequence")(
        input=input, seq_lengths=seq_lengths, seq_dim=seq_axis, batch_dim=batch_axis or 0, name=name
    )


@export("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x, shape_y):
    """The shape that tensors of two shapes broadcast to.

    Args:
      shape_x, shape_y: int32 or int64 vectors.

    Returns:
      Vector of their dtype.

    Raises:
      InvalidArgumentError: they do not broadcast.

    Example:
      >>> import tracefn as tf
      >>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy().tolist()
      [2, 3]
    """
    return op("BroadcastArgs")(s0=shape_x, s1=shape_y)


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x, shape_y):
    """The static shape that tensors of two static shapes broadcast to.

    Args:
      shape_x: TensorShape.
      shape_y: TensorShape.

    Returns:
      TensorShape; of unknown rank if one of them is.

    Raises:
      ValueError: they do not broadcast.

    Example:
      >>> import tracefn as tf
      >>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
      TensorShape([2, 3])
    """
    if shape_x.rank is None or shape_y.rank is None:
        return TensorShape(None)
    a, b = shape_x.as_list(), shape_y.as_list()
    out = []
    for i in builtins.range(max(len(a), len(b)), 0, -1):
        x = a[-i] if i <= len(a) else 1
        y = b[-i] if i <= len(b) else 1
        if x == y or y == 1:
            out.append(x)
        elif x == 1:
            out.append(y)
        elif x is None or y is None:
            out.append(x or y)
        else:
            raise ValueError(
                f"Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are "
                f"either equal or one of them is 1. Received: {shape_x} and {shape_y}."
            )
    return TensorShape(out)
