"""Signals as overlapping frames, and back."""

from __future__ import annotations

import math

from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.errors import InvalidArgumentError
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.array_shape import concat, pad, rank, reshape, shape, transpose
from tracefn.ops.casting import cast
from tracefn.ops.indexing import gather
from tracefn.ops.ranges import range as number_range
from tracefn.ops.reduction import reduce_prod, reduce_sum


def scalar(value, name):
    """An integer scalar: an int if it is known, else a tensor."""
    tensor = convert(value, name=name)
    tensor.shape.assert_has_rank(0)
    known = get_static_value(tensor)
    return cast(tensor, "int32") if known is None else int(known)


def _at_least_zero(x):
    return max(0, x) if isinstance(x, int) else op("Maximum")(x=0, y=x)


def _axis_size(signal, axis):
    size = signal.shape[axis] if isinstance(axis, int) and signal.shape.rank is not None else None
    return shape(signal)[axis] if size is None else size


def _padded_end(signal, axis, after, value):
    """`signal` with `after` numbers behind it along an axis."""
    value = convert(value, dtype=signal.dtype)
    value.shape.assert_has_rank(0)
    if isinstance(axis, int) and signal.shape.rank is not None:  # the sizes of the other axes stay known
        paddings: list = [[0, 0]] * signal.shape.rank
        paddings[axis] = [0, after]
        return pad(signal, paddings, constant_values=value)
    place = number_range(rank(signal))
    at_axis = op("Equal")(x=place, y=axis if not isinstance(axis, int) or axis >= 0 else rank(signal) + axis)
    after = cast(at_axis, "int32") * after
    return pad(signal, op("Pack")(values=[op("ZerosLike")(x=after), after], axis=1), constant_values=value)


def _gathered(signal, axis, starts, frames, length, block):
    """Frames of known sizes, as blocks of `block` samples that they have in common."""
    sizes = signal.shape.as_list()
    axis %= len(sizes)
    before, behind, used = sizes[:axis], sizes[axis + 1 :], sizes[axis] // block * block
    whole = op("Slice")(input=signal, begin=[0] * len(sizes), size=[*before, used, *behind])
    blocks = reshape(whole, [*before, used // block, block, *behind])
    within = reshape(number_range(length // block), [1, -1])
    return reshape(gather(blocks, starts + within, axis=axis), [*before, frames, length, *behind])


@export("signal.frame")
def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    """Frames of a signal: [..., samples, ...] becomes [..., frames, frame_length, ...].

    Args:
      signal: tensor of rank 1 or more.
      frame_length: int scalar, the samples of a frame.
      frame_step: int scalar, the samples from the start of one frame to that of the next.
      pad_end: whether frames that begin within the signal and go beyond it are made, too.
      pad_value: scalar, the number that stands beyond the signal.
      axis: int scalar, the axis of the samples.
      name: name of the node.

    Returns:
      Tensor of the signal's dtype, with one axis more.

    Raises:
      ValueError: the signal has no axis, or an argument is not a scalar.
      InvalidArgumentError: `frame_step` is 0.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy().tolist()
      [[1, 2, 3], [3, 4, 5]]
    """
    with name_scope(name or "frame"):
        signal = convert(signal, name="signal")
        length, step, axis = (
            scalar(frame_length, "frame_length"),
            scalar(frame_step, "frame_step"),
            scalar(axis, "axis"),
        )
        signal.shape.with_rank_at_least(1)
        if isinstance(step, int) and step == 0:
            raise InvalidArgumentError(None, None, "Integer division by zero: frame_step is 0")
        samples = _axis_size(signal, axis)
        if pad_end:
            frames = -(-samples // step)
            missing = _at_least_zero(length + step * (frames - 1) - samples)
            if not (isinstance(missing, int) and missing == 0):
                signal = _padded_end(signal, axis, missing, pad_value)
        else:
            frames = _at_least_zero(1 + (samples - length) // step)
        block = math.gcd(length, step) if isinstance(length, int) and isinstance(step, int) else 1
        number = reshape(number_range(frames), [-1, 1])
        if block > 1 and isinstance(axis, int) and signal.shape.is_fully_defined():
            return _gathered(signal, axis, number * (step // block), frames, length, block)
        return gather(signal, number * step + reshape(number_range(length), [1, -1]), axis=axis)


def _sizes(x):
    """The sizes of the axes: ints where they are known, or a vector if the rank is not."""
    if x.shape.rank is None:
        return None
    dynamic = None if x.shape.is_fully_defined() else shape(x)
    return [dynamic[i] if n is None else n for i, n in enumerate(x.shape.as_list())]


def _product(sizes):
    return math.prod(sizes) if all(isinstance(n, int) for n in sizes) else reduce_prod(sizes)


@export("signal.overlap_and_add")
def overlap_and_add(signal, frame_step, name=None):
    """The sum of frames, each one `frame_step` samples behind the one before it.

    Args:
      signal: tensor [..., frames, frame_length] of numbers.
      frame_step: int scalar, at most frame_length.
      name: name of the node.

    Returns:
      Tensor [..., (frames - 1) * frame_step + frame_length] of the signal's dtype.

    Raises:
      ValueError: the signal has fewer than two axes, or `frame_step` is not an integer scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.signal.overlap_and_add([[1, 2, 3], [10, 20, 30]], 2).numpy().tolist()
      [1, 2, 13, 20, 30]
    """
    with name_scope(name or "overlap_and_add"):
        signal = convert(signal, name="signal")
        signal.shape.with_rank_at_least(2)
        given = convert(frame_step, name="frame_step")
        given.shape.assert_has_rank(0)
        if not given.dtype.is_integer:
            raise ValueError(f"frame_step must be an integer. Got {given.dtype}")
        step = scalar(given, "frame_step")
        sizes = _sizes(signal)
        if sizes is None:
            dynamic = shape(signal)
            outer, frames, length = dynamic[:-2], dynamic[-2], dynamic[-1]
            batch = reduce_prod(outer)
        else:
            outer, frames, length = sizes[:-2], sizes[-2], sizes[-1]
            batch = _product(outer)
        result = length + step * (frames - 1)

        def with_outer(x):
            return reshape(x, concat([outer, [result]], 0) if sizes is None else [*outer, result])

        if isinstance(step, int) and isinstance(length, int) and step == length:
            return with_outer(signal)
        # Frames are cut into segments of frame_step samples. With one row of zeros more than there are segments, rows of
        # one sample less shift each segment to its place.
        segments = 0 if isinstance(step, int) and step == 0 else -(-length // step)  # 0: as padding refuses it
        x = pad(reshape(signal, [batch, frames, length]), [[0, 0], [0, segments], [0, segments * step - length]])
        x = transpose(reshape(x, [batch, frames + segments, segments, step]), [0, 2, 1, 3])
        x = reshape(x, [batch, (frames + segments) * segments, step])[:, : (frames + segments - 1) * segments]
        x = reduce_sum(reshape(x, [batch, segments, frames + segments - 1, step]), 1)
        x = reshape(x, [batch, (frames + segments - 1) * step])
        return with_outer(x[:, :result])
