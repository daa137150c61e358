"""Functions with gaps between the elements they look at, composed of those without: blocks are moved to the batch."""

from __future__ import annotations

from tracefn._static_value import get_static_value
from tracefn.ops._build import convert, ints, name_scope, op
from tracefn.ops.windows import explicit, is_channels_second


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """The paddings with which blocks divide a shape, and the crops that undo them.

    Args:
      input_shape: int32 vector.
      block_shape: int32 vector of the same known length.
      base_paddings: int32 matrix with a row for each dimension: the least paddings before and after; None for zeros.
      name: name of the ops.

    Returns:
      (paddings, crops): int32 matrices with a row for each dimension.

    Raises:
      ValueError: shapes do not fit.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.required_space_to_batch_paddings([5], [3])]
      [[[0, 1]], [[0, 1]]]
    """
    with name_scope(name or "required_space_to_batch_paddings"):
        input_shape = convert(input_shape, dtype="int32", name="input_shape")
        block_shape = convert(block_shape, dtype="int32", name="block_shape")
        block_shape.shape.assert_is_fully_defined()
        block_shape.shape.assert_has_rank(1)
        n = block_shape.shape[0]
        if n == 0:
            return tuple(op("Reshape")(tensor=ints([]), shape=[0, 2]) for _ in range(2))
        input_shape.shape.assert_is_compatible_with([n])
        if base_paddings is None:
            base_paddings = [[0, 0]] * n
        base = convert(base_paddings, dtype="int32", name="base_paddings")
        base.shape.assert_is_compatible_with([n, 2])
        before, after = base[:, 0], base[:, 1]
        extra = (block_shape - (input_shape + before + after) % block_shape) % block_shape
        paddings = op("Pack")(values=[before, after + extra], axis=1)
        return paddings, op("Pack")(values=[op("ZerosLike")(x=extra), extra], axis=1)


def _paddings(padding, filter_shape, n, rate, second):
    """The paddings of the blocks' dimensions that a padding means."""
    padding, pairs = explicit(padding)
    if padding == "VALID":
        return [[0, 0]] * n
    if padding == "EXPLICIT":
        rows = [pairs[i : i + 2] for i in range(0, len(pairs), 2)]
        return rows[2:] if second else rows[1:-1]
    if padding != "SAME":
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    if filter_shape is None:
        raise ValueError(
            f"`filter_shape` must be specified for `padding='SAME'`. Received: filter_shape={filter_shape} and "
            f"padding={padding}"
        )
    reach = (convert(filter_shape, dtype="int32")[:n] - 1) * rate
    before = op("FloorDiv")(x=reach, y=ints([2] * n))
    return op("Pack")(values=[before, reach - before], axis=1)


def _spread(matrix, fill, dims):
    """Rows for all dimensions from 1 on: those of the matrix at `dims`, and `fill` at the others."""
    rows = {dim: matrix[i] for i, dim in enumerate(dims)}
    missing = op("ZerosLike")(x=matrix[0]) + fill
    return op("Pack")(values=[rows.get(dim, missing) for dim in range(1, dims[-1] + 1)])


def with_space_to_batch(input, dilation_rate, padding, op, filter_shape=None, spatial_dims=None, data_format=None):
    """`op`, a function of windows without gaps, on each of the interleaved parts of the input that gaps leave.

    Args:
      input: tensor with a batch as first dimension.
      dilation_rate: int32 vector of known length n: the distance of a window's elements.
      padding: "VALID", "SAME" or a list of n + 2 pairs.
      op: called with a tensor, n and "VALID", or the padding itself if all rates are 1.
      filter_shape: integer vector that starts with the n sizes of the window, for "SAME".
      spatial_dims: the n dimensions, in order; the first ones after the batch (and the channels) if None.
      data_format: starts with "NC" if channels come second.

    Returns:
      What `op` returns, put together.

    Raises:
      ValueError: an argument does not fit.

    Example:
      >>> import tracefn as tf
      >>> x = tf.reshape(tf.range(5.0), [1, 5, 1])
      >>> pool = lambda x, n, padding: tf.nn.max_pool1d(x, 2, 1, padding)
      >>> tf.nn.with_space_to_batch(x, [2], "VALID", pool)[0, :, 0].numpy().tolist()
      [2.0, 3.0, 4.0]
    """
    input = convert(input, name="input")
    rate = convert(dilation_rate, dtype="int32", name="dilation_rate")
    if rate.shape.rank not in (None, 1):
        raise ValueError(
            f"`dilation_rate.shape.rank` must be 1. Received: dilation_rate={rate} of rank {rate.shape.rank}"
        )
    if not rate.shape.is_fully_defined():
        raise ValueError(
            f"`dilation_rate.shape` must be fully defined. Received: dilation_rate={rate} with shape {rate.shape}"
        )
    n = rate.shape[0]
    second = data_format is not None and is_channels_second(data_format)
    given = list(spatial_dims) if spatial_dims is not None else list(range(1 + second, n + 1 + second))
    dims = sorted({int(d) for d in given})
    if dims != given or any(d < 1 for d in dims):
        raise ValueError(
            "`spatial_dims` must be a monotonically increasing sequence of positive integers. Received: "
            f"spatial_dims={given}"
        )
    least = dims[-1] + (0 if second else 1)
    if input.shape.rank is not None and input.shape.rank < least:
        raise ValueError(
            f"`input.shape.rank` must be at least {least}. Received: input.shape={input.shape} with rank "
            f"{input.shape.rank}"
        )
    known = get_static_value(rate)
    if known is not None:
        if (known < 1).any():
            raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={known}")
        if (known == 1).all():
            return op(input, n, padding)
    return _in_blocks(input, rate, _paddings(padding, filter_shape, n, rate, second), dims, lambda x: op(x, n, "VALID"))


def _in_blocks(input, rate, base, dims, function):
    shape = op("Shape")(input=input)
    sizes = op("Pack")(values=[shape[d] for d in dims])
    paddings, crops = required_space_to_batch_paddings(sizes, rate, base)
    block = _spread(rate, 1, dims)
    parts = op("SpaceToBatchND")(input=input, block_shape=block, paddings=_spread(paddings, 0, dims))
    return op("BatchToSpaceND")(input=function(parts), block_shape=block, crops=_spread(crops, 0, dims))
