"""tf.repeat."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.dimension import Dimension
from tracefn.ops._build import convert, int_tensor, ints, name_scope, op
from tracefn.ops.array_shape import shape


def _repeat_all(x, count, axis: int):
    """Each slice of x along `axis`, repeated `count` times."""
    rank = x.shape.rank
    expanded = op("ExpandDims")(input=x, dim=axis + 1)
    tiled = op("Tile")(input=expanded, multiples=op("Pack")(values=[count if i == axis + 1 else 1 for i in range(rank + 1)]))
    dims = shape(x)
    parts = [dims[:axis], op("ExpandDims")(input=dims[axis] * count, dim=0), dims[axis + 1 :]]
    return op("Reshape")(tensor=tiled, shape=op("ConcatV2")(values=parts, axis=0), name="Reshape_1")  # the name in TensorFlow


@export("repeat")
def repeat(input, repeats, axis=None, name=None):
    """Repeats each element of a tensor.

    Args:
      input: tensor of any shape.
      repeats: int scalar, or int vector with one count for each index along `axis`.
      axis: int; None: the tensor is flattened first.
      name: name of the scope.

    Returns:
      Tensor with the size along `axis` multiplied, or replaced by the sum of the counts.

    Raises:
      TypeError: `repeats` is not of an integer dtype, or `axis` is no int.
      ValueError: there is no such axis, or `repeats` has another size.

    Example:
      >>> import tracefn as tf
      >>> tf.repeat([1, 2], [2, 3]).numpy().tolist()
      [1, 1, 2, 2, 2]
    """
    with name_scope(name or "Repeat"):
        x = convert(input)
        if axis is not None and not isinstance(axis, int):
            shown = axis.numpy() if isinstance(axis, _core.EagerTensor) else axis
            raise TypeError(f"Argument `axis` must be an int. Received `axis` = {shown} of type {type(axis).__name__}")
        if axis is None:
            x, axis = op("Reshape")(tensor=x, shape=[-1]), 0
        counts = int_tensor(repeats, "repeats", "int32")
        counts.shape.with_rank_at_most(1)
        if x.shape.rank == 0:
            x = op("Reshape")(tensor=x, shape=ints([1]))
        if x.shape.rank is not None:
            if not -x.shape.rank <= axis < x.shape.rank:
                raise ValueError(f"axis={axis} out of bounds: expected {-x.shape.rank}<=axis<{x.shape.rank}")
            axis %= x.shape.rank
        if counts.shape.num_elements() == 1 and x.shape.rank is not None:
            return _repeat_all(x, counts if counts.shape.rank == 0 else op("Squeeze")(input=counts), axis)
        if x.shape.rank is not None and counts.shape.rank == 1:
            Dimension(x.shape[axis]).assert_is_compatible_with(counts.shape[0])
        length = shape(x)[axis]
        counts = op("Maximum")(x=counts, y=0)
        counts = op("BroadcastTo")(input=op("Reshape")(tensor=counts, shape=[-1], name="vector"), shape=op("Pack")(values=[length]))
        # Index i of the result comes from the element before which as many elements have ended as ends lie at or
        # below i.
        ends = op("ExpandDims")(input=op("Cumsum")(x=counts, axis=0), dim=1)
        total = op("Sum")(input=counts, reduction_indices=[0])
        room = op("Pack")(values=[op("AddV2")(x=total, y=1)])
        ended = op("Cumsum")(x=op("ScatterNd")(indices=ends, updates=op("OnesLike")(x=counts), shape=room), axis=0)
        source = op("Slice")(input=ended, begin=[0], size=op("Pack")(values=[total]))
        # The names in TensorFlow, which masks repeated elements, and moves the axis there and back.
        if axis != 0:
            return op("GatherV2")(params=x, indices=source, axis=axis, name="Reshape")
        # The gradient of rows that are picked from another op's result is a tensor, not IndexedSlices.
        rows = op("Reshape")(tensor=x, shape=shape(x), name="boolean_mask/Reshape")
        return op("GatherV2")(params=rows, indices=source, axis=0, name="boolean_mask/GatherV2")
