"""`tensorflow.compiler.tf2xla.python.xla`: those of XLA's ops that libraries also run without that compiler."""

from __future__ import annotations

from tracefn import _core
from tracefn.errors import InvalidArgumentError
from tracefn.ops._build import convert, op


def dynamic_update_slice(x, update, start_indices, name=None):
    """`x` with a block replaced by `update`.

    Args:
      x: tensor.
      update: tensor of x's rank and dtype, at most as large in each dimension.
      start_indices: int vector, where the block begins; moved so that it lies within `x`.
      name: name of the node.

    Example:
      >>> from tracefn.compiler.tf2xla.python.xla import dynamic_update_slice
      >>> dynamic_update_slice([1, 2, 3, 4], [7, 8], [3]).numpy().tolist()
      [1, 2, 7, 8]
    """
    x = convert(x)
    update = convert(update, dtype=x.dtype)
    sizes = op("Shape")(input=update)
    start = _start_within(x, start_indices, sizes)
    steps = op("OnesLike")(x=start)
    return op("TensorStridedSliceUpdate")(
        input=x, begin=start, end=start + sizes, strides=steps, value=update, name=name
    )


def dynamic_slice(x, start_indices, size_indices, name=None):
    """A block of `x`.

    Args:
      x: tensor.
      start_indices: int vector, where the block begins; moved so that it lies within `x`.
      size_indices: int vector, the block's shape, at most as large as x's in each dimension.
      name: name of the node.

    Raises:
      InvalidArgumentError: the block is larger than `x`, or a size is negative.

    Example:
      >>> from tracefn.compiler.tf2xla.python.xla import dynamic_slice
      >>> dynamic_slice([1, 2, 3, 4], [3], [2]).numpy().tolist()
      [3, 4]
    """
    x = convert(x)
    sizes = _int32(size_indices)
    known = _core.constant_value(sizes)
    if known is not None and (known.numpy() < 0).any():
        raise InvalidArgumentError(None, None, f"The sizes of a block must not be negative, got {known.numpy().tolist()}.")
    return op("Slice")(input=x, begin=_start_within(x, start_indices, sizes), size=sizes, name=name)


def _int32(indices):
    """Indices as an int32 tensor."""
    indices = convert(indices)
    return indices if indices.dtype.name == "int32" else op("Cast")(x=indices, DstT="int32")


def _start_within(x, start_indices, sizes):
    """The int32 vector where a block of these sizes begins, moved so that the block lies within `x`."""
    last = op("Shape")(input=x) - sizes
    return op("Maximum")(x=op("Minimum")(x=_int32(start_indices), y=last), y=0)
