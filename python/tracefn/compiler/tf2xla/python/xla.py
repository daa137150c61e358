"""`tensorflow.compiler.tf2xla.python.xla`: those of XLA's ops that libraries also run without that compiler."""

from __future__ import annotations

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
    start = convert(start_indices)
    start = op("Cast")(x=start, DstT="int32") if start.dtype.name != "int32" else start
    sizes = op("Shape")(input=update)
    start = op("Maximum")(x=op("Minimum")(x=start, y=op("Shape")(input=x) - sizes), y=0)
    steps = op("OnesLike")(x=start)
    return op("TensorStridedSliceUpdate")(
        input=x, begin=start, end=start + sizes, strides=steps, value=update, name=name
    )
