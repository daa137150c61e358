"""Sizes of tensors as ints where they are known, else as scalar tensors; reshaping by such sizes."""

from __future__ import annotations

from tracefn import _core

_op = _core.raw_op


def ints(values, dtype="int32"):
    """A constant vector of ints; it may be empty."""
    return _core.convert_to_tensor(list(values), dtype=dtype)


def element(vector, i: int):
    """Element i of a vector."""
    return _op("StridedSlice")(input=vector, begin=[i], end=[i + 1], strides=[1], shrink_axis_mask=1)


def of(tensor) -> list:
    """The sizes of a tensor of known rank."""
    static = tensor.shape.as_list()
    if None not in static:
        return static
    shape = _op("Shape")(input=tensor)
    return [element(shape, i) if size is None else size for i, size in enumerate(static)]


def vector(sizes, dtype="int32"):
    """Sizes as one tensor."""
    if all(isinstance(size, int) for size in sizes):
        return ints(sizes, dtype)
    parts = [_core.convert_to_tensor(s, dtype="int32") if isinstance(s, int) else s for s in sizes]
    return cast(_op("Pack")(values=[cast(part, "int32") for part in parts]), dtype)


def cast(tensor, dtype):
    """A tensor of ints with another dtype."""
    return tensor if tensor.dtype == dtype else _op("Cast")(x=tensor, DstT=dtype)


def reshape(tensor, sizes):
    """A tensor with other sizes."""
    return _op("Reshape")(tensor=tensor, shape=vector(sizes))


def product(sizes):
    """The product of sizes."""
    total = 1
    for size in sizes:
        total = size if isinstance(total, int) and total == 1 else total * size
    return total


def merged(tensor):
    """A stacked tensor with its first two axes as one: the rows' own batches one after the other."""
    own = of(tensor)
    return reshape(tensor, [product(own[:2]), *own[2:]])


def parted(tensor, like):
    """The inverse of `merged`, with the first two axes of `like`."""
    return reshape(tensor, [*of(like)[:2], *of(tensor)[1:]])


def prepended(first, shape):
    """A shape, a vector of ints, with one more in front, an int or a scalar tensor."""
    known = _core.constant_value(shape)
    if known is not None and isinstance(first, int):
        return ints([first, *known.numpy().tolist()], shape.dtype)
    head = vector([first], shape.dtype)
    return _op("ConcatV2")(values=[head, shape], axis=0)
