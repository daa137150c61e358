"""Ragged tensors from and to dense and sparse ones, and variants."""

from __future__ import annotations

import itertools

from tracefn import _core
from tracefn.dtypes import as_dtype, int32, int64
from tracefn.framework import control_dependencies
from tracefn.ops._build import constant, convert, int_tensor, name_scope, op
from tracefn.ops.array_creation import sequence_mask
from tracefn.ops.debugging import assert_
from tracefn.ops.indexing import boolean_mask
from tracefn.ops.ragged.row_partition import cast, size_of
from tracefn.ops.reduction import reduce_all, reduce_any
from tracefn.ops.sparse.tensor import SparseTensor, is_sparse
from tracefn.tensor_shape import as_shape


def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype=int64):
    """The rows of a tensor, without what fills them up.

    Args:
      tensor: tensor of rank at least ragged_rank + 1.
      lengths: int vector, the lengths of the rows; or a list of such vectors, one for each ragged dimension; or None.
      padding: value (shape tensor.shape[2:]) that is cut off at the ends of rows, or None. Not together with `lengths`.
      ragged_rank: int, the number of ragged dimensions.
      name: name of the ops.
      row_splits_dtype: int32 or int64.

    Returns:
      RaggedTensor.

    Raises:
      ValueError: the rank is too small, or the arguments do not fit.
      TypeError: `lengths` are not integers.

    >>> tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]], padding=0)
    <tf.RaggedTensor [[5, 7], [0, 3], [6]]>
    """
    kind = as_dtype(row_splits_dtype)
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    with name_scope(name or "RaggedFromTensor"):
        tensor = convert(tensor, name="tensor")
        rank = tensor.shape.rank
        if rank is not None and rank < 2:
            raise ValueError("The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have ragged "
                             f"dimensions. Received argument `tensor` with rank {rank}.")
        tensor.shape.with_rank_at_least(ragged_rank + 1)
        if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, float)):
            return _of_nested_lengths(cls, tensor, lengths, ragged_rank)
        sizes = op("Shape")(input=tensor, out_type=kind)
        if ragged_rank > 1:
            return _of_higher_rank(cls, tensor, sizes, lengths, padding, ragged_rank, kind)
        if padding is not None:
            lengths = _lengths_without(padding, tensor, sizes[1], kind)
        if lengths is not None:
            return _of_lengths(cls, tensor, lengths, sizes[1], kind)
        shape = op("ConcatV2")(values=[op("Pack")(values=[sizes[0] * sizes[1]]), sizes[2:]], axis=0)
        rows, length = (_size(tensor, sizes, axis, kind) for axis in (0, 1))
        values = op("Reshape")(tensor=tensor, shape=shape)
        return cls.from_uniform_row_length(values, length, nrows=rows, validate=False)


def _size(tensor, sizes, axis: int, kind):
    known = size_of(tensor.shape, axis)
    return sizes[axis] if known is None else constant(known, kind)


def _of_nested_lengths(cls, tensor, lengths, ragged_rank: int):
    """A tensor without what exceeds the lengths of the rows of all ragged dimensions."""
    if ragged_rank not in (1, len(lengths)):
        raise ValueError("If Argument `lengths` is a tuple of row_lengths, argument `ragged_rank` must be len(lengths): "
                         f"{len(lengths)}. Received ragged_rank: {ragged_rank}.")
    tensor.shape.with_rank_at_least(len(lengths) + 1)
    count = op("Sum")(input=lengths[-1], reduction_indices=0)
    ones = op("Fill")(dims=op("Pack")(values=[count]), value=True)
    mask = cls.from_nested_row_lengths(ones, lengths, validate=False)
    values = boolean_mask(tensor, to_tensor(mask, default_value=False))
    return cls.from_nested_row_lengths(values, lengths, validate=False)


def _of_higher_rank(cls, tensor, sizes, lengths, padding, ragged_rank: int, kind):
    """A tensor with `ragged_rank` ragged dimensions, all but the last of which are uniform."""
    if tensor.shape.is_fully_defined():
        known = tensor.shape.as_list()
        products = list(itertools.accumulate(known, lambda a, b: a * b))
        shape = [products[ragged_rank - 1], *known[ragged_rank:]]
    else:
        products = op("Cumprod")(x=sizes, axis=0)
        rows = op("Pack")(values=[products[ragged_rank - 1]])
        shape = op("ConcatV2")(values=[rows, sizes[ragged_rank:]], axis=0)
    flat = op("Reshape")(tensor=tensor, shape=shape)
    if tensor.shape.rank is not None:
        flat.set_shape([None, *tensor.shape.as_list()[ragged_rank:]])
    result = from_tensor(cls, flat, lengths, padding, row_splits_dtype=kind)
    for axis in range(ragged_rank - 1, 0, -1):
        result = cls.from_uniform_row_length(result, _size(tensor, sizes, axis, kind), nrows=products[axis - 1],
                                             validate=False)
    return result


def _lengths_without(padding, tensor, columns, kind):
    """The lengths of the rows without the padding at their ends."""
    padding = convert(padding, dtype=tensor.dtype, name="padding")
    padding.shape.assert_is_compatible_with(tensor.shape[2:])
    is_value = op("NotEqual")(x=tensor, y=padding)
    inner = op("Range")(start=2, limit=op("Rank")(input=tensor), delta=1)
    is_value = op("Any")(input=is_value, reduction_indices=inner)
    is_value.set_shape([None, None])
    is_value.set_shape(tensor.shape[:2])
    numbers = op("Range")(start=constant(1, kind), limit=columns + 1, delta=constant(1, kind))
    return op("Max")(input=cast(is_value, kind) * op("ExpandDims")(input=numbers, dim=0), reduction_indices=1)


def _of_lengths(cls, tensor, lengths, columns, kind):
    lengths = int_tensor(lengths, "lengths", kind)
    lengths.shape.assert_has_rank(1)
    lengths = op("Maximum")(x=op("Minimum")(x=lengths, y=columns), y=constant(0, kind))
    splits = op("ConcatV2")(values=[constant([0], kind), op("Cumsum")(x=lengths, axis=0)], axis=0)
    values = boolean_mask(tensor, sequence_mask(lengths, maxlen=columns))
    return cls.from_row_splits(values, splits, validate=False)


def _partition_tensors(rt) -> list:
    """(kind, tensor) of the row partitions, as RaggedTensorToTensor takes them."""
    first, *others = rt._nested_row_partitions
    if first._value_rowids is not None:
        pairs = [("FIRST_DIM_SIZE", first.nrows()), ("VALUE_ROWIDS", first.value_rowids())]
    else:
        pairs = [("ROW_SPLITS", first.row_splits())]
    for partition in others:
        if partition._has_precomputed_value_rowids():
            pairs.append(("VALUE_ROWIDS", partition.value_rowids()))
        else:
            pairs.append(("ROW_SPLITS", partition.row_splits()))
    return pairs


def _shape_tensor(shape, dtype):
    """A wanted shape as RaggedTensorToTensor takes it: -1 for unknown sizes."""
    if isinstance(shape, _core.Tensor):
        return shape if shape.dtype in (int32, int64) else cast(shape, dtype)
    shape = as_shape(shape)
    if shape.rank is None or shape.rank == 0:
        return constant(-1, dtype)
    return constant([-1 if size is None else size for size in shape.as_list()], dtype)


def to_tensor(self, default_value=None, name=None, shape=None):
    """The rows in a tensor, filled up with a default value.

    Args:
      default_value: what to fill up with; 0 or the empty string by default. Broadcast to the shape of a value.
      name: name of the ops.
      shape: shape of the result; longer rows are cut, and None stands for the longest row. By default the bounding shape.

    Returns:
      Tensor.

    Raises:
      InvalidArgumentError: the shape does not fit.

    >>> tf.ragged.constant([[9, 8, 7], [], [6, 5]]).to_tensor(default_value=-1).numpy().tolist()
    [[9, 8, 7], [-1, -1, -1], [6, 5, -1]]
    """
    with name_scope(name or "RaggedToTensor"):
        if default_value is None:
            default_value = "" if self.dtype.name == "string" else constant(0, self.dtype)
        default_value = convert(default_value, dtype=self.dtype, name="default_value")
        pairs = _partition_tensors(self)
        if isinstance(shape, (list, tuple)) and any(isinstance(size, _core.Tensor) for size in shape):
            shape = op("Pack")(values=list(shape))
        tensor = op("RaggedTensorToTensor")(
            shape=_shape_tensor(shape, pairs[0][1].dtype), values=self.flat_values, default_value=default_value,
            row_partition_types=[pair[0] for pair in pairs], row_partition_tensors=[pair[1] for pair in pairs])
        known = self.shape
        if known.rank is not None and not isinstance(shape, _core.Tensor):
            shape = as_shape(shape)
            if shape.rank is not None:
                known = [a if a is not None else b for a, b in zip(shape.as_list(), known.as_list(), strict=True)]
            tensor.set_shape(known)
        return tensor


def from_sparse(cls, st_input, name=None, row_splits_dtype=int64):
    """The rows of a SparseTensor with two dimensions, whose values are at the starts of its rows, without gaps.

    Args:
      st_input: SparseTensor of rank 2.
      name: name of the ops.
      row_splits_dtype: int32 or int64.

    Returns:
      RaggedTensor.

    Raises:
      TypeError: `st_input` is not a SparseTensor.
      ValueError: its rank is not 2.
      InvalidArgumentError: there are gaps.

    >>> st = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 4])
    >>> tf.RaggedTensor.from_sparse(st)
    <tf.RaggedTensor [[1, 2], [], [3]]>
    """
    kind = as_dtype(row_splits_dtype)
    if not is_sparse(st_input):
        raise TypeError("Argument `st_input` must be of type SparseTensor, but is of type "
                        f"{type(st_input).__name__}.")
    with name_scope(name or "RaggedFromSparse"):
        indices, sizes = st_input.indices, st_input.dense_shape
        if 2 not in (size_of(sizes.shape, 0), size_of(indices.shape, 1)):
            raise ValueError("rank(st_input) must be 2.")
        rows, columns = indices[:, :-1], indices[:, -1]
        zero = constant(0, int64)
        is_new = reduce_any(op("NotEqual")(x=rows[1:], y=rows[:-1]), axis=1)
        follows = op("SelectV2")(condition=is_new, t=op("Equal")(x=columns[1:], y=zero),
                                 e=op("Equal")(x=columns[1:], y=columns[:-1] + 1))
        fits = op("LogicalAnd")(x=reduce_all(op("Equal")(x=columns[:1], y=zero)), y=reduce_all(follows))
        check = assert_(fits, ["SparseTensor is not right-ragged", "SparseTensor.indices =", indices])
        with control_dependencies([] if check is None else [check]):
            return cls.from_value_rowids(st_input.values, cast(indices[:, 0], kind), cast(sizes[0], kind),
                                         validate=False)


def to_sparse(self, name=None):
    """The elements in a SparseTensor.

    Args:
      name: name of the ops.

    Returns:
      SparseTensor of the same shape and dtype.

    >>> tf.ragged.constant([[1, 2], [], [3]]).to_sparse().indices.numpy().tolist()
    [[0, 0], [0, 1], [2, 0]]
    """
    with name_scope(name or "RaggedToSparse"):
        indices, values, shape = op("RaggedTensorToSparse")(rt_nested_splits=list(self.nested_row_splits),
                                                           rt_dense_values=self.flat_values, name=name)
        return SparseTensor(indices, values, shape)


def _from_variant(cls, variant, dtype, output_ragged_rank, input_ragged_rank=None, row_splits_dtype=int64, name=None):
    """The tensor that variants hold."""
    variant = convert(variant, dtype=as_dtype("variant"), name="variant")
    rank = variant.shape.rank
    if rank is not None and input_ragged_rank is not None and output_ragged_rank != input_ragged_rank + rank:
        raise ValueError(f"Argument `output_ragged_rank` ({output_ragged_rank}) must be equal to `input_ragged_rank` + "
                         f"`variant.shape.ndims` ({input_ragged_rank} + {rank}).")
    with name_scope(name or "RaggedFromVariant"):
        splits, values = op("RaggedTensorFromVariant")(
            encoded_ragged=variant, input_ragged_rank=-1 if input_ragged_rank is None else input_ragged_rank,
            output_ragged_rank=max(output_ragged_rank, 0), Tvalues=as_dtype(dtype), Tsplits=as_dtype(row_splits_dtype))
        return cls.from_nested_row_splits(values, splits, validate=False)


def _to_variant(self, batched_input=False, name=None):
    """The tensor as a variant, or each of its rows as one."""
    with name_scope(name or "RaggedToVariant"):
        return op("RaggedTensorToVariant")(rt_nested_splits=list(self.nested_row_splits), rt_dense_values=self.flat_values,
                                           batched_input=batched_input, name=name)


METHODS = {function.__name__: function for function in (to_tensor, to_sparse, _to_variant)}
CLASS_METHODS = {function.__name__: classmethod(function) for function in (from_tensor, from_sparse, _from_variant)}
