"""Functions that join, cut, repeat and rearrange ragged tensors."""

from __future__ import annotations

from tracefn import _core
from tracefn._static_value import get_static_value
from tracefn.dtypes import as_dtype
from tracefn.framework import control_dependencies
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.array_shape import concat as concat_tensors
from tracefn.ops.array_shape import stack as stack_tensors
from tracefn.ops.by_path import public_function
from tracefn.ops.debugging import assert_, check_equal, check_non_negative
from tracefn.ops.ragged.broadcast import match_dtypes, partitioned, row_numbers, splits_of
from tracefn.ops.ragged.getitem import pick_rows
from tracefn.ops.ragged.row_partition import after, cast, size_of
from tracefn.ops.ragged.tensor import RaggedTensor, convert_values, is_ragged, positive_axis


def concat(values, axis, name=None):
    """Tensors and ragged tensors of one rank, joined along an axis."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    with name_scope(name or "RaggedConcat"):
        return _joined(values, axis, stacked=False)


def stack(values, axis=0, name=None):
    """Tensors and ragged tensors of one rank, joined along a new axis."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    with name_scope(name or "RaggedConcat"):
        return _joined(values, axis, stacked=True)


def _joined(values, axis, stacked: bool):
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    values = [convert_values(value, "rt_input") for value in values]
    kind, _ = match_dtypes(*values)
    if len(values) == 1 and not stacked:
        return values[0]
    rank = None
    for value in values:
        if rank is None:
            rank = value.shape.rank
        else:
            value.shape.assert_has_rank(rank)
    out_rank = rank if rank is None or not stacked else rank + 1
    axis = positive_axis(axis, out_rank)
    return _joined_along(values, axis, rank, stacked, kind)


def _joined_along(values, axis: int, rank, stacked: bool, kind):
    if stacked and rank == 1 and axis == 0:
        lengths = concat_tensors([op("Shape")(input=value) for value in values], axis=0)
        return RaggedTensor.from_row_lengths(concat_tensors(values, axis=0), lengths)
    if not any(is_ragged(value) for value in values) and rank is not None and axis >= rank - 1:
        return (stack_tensors if stacked else concat_tensors)(values, axis)
    depth = max([1, *[value.ragged_rank for value in values if is_ragged(value)]])
    values = [partitioned(value, depth, kind) for value in values]
    if axis == 0:
        return _rows_joined(values, stacked, kind)
    if axis == 1:
        return _columns_joined(values, stacked, kind)
    first = values[0].row_splits
    message = "Inputs must have identical ragged splits"
    checks = [check_equal(first, value.row_splits, message=message) for value in values[1:]]
    with control_dependencies([check for check in checks if check is not None]):
        inner = _joined_along([value.values for value in values], axis - 1, None if rank is None else rank - 1, stacked,
                              kind)
        return RaggedTensor.from_row_splits(inner, first, validate=False)


def _rows_joined(values, stacked: bool, kind):
    """The rows of all values."""
    flat = concat_tensors([value.flat_values for value in values], axis=0)
    nested = []
    for same_depth in zip(*[value.nested_row_splits for value in values], strict=True):
        parts, offset = [same_depth[0]], same_depth[0][-1]
        for splits in same_depth[1:]:
            parts.append(splits[1:] + offset)
            offset = offset + splits[-1]
        nested.append(concat_tensors(parts, axis=0))
    if stacked:
        nested.insert(0, splits_of(cast(stack_tensors([value.nrows() for value in values]), kind)))
    return RaggedTensor.from_nested_row_splits(flat, nested, validate=False)  # type: ignore[attr-defined]


def _columns_joined(values, stacked: bool, kind):
    """Row by row, the rows of all values."""
    count, number = values[0].nrows(), len(values)
    checks = [check_equal(count, value.nrows(), message=f"Input tensors at index 0 (=x) and {i} (=y) have incompatible "
                          "shapes.") for i, value in enumerate(values[1:], 1)]
    with control_dependencies([check for check in checks if check is not None]):
        joined = _rows_joined(values, False, kind)
        places = op("Reshape")(tensor=row_numbers(count * number), shape=[number, -1])
        order = op("Reshape")(tensor=op("Transpose")(x=places, perm=[1, 0]), shape=[-1])
        rows = pick_rows(joined, order)
        known = next((size for value in values if (size := size_of(value.shape, 0)) is not None), None)
        if stacked:
            splits = op("Range")(start=constant(0, kind), limit=count * number + 1, delta=constant(number, kind))
        else:
            splits, rows = rows.row_splits[::number], rows.values
        if known is not None:
            splits.set_shape([known + 1])
        return RaggedTensor.from_row_splits(rows, splits, validate=False)


def expand_dims(input, axis, name=None):
    """A dimension of size 1 inserted."""
    with name_scope(name or "RaggedExpandDims"):
        rank = input.shape.rank
        axis = positive_axis(axis, None if rank is None else rank + 1, ndims_name="rank(input)")
        if axis == 0:
            return RaggedTensor.from_uniform_row_length(input, input.nrows(), nrows=1, validate=False)
        if axis == 1:
            return RaggedTensor.from_uniform_row_length(input, 1, nrows=input.nrows(), validate=False)
        if is_ragged(input.values):
            return input.with_values(expand_dims(input.values, axis - 1))
        return input.with_values(op("ExpandDims")(input=input.values, dim=axis - 1))


def squeeze(input, axis=None, name=None):
    """Dimensions of size 1 removed, which must be named."""
    with name_scope(name or "RaggedSqueeze"):
        if axis is None:
            raise ValueError("Ragged.squeeze must have an axis argument.")
        axes = [axis] if isinstance(axis, int) else axis
        if not isinstance(axes, (list, tuple)) or not all(isinstance(a, int) for a in axes):
            raise TypeError("Axis must be a list or tuple of integers.")
        axes = [positive_axis(a, input.shape.rank, f"axis[{i}]", "rank(input)") for i, a in enumerate(axes)]
        depth = input.ragged_rank
        inner, outer = [a - depth for a in axes if a > depth], {a for a in axes if a <= depth}
        checks = []
        for a, lengths in enumerate(input.nested_row_lengths(), 1):
            if a in outer:
                ones = op("All")(input=op("Equal")(x=lengths, y=constant(1, lengths.dtype)), reduction_indices=0)
                checks.append(assert_(ones, [f"the given axis (axis = {a}) is not squeezable!"]))
        if 0 in outer:
            one = op("Equal")(x=op("Size")(input=input.row_splits), y=convert(2))
            checks.append(assert_(one, ["the given axis (axis = 0) is not squeezable!"]))
        values = after(checks, input.flat_values)
        if inner:
            values = op("Squeeze")(input=values, squeeze_dims=inner)
        splits = [split for a, split in enumerate(input.nested_row_splits, 1) if a not in outer]
        if splits and 0 in outer:
            splits.pop(0)
        made = RaggedTensor.from_nested_row_splits(values, splits)
        return op("Squeeze")(input=made, squeeze_dims=[0]) if outer >= set(range(depth + 1)) else made


def size(input, out_type=None, name=None):
    """The number of values."""
    return op("Size")(input=input.flat_values, out_type=out_type or "int32", name=name)


def rank(input, name=None):
    """The number of dimensions."""
    with name_scope(name or "RaggedRank"):
        return input.ragged_rank + public_function("rank")(input.flat_values)


def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """A dimension with a 1 at each index, behind the ragged ones."""
    if isinstance(axis, int) and axis >= 0:
        if axis <= indices.ragged_rank:
            raise ValueError(f"axis ({axis}) must be greater than indices.ragged_rank ({indices.ragged_rank}).")
        axis -= indices.ragged_rank
    with name_scope(name or "RaggedOneHot"):
        made = public_function("one_hot")(indices.flat_values, depth, on_value, off_value, axis, dtype)
        return indices.with_flat_values(made)


def reverse(tensor, axis, name=None):
    """The order along some axes reversed."""
    with name_scope(name or "Reverse"):
        if isinstance(axis, _core.Tensor):
            axis = get_static_value(axis)
            axis = None if axis is None else axis.tolist()
        if not isinstance(axis, (list, tuple)) or not all(isinstance(a, int) for a in axis):
            raise TypeError("`axis` must be a list of int or a constant tensorwhen reversing axes in a ragged tensor")
        axes = [positive_axis(a, tensor.shape.rank, f"axis[{i}]", "rank(tensor)") for i, a in enumerate(axis)]
        keys = [slice(None)] * (max(axes) + 1 if axes else 0)
        for a in axes:
            keys[a] = slice(None, None, -1)
        return tensor[tuple(keys)]


def tile(input, multiples, name=None):
    """Dimension i repeated multiples[i] times."""
    with name_scope(name or "RaggedTile"):
        kind = input.row_splits.dtype
        multiples = cast(convert(multiples, dtype_hint=kind, name="multiples"), kind)
        multiples.shape.assert_has_rank(1)
        return _tiled(input, multiples, get_static_value(multiples), kind)


def _tiled(value, multiples, known, kind):
    """The value with its dimensions repeated, from the innermost to the outermost."""
    if not is_ragged(value):
        return op("Tile")(input=value, multiples=multiples)
    one = constant([1], kind)
    inner = op("ConcatV2")(values=[one, multiples[2:]], axis=0)
    values = _tiled(value.values, inner, None if known is None else [1, *known[2:]], kind)
    made = RaggedTensor(values, value._row_partition, internal=True)
    if known is None or known[1] != 1:
        lengths = made.row_lengths()
        rows, times = row_numbers(made.nrows()), multiples[1]
        again = op("Reshape")(tensor=op("Tile")(input=op("ExpandDims")(input=rows, dim=1),
                                                multiples=op("Pack")(values=[constant(1, kind), times])), shape=[-1])
        made = RaggedTensor.from_row_lengths(pick_rows(made, again).values, lengths * times, validate=False)
    if known is None or known[0] != 1:
        numbers = op("Tile")(input=row_numbers(made.nrows()), multiples=multiples[:1])
        made = pick_rows(made, numbers)
    return made


def split(value, num_or_size_splits, axis=0, num=None, name=None):
    """Parts along an axis that is not ragged: a number of equal ones, or of given sizes."""
    with name_scope(name or "RaggedSplit"):
        if isinstance(num_or_size_splits, int) and num_or_size_splits == 1:
            return [value]
        axis = positive_axis(axis, value.shape.rank)
        total = _uniform_size(value, axis)
        if total is None:
            raise ValueError(f"Cannot split a ragged dimension. Got `value` with shape {public_function('shape')(value)} and "
                             f"`axis` {axis}.")
        if isinstance(num_or_size_splits, int):
            count = num_or_size_splits
            if count < 1:
                raise ValueError(f"`num_or_size_splits` must be >=1 if it is an `int`.Received {num_or_size_splits}.")
            lengths = op("Fill")(dims=[count], value=total // count)
        else:
            lengths = convert(num_or_size_splits)
            count = None
            if lengths.shape.rank is not None:
                if lengths.shape.rank != 1:
                    raise TypeError("`num_or_size_splits` must be an `int` or 1-D list or `Tensor`. Received "
                                    f"{num_or_size_splits}.")
                count = size_of(lengths.shape, 0)
            if count is None and num is None:
                raise ValueError("`num` must be specified as an `int` when the size of `num_or_size_split` is statically "
                                 f"unknown. Received `num`: {num} and `num_or_size_split`: {num_or_size_splits}.")
            if count is not None and num is not None and num != count:
                raise ValueError(f"`num` does not match the size of `num_or_size_split`. Received `num`: {num} and size of "
                                 f"`num_or_size_split`: {count}.")
            count = num if count is None else count
        splits = splits_of(lengths)
        checks = [
            check_non_negative(lengths, message="`num_or_size_splits` must be non-negative."),
            check_equal(count, op("Shape")(input=lengths)[0],
                        message="`num` is inconsistent with `num_or_size_split.shape[0]`."),
            check_equal(cast(total, splits.dtype), splits[-1], message="Cannot exactly split the `axis` dimension of "
                        "`value` with the given `num_or_size_split`."),
        ]
        splits = after(checks, splits)
        keys = [slice(None)] * axis
        return [value[(*keys, slice(splits[i], splits[i + 1]))] for i in range(count)]


def _uniform_size(value, axis: int):
    """The size of a dimension as a scalar; None if it is ragged."""
    if axis == 0:
        return value.nrows()
    partitions = value._nested_row_partitions
    if axis <= len(partitions):
        return partitions[axis - 1].uniform_row_length()
    return op("Shape")(input=value.flat_values, out_type=value.row_splits.dtype)[axis - len(partitions)]


def bitcast(input, type, name=None):
    """The bits of the values as another dtype."""
    type = as_dtype(type)
    with name_scope(name or "Bitcast"):
        flat = input.flat_values
        if input.dtype.size < type.size and flat.shape.rank < 2:
            raise ValueError("`input.flat_values` is required to have rank >= 2 when input.dtype.size < type.size. Actual "
                             f"rank: {flat.shape.rank}")
        return input.with_flat_values(op("Bitcast")(input=flat, type=type))


def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """Dropout of the values."""
    if noise_shape is not None:
        raise ValueError("noise_shape is not supported yet for RaggedTensor x")
    with name_scope(name or "RaggedNNDropout"):
        return x.with_flat_values(public_function("nn.dropout")(x.flat_values, rate=rate, seed=seed))


def stateless_dropout(x, rate, seed, rng_alg=None, noise_shape=None, name=None):
    """Dropout of the values, by a seed."""
    if noise_shape is not None:
        raise ValueError("noise_shape is not supported yet for RaggedTensor x")
    with name_scope(name or "RaggedNNStatelessDropout"):
        options = {} if rng_alg is None else {"rng_alg": rng_alg}
        made = public_function("nn.experimental.stateless_dropout")(x.flat_values, rate=rate, seed=seed, **options)
        return x.with_flat_values(made)


def reshape(tensor, shape, name=None):
    """The flat values of a ragged tensor in another shape."""
    values = tensor.values if is_ragged(tensor) else tensor
    return public_function("reshape")(values, convert(shape, name="shape"), name=name)
