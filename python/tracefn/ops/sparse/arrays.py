"""SparseTensors in another order, shape or place: reorder, transpose, reshape, concat, split, slice, retain."""

from __future__ import annotations

import numbers

from tracefn import _core
from tracefn import _numpy as np
from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.dimension import Dimension
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.casting import cast
from tracefn.ops.debugging import check_equal, check_less_equal
from tracefn.ops.indexing import gather
from tracefn.ops.ragged.row_partition import after
from tracefn.ops.sparse.tensor import SparseTensor, parts, require_sparse, static_shape
from tracefn.tensor_shape import TensorShape


def _identity(tensor):
    return op("Identity")(input=tensor)


@export("sparse.reorder")
def reorder(sp_input, name=None):
    """A SparseTensor with its places in row-major order.

    Args:
      sp_input: SparseTensor.
      name: name of the node.

    Returns:
      SparseTensor of the same shape and dtype.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1]], [7, 5], [2, 3]))
      >>> sp.indices.numpy().tolist(), sp.values.numpy().tolist()
      ([[0, 1], [1, 0]], [5, 7])
    """
    sp_input = require_sparse(sp_input)
    indices, values = op("SparseReorder")(**parts("input_", sp_input), name=name)
    if sp_input.shape.is_fully_defined():
        return SparseTensor(indices, values, sp_input.shape.as_list())
    ordered = SparseTensor(indices, values, _identity(sp_input.dense_shape))
    ordered.set_shape(sp_input.shape)
    return ordered


@export("sparse.transpose")
def transpose(sp_input, perm=None, name=None):
    """A SparseTensor with its dimensions in another order.

    Args:
      sp_input: SparseTensor.
      perm: int vector: dimension i of the result is perm[i] of the input; None: the reverse order.
      name: name of the scope.

    Returns:
      SparseTensor in row-major order.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.sparse.transpose(tf.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 3]))
      >>> tf.sparse.to_dense(sp).numpy().tolist()
      [[0, 7], [5, 0], [0, 0]]
    """
    with name_scope(name or "SparseTranspose"):
        if perm is None:
            rank = sp_input.shape.rank
            if rank is not None:
                perm = list(range(rank - 1, -1, -1))
            else:
                rank = op("Size")(input=sp_input.dense_shape)
                perm = (rank - 1) - op("Range")(start=0, limit=rank, delta=1)
        perm = convert(perm, dtype="int32") if isinstance(perm, list) and not perm else convert(perm)
        if perm.shape.rank == 1:
            Dimension(perm.shape[0]).assert_is_compatible_with(sp_input.shape.rank)
        columns = gather(op("Transpose")(x=sp_input.indices, perm=[1, 0]), perm)
        known = get_static_value(perm)
        if known is not None and sp_input.shape.is_fully_defined():
            sizes = sp_input.shape.as_list()
            shape = constant([sizes[axis] for axis in known], "int64")
        else:
            shape = gather(sp_input.dense_shape, perm)
        indices = op("Transpose")(x=columns, perm=[1, 0])
        return reorder(SparseTensor(indices, sp_input.values, shape))


@export("sparse.expand_dims")
def expand_dims(sp_input, axis=None, name=None):
    """A SparseTensor with a dimension of size 1 inserted.

    Args:
      sp_input: SparseTensor of rank n.
      axis: int scalar in [-n - 1, n], the index of the new dimension; None: -1.
      name: name of the scope.

    Returns:
      SparseTensor of rank n + 1.

    Raises:
      TypeError: `axis` is no integer.

    Example:
      >>> import tracefn as tf
      >>> tf.sparse.expand_dims(tf.SparseTensor([[1]], [5], [3]), 0).shape
      TensorShape([1, 3])
    """
    rank = sp_input.dense_shape.shape[0]
    if rank is None:
        rank = op("Shape")(input=sp_input.dense_shape)[0]
    axis = -1 if axis is None else axis
    with name_scope(name or "expand_dims"):
        if isinstance(axis, numbers.Integral):
            axis = convert(axis, dtype="int32", name="axis")
        elif not isinstance(axis, _core.Tensor):
            raise TypeError("axis must be an integer value in range [-rank(sp_input) - 1, rank(sp_input)]")
        axis = op("SelectV2")(condition=axis >= 0, t=axis, e=axis + rank + 1)
        count = op("Shape")(input=sp_input.indices)[0]
        column = op("Fill")(dims=op("Pack")(values=[count, 1]), value=constant(0, "int64"))

        def part(x, begin, size):
            return op("Slice")(input=x, begin=begin, size=size)

        before = part(sp_input.indices, [0, 0], op("Pack")(values=[-1, axis]))
        behind = part(sp_input.indices, op("Pack")(values=[0, axis]), [-1, -1])
        one = op("Pack")(values=[axis])
        sizes = [part(sp_input.dense_shape, [0], one), constant([1], "int64"), part(sp_input.dense_shape, one, [-1])]
        return SparseTensor(
            op("ConcatV2")(values=[before, column, behind], axis=1),
            sp_input.values,
            op("ConcatV2")(values=sizes, axis=0),
        )


@export("sparse.reshape")
def reshape(sp_input, shape, name=None):
    """A SparseTensor with another shape of equally many elements.

    Args:
      sp_input: SparseTensor.
      shape: int vector; one size may be -1.
      name: name of the scope.

    Returns:
      SparseTensor of that shape.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
      ValueError: the numbers of elements differ, as far as they are known.
      InvalidArgumentError: they differ.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.sparse.reshape(tf.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 3]), [3, -1])
      >>> tf.sparse.to_dense(sp).numpy().tolist()
      [[0, 5], [0, 7], [0, 0]]
    """
    sp_input = require_sparse(sp_input)
    shape = cast(shape, "int64")
    with name_scope(name or "SparseReshape") as scope:
        indices, sizes = op("SparseReshape")(
            input_indices=sp_input.indices, input_shape=sp_input.dense_shape, new_shape=shape, name=scope
        )
        told = static_shape(shape)
        if told.rank is not None and sp_input.shape.is_fully_defined():
            known = _reshaped(sp_input.shape.num_elements(), told.as_list(), get_static_value(shape))
            if known is not None:
                sizes = constant(known, "int64")
        return SparseTensor(indices, _identity(sp_input.values), sizes)


def _reshaped(elements: int, new: list, given) -> list | None:
    """The sizes of the new shape of so many elements, with that of the open dimension, if they are known."""
    if given is not None and sum(size == -1 for size in given) > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {given}")
    sizes = list(new)
    missing = sizes.count(None)
    if missing == 1 and 0 not in sizes:
        rest = 1
        for size in sizes:
            rest *= 1 if size is None else size
        sizes[sizes.index(None)] = elements // rest
    elif missing:
        return None
    made = TensorShape(sizes).num_elements()
    if made != elements:
        raise ValueError(f"Cannot reshape a tensor with {elements} elements to shape {new} ({made} elements).")
    return sizes


@export("sparse.reset_shape")
def reset_shape(sp_input, new_shape=None):
    """A SparseTensor with the same values in a larger shape, or in the smallest one that holds them.

    Args:
      sp_input: SparseTensor.
      new_shape: int vector, no size smaller than the present one; None: just large enough for the given places.

    Returns:
      SparseTensor.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
      ValueError: `new_shape` has another rank, or is too small as far as shapes are known.
      InvalidArgumentError: the same for shapes that are not known while tracing.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.SparseTensor([[0, 1], [1, 0]], [5, 7], [4, 9])
      >>> tf.sparse.reset_shape(sp).shape, tf.sparse.reset_shape(sp, [5, 9]).shape
      (TensorShape([2, 2]), TensorShape([5, 9]))
    """
    sp_input = require_sparse(sp_input)
    indices, values, shape = (_identity(x) for x in (sp_input.indices, sp_input.values, sp_input.dense_shape))
    if new_shape is None:
        largest = op("Max")(input=indices, reduction_indices=[0])
        one_more = op("AddV2")(x=largest, y=op("OnesLike")(x=shape))
        return SparseTensor(indices, values, op("Maximum")(x=constant(0, "int64"), y=one_more))
    sizes = convert(new_shape)
    sizes.shape.assert_has_rank(1)
    sizes = cast(sizes, "int64")
    sizes.shape[:1].assert_is_compatible_with(shape.shape[:1])
    known = get_static_value(sizes)
    if known is not None and sp_input.shape.is_fully_defined():
        old = np.array(sp_input.shape.as_list())
        if not np.all(old <= known):
            raise ValueError(
                "Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape "
                f"({old}), sp_input.shape ({known})."
            )
        return SparseTensor(indices, values, known)
    sizes = after([check_equal(op("Shape")(input=shape), op("Shape")(input=sizes))], sizes)
    return SparseTensor(indices, values, after([check_less_equal(shape, sizes)], sizes))


@export("sparse.retain")
def retain(sp_input, to_retain):
    """Some values of a SparseTensor.

    Args:
      sp_input: SparseTensor with n values.
      to_retain: bool vector [n]: whether each value is kept.

    Returns:
      SparseTensor of the same shape.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
      ValueError: `to_retain` is not a vector, or has another length.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 3])
      >>> tf.sparse.retain(sp, [False, True]).values.numpy().tolist()
      [7]
    """
    sp_input = require_sparse(sp_input)
    to_retain = convert(to_retain)
    to_retain.shape.assert_has_rank(1)
    if sp_input.values.shape.rank is not None:
        sp_input.values.shape.dims[0].assert_is_compatible_with(to_retain.shape.dims[0])
    kept = op("Reshape")(tensor=op("Where")(input=to_retain), shape=[-1])
    return SparseTensor(gather(sp_input.indices, kept), gather(sp_input.values, kept), _identity(sp_input.dense_shape))


@export("sparse.slice")
def slice(sp_input, start, size, name=None):
    """A part of a SparseTensor.

    Args:
      sp_input: SparseTensor.
      start: int64 vector: where the part begins in each dimension.
      size: int64 vector: its size; the part ends where the tensor does.
      name: name of the scope.

    Returns:
      SparseTensor.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
      InvalidArgumentError: a size is negative, or a vector has another length.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.sparse.slice(tf.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 3]), [0, 1], [2, 5])
      >>> tf.sparse.to_dense(sp).numpy().tolist()
      [[5, 0], [0, 0]]
    """
    sp_input = require_sparse(sp_input)
    start, size = convert(start, dtype="int64"), convert(size, dtype="int64")
    with name_scope(name or "SparseSlice") as scope:
        return SparseTensor(*op("SparseSlice")(**parts("", sp_input), start=start, size=size, name=scope))


@export("sparse.split")
def split(sp_input=None, num_split=None, axis=None, name=None):
    """Pieces of a SparseTensor along a dimension.

    Args:
      sp_input: SparseTensor.
      num_split: int, the number of pieces; if the size is not divisible by it, the first pieces are longer by one.
      axis: int scalar, the dimension.
      name: name of the node.

    Returns:
      List of SparseTensors.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
      ValueError: an argument is missing.
      InvalidArgumentError: `axis` is out of range, or there are more pieces than elements.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.SparseTensor([[0, 1], [1, 2]], [5, 7], [2, 3])
      >>> [piece.shape.as_list() for piece in tf.sparse.split(sp, 2, axis=1)]
      [[2, 2], [2, 1]]
    """
    for value, what in ((sp_input, "sp_input"), (num_split, "num_split"), (axis, "axis")):
        if value is None:
            raise ValueError(f"{what} is required")
    sp_input = require_sparse(sp_input)
    split_dim = axis if isinstance(axis, _core.Tensor) else convert(axis, dtype="int64")
    found = op("SparseSplit")(split_dim=split_dim, **parts("", sp_input), num_split=num_split, name=name)
    return [SparseTensor(*piece) for piece in zip(*found, strict=True)]


@export("sparse.concat")
def sparse_concat(axis, sp_inputs, expand_nonconcat_dims=False, name=None):
    """SparseTensors, one behind the other along a dimension.

    Args:
      axis: int, the dimension.
      sp_inputs: list of SparseTensors of equal rank and dtype.
      expand_nonconcat_dims: whether the other dimensions may differ; the result has the largest size of each.
      name: name of the node.

    Returns:
      SparseTensor in row-major order.

    Raises:
      TypeError: `sp_inputs` is not a list or tuple of SparseTensors.
      InvalidArgumentError: ranks or sizes differ.

    Example:
      >>> import tracefn as tf
      >>> sp = tf.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 3])
      >>> tf.sparse.concat(0, [sp, sp]).shape
      TensorShape([4, 3])
    """
    if not isinstance(sp_inputs, (list, tuple)):
        raise TypeError("Inputs must be a list or tuple.")
    inputs = [require_sparse(sp) for sp in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    shapes = [sp.dense_shape for sp in inputs]
    if expand_nonconcat_dims:
        rows = [op("Reshape")(tensor=shape, shape=[1, -1]) for shape in shapes]
        largest = op("Max")(input=op("ConcatV2")(values=rows, axis=0), reduction_indices=[0])
        behind = [] if axis == -1 else [largest[axis + 1:]]
        shapes = [
            op("ConcatV2")(values=[largest[:axis], shape[-1:] if axis == -1 else shape[axis:axis + 1], *behind], axis=0)
            for shape in shapes
        ]
    indices, values, shape = op("SparseConcat")(
        indices=[sp.indices for sp in inputs],
        values=[sp.values for sp in inputs],
        shapes=shapes,
        concat_dim=axis,
        name=name,
    )
    joined = _joined_shape(axis, [sp.shape for sp in inputs], expand_nonconcat_dims)
    if joined.is_fully_defined():
        return SparseTensor(indices, values, constant(joined.as_list(), "int64"))
    result = SparseTensor(indices, values, shape)
    result.set_shape(joined)
    return result


def _joined_shape(axis: int, shapes: list[TensorShape], expand: bool) -> TensorShape:
    """What is known of the shape of a concatenation."""
    if any(shape.rank is None for shape in shapes):
        return TensorShape(None)

    def along(i):
        sizes = [shape[i] for shape in shapes]
        return None if None in sizes else sizes

    sizes = shapes[0].as_list()
    if expand:
        sizes = [None if along(i) is None else max(along(i)) for i in range(len(sizes))]
    sizes[axis] = None if along(axis) is None else sum(along(axis))
    return TensorShape(sizes)


@export("sparse.fill_empty_rows")
def fill_empty_rows(sp_input, default_value, name=None):
    """A SparseTensor with a value at the start of each row that had none.

    Args:
      sp_input: SparseTensor.
      default_value: scalar of its dtype.
      name: name of the scope.

    Returns:
      (SparseTensor, bool vector): the filled tensor, and which rows were empty.

    Raises:
      TypeError: `sp_input` is not a SparseTensor.
      InvalidArgumentError: a row is out of range.

    Example:
      >>> import tracefn as tf
      >>> sp, empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 2]], [5], [3, 4]), 9)
      >>> sp.indices.numpy().tolist(), sp.values.numpy().tolist(), empty.numpy().tolist()
      ([[0, 0], [1, 2], [2, 0]], [9, 5, 9], [True, False, True])
    """
    sp_input = require_sparse(sp_input)
    with name_scope(name or "SparseFillEmptyRows"):
        default_value = convert(default_value, dtype=sp_input.dtype)
        indices, values, empty, _ = op("SparseFillEmptyRows")(
            **parts("", sp_input, "dense_shape"), default_value=default_value
        )
        return SparseTensor(indices, values, sp_input.dense_shape), empty
