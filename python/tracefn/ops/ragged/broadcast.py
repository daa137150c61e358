"""Broadcasting of ragged tensors: missing first dimensions are added, and uniform dimensions of size 1 repeated."""

from __future__ import annotations

from tracefn._static_value import get_static_value
from tracefn.framework import control_dependencies
from tracefn.ops._build import constant, convert, op
from tracefn.ops.debugging import assert_, check_equal
from tracefn.ops.ragged.getitem import pick_rows
from tracefn.ops.ragged.row_partition import cast
from tracefn.ops.ragged.tensor import RaggedTensor, number_of_rows


def match_dtypes(*values):
    """(the common dtype of the row partitions, the values).

    Raises:
      ValueError: they have different ones.
    """
    kinds = {value.row_splits.dtype for value in values if isinstance(value, RaggedTensor)}
    if len(kinds) > 1:
        raise ValueError("Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() "
                         "to convert them to compatible dtypes.")
    return (next(iter(kinds)) if kinds else convert(0, dtype="int64").dtype), values


def splits_of(lengths):
    """Row splits of row lengths."""
    return op("ConcatV2")(values=[convert([0], dtype=lengths.dtype), op("Cumsum")(x=lengths, axis=0)], axis=0)


def ranges(starts, limits):
    """The numbers of the ranges [starts[i], limits[i]), one after the other."""
    return op("RaggedRange")(starts=starts, limits=limits, deltas=constant(1, starts.dtype), Tsplits=starts.dtype)[1]


def row_numbers(count):
    """0, 1, ..., count - 1."""
    return op("Range")(start=constant(0, count.dtype), limit=count, delta=constant(1, count.dtype))


class Sizes:
    """The sizes of the dimensions of a value: a scalar for a uniform one, the lengths of all rows for a ragged one."""

    def __init__(self, value, kind):
        if isinstance(value, RaggedTensor):
            value = value.with_row_splits_dtype(kind)
            lengths = [value.nrows()]
            for partition in value._nested_row_partitions:
                uniform = partition.uniform_row_length()
                lengths.append(partition.row_lengths() if uniform is None else uniform)
            inner = op("Shape")(input=value.flat_values, out_type=kind)[1:]
            rank = value.flat_values.shape.rank
            inner_rank = None if rank is None else rank - 1
        else:
            lengths = []
            inner = op("Shape")(input=value, out_type=kind)
            inner_rank = value.shape.rank
        if inner_rank is None:
            raise ValueError("Unable to broadcast: unknown rank")
        self.sizes = [*lengths, *[inner[axis] for axis in range(inner_rank)]]
        self.is_ragged = [False, *[x.shape.rank == 1 for x in self.sizes[1:]]] if self.sizes else []


def broadcast(values: list, inner: bool) -> list:
    """Values of the same shape, at least in their ragged dimensions.

    Args:
      values: tensors and RaggedTensors, of known ranks.
      inner: whether uniform dimensions behind the last ragged one are broadcast, too.

    Returns:
      List of values with the same row partitions.

    Raises:
      InvalidArgumentError: the shapes do not fit.
    """
    kind, _ = match_dtypes(*values)
    rank = max(_rank(value) for value in values)
    values = [_with_rank(value, rank, kind) for value in values]
    all_sizes = [Sizes(value, kind) for value in values]
    last = max((axis for sizes in all_sizes for axis in range(rank) if sizes.is_ragged[axis]), default=0)
    # Uniform dimensions may be row partitions, too.
    depth = max(value.ragged_rank if isinstance(value, RaggedTensor) else 0 for value in values)
    for axis in range(rank if inner else max(last, depth) + 1):
        values = _broadcast_axis(values, axis, last, kind, in_words=inner)
    return [partitioned(value, depth, kind) for value in values]


def _rank(value) -> int:
    rank = value.shape.rank
    if rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    return rank


def _with_rank(value, rank: int, kind):
    """The value with dimensions of size 1 in front."""
    if not isinstance(value, RaggedTensor):
        missing = rank - value.shape.rank
        if missing:
            shape = op("ConcatV2")(values=[[1] * missing, op("Shape")(input=value)], axis=0)
            value = op("Reshape")(tensor=value, shape=shape)
        return value
    for _ in range(rank - _rank(value)):
        value = RaggedTensor.from_uniform_row_length(value, value.nrows(), nrows=constant(1, kind), validate=False)
    return value


def _broadcast_axis(values, axis: int, last: int, kind, in_words: bool):
    """The values with equal sizes of a dimension, those before being equal already."""
    sizes = [Sizes(value, kind) for value in values]
    ragged = next((x.sizes[axis] for x in sizes if x.is_ragged[axis]), None)
    target = ragged
    if target is None:
        target = sizes[0].sizes[axis]
        for x in sizes[1:]:
            _check(axis, target, x.sizes[axis], in_words)
            target = _larger(target, x.sizes[axis])
    made = []
    for value, x in zip(values, sizes, strict=True):
        size = x.sizes[axis]
        if size is target or _both_known_equal(size, target):
            made.append(value)
            continue
        known = _known(size) if not x.is_ragged[axis] else None
        fits = ragged is not None and known != 1 and (x.is_ragged[axis] or known is not None)
        check = _check_splits(values, sizes, value, axis, kind) if fits else _check(axis, target, size, in_words)
        with control_dependencies([] if check is None else [check]):
            if fits:  # rows of that size already
                made.append(value if x.is_ragged[axis] else _partitioned(value, axis, kind))
            else:
                made.append(value if x.is_ragged[axis] else _repeat(value, axis, size, target, last, kind))
    return made


def _known(x):
    value = get_static_value(x)
    return None if value is None or value.ndim else int(value)


def _both_known_equal(a, b) -> bool:
    return a.shape.rank == 0 and b.shape.rank == 0 and _known(a) is not None and _known(a) == _known(b)


def _larger(a, b):
    """The size that is not 1."""
    if _known(a) is not None:
        return b if _known(a) == 1 else a
    return op("SelectV2")(condition=op("Equal")(x=a, y=constant(1, a.dtype)), t=b, e=a)


def _check_splits(values, sizes, value, axis: int, kind):
    """Fails unless the rows of a dimension are those of the value in which it is ragged."""
    first = next(i for i, x in enumerate(sizes) if x.is_ragged[axis])
    splits = [partitioned(x, axis, kind).nested_row_splits[axis - 1] for x in (values[first], value)]
    uniform = not next(x for x, v in zip(sizes, values, strict=True) if v is value).is_ragged[axis]
    return check_equal(*(reversed(splits) if uniform else splits))


def _check(axis: int, lengths, size, in_words: bool):
    """Fails unless a dimension of this size can be broadcast: with both sizes in words, or as TensorFlow's operators do."""
    one = constant(1, size.dtype)
    if lengths.shape.rank == 1:
        same = op("All")(input=op("Equal")(x=lengths, y=size), axis=[0])
        fits = op("LogicalOr")(x=op("Equal")(x=size, y=one), y=same)
    else:
        fits = op("LogicalOr")(x=op("Equal")(x=lengths, y=one), y=op("Equal")(x=size, y=one))
        fits = op("LogicalOr")(x=fits, y=op("Equal")(x=size, y=lengths))
        if not in_words:
            return check_equal(fits, True)
    data = ["Unable to broadcast: dimension size mismatch in dimension", axis, "lengths=", lengths, "dim_size=", size]
    return assert_(fits, data, summarize=10)


def _repeat(value, axis: int, size, target, last: int, kind):
    """The value with a dimension of size 1 repeated; `target` is a size, or the lengths of rows."""
    if target.shape.rank == 0:
        times = op("SelectV2")(condition=op("Equal")(x=size, y=constant(1, kind)), t=target, e=constant(1, kind))
    else:
        times = target
    depth = value.ragged_rank if isinstance(value, RaggedTensor) else 0
    if axis > depth:
        if target.shape.rank == 0:
            return _repeat_inner(value, axis, times, depth, kind)
        value = _partitioned(value, axis, kind)
    if axis == 0:
        return _repeat_rows(value, times, kind)
    outer, below = value, []
    for _ in range(axis - 1):
        below.append(outer._row_partition)
        outer = outer.values
    lengths = times
    if target.shape.rank == 0:
        lengths = op("Fill")(dims=op("Pack")(values=[outer.nrows()]), value=target)
        rows = _repeated_rows(op("Fill")(dims=op("Pack")(values=[outer.nrows()]), value=times), outer)
        made = RaggedTensor.from_uniform_row_length(rows, target, nrows=outer.nrows(), validate=False)
    else:
        numbers = _repeated_numbers(lengths)
        if _known(size) != 1:  # rows of that size already, or of size 1
            numbers = op("SelectV2")(condition=op("Equal")(x=size, y=constant(1, kind)), t=numbers,
                                     e=row_numbers(op("Size")(input=numbers, out_type=kind)))
        rows = pick_rows(outer.values, numbers)
        made = RaggedTensor.from_row_lengths(rows, lengths, validate=False)
    for partition in reversed(below):
        made = RaggedTensor(made, partition, internal=True)
    return made


def _repeated_numbers(times):
    """0 times[0] times, 1 times[1] times, and so on."""
    zeros = op("ZerosLike")(x=times)
    offsets = op("RaggedRange")(starts=zeros, limits=times, deltas=constant(1, times.dtype), Tsplits=times.dtype)
    splits = offsets[0]
    values = row_numbers(splits[-1])
    found = op("UpperBound")(sorted_inputs=op("ExpandDims")(input=splits[1:], dim=0),
                             values=op("ExpandDims")(input=values, dim=0), out_type=times.dtype)
    return op("Reshape")(tensor=found, shape=[-1])


def _repeated_rows(times, outer):
    """The values of every row, times[i] times."""
    rows = _repeated_numbers(times)
    starts = op("GatherV2")(params=outer.row_starts(), indices=rows, axis=0)
    limits = op("GatherV2")(params=outer.row_limits(), indices=rows, axis=0)
    return pick_rows(outer.values, ranges(starts, limits))


def _repeat_rows(value, times, kind):
    """All rows, `times` times."""
    count = number_of_rows(value, kind)
    numbers = op("Tile")(input=row_numbers(count), multiples=op("Pack")(values=[times]))
    return pick_rows(value, numbers)


def _repeat_inner(value, axis: int, times, depth: int, kind):
    """A uniform dimension behind the ragged ones, repeated."""
    flat = value.flat_values if isinstance(value, RaggedTensor) else value
    rank = flat.shape.rank
    multiples = [constant(1, kind)] * rank
    multiples[axis - depth] = times
    tiled = op("Tile")(input=flat, multiples=op("Pack")(values=multiples))
    return value.with_flat_values(tiled) if isinstance(value, RaggedTensor) else tiled


def _partitioned(value, ragged_rank: int, kind):
    """The value with uniform dimensions up to `ragged_rank` as row partitions."""
    if not isinstance(value, RaggedTensor):
        return RaggedTensor.from_tensor(value, ragged_rank=ragged_rank, row_splits_dtype=kind)  # type: ignore[attr-defined]
    more = ragged_rank - value.ragged_rank
    if more <= 0:
        return value
    flat = RaggedTensor.from_tensor(value.flat_values, ragged_rank=more, row_splits_dtype=kind)  # type: ignore[attr-defined]
    return value.with_flat_values(flat)


def partitioned(value, ragged_rank: int, kind):
    """A tensor or RaggedTensor with at least `ragged_rank` row partitions."""
    if isinstance(value, RaggedTensor):
        value = value.with_row_splits_dtype(kind)
    return _partitioned(value, ragged_rank, kind) if ragged_rank > 0 else value


__all__ = ["Sizes", "broadcast", "cast", "match_dtypes", "partitioned", "ranges", "row_numbers", "splits_of"]
