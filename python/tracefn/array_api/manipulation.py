"""The same elements in another shape or order; several arrays as one."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.array_api.arguments import ALL, as_dtype, one
from tracefn.array_api.promotion import result_type
from tracefn.experimental.numpy.arrays import broadcast, positive_axis, rank_of

tf = root()


def _arrays(name: str, arrays) -> list:
    arrays = [one(name, x, ALL) for x in (tf.unstack(arrays) if isinstance(arrays, tf.Tensor) else arrays)]
    if not arrays:
        raise ValueError(f"{name} needs at least one array")
    dtype = result_type(*arrays)
    return [as_dtype(x, dtype) for x in arrays]


def check_axis(name: str, axis: int, rank) -> None:
    """Refuses an axis that an array of that rank has not.

    Raises:
      IndexError: there is no such axis.
    """
    if isinstance(rank, int) and not -rank <= axis < rank:
        raise IndexError(f"{name}: axis {axis} is out of bounds for an array of rank {rank}")


def broadcast_arrays(*arrays):
    """The arrays in their common shape: a tuple.

    Example:
      >>> import tracefn as tf
      >>> [t.shape for t in tf.array_api.broadcast_arrays(tf.zeros([2, 1]), tf.zeros([3]))]
      [TensorShape([2, 3]), TensorShape([2, 3])]
    """
    return tuple(broadcast(*(one("broadcast_arrays", x) for x in arrays)))


def broadcast_shapes(*shapes):
    """The shape to which shapes broadcast: a tuple of ints, None where a size is unknown.

    Raises:
      ValueError: they do not broadcast.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.broadcast_shapes((2, 1), (3,))
      (2, 3)
    """
    result: list = []
    for shape in shapes:
        shape = list(shape)
        length = max(len(result), len(shape))
        result, shape = ([1] * (length - len(s)) + s for s in (result, shape))
        for i, (a, b) in enumerate(zip(result, shape, strict=True)):
            if a is not None and b is not None and 1 not in (a, b) and a != b:
                raise ValueError(f"shapes {shapes} cannot be broadcast: sizes {a} and {b} differ")
            result[i] = b if a == 1 else a if b in (1, None) else b
    return tuple(result)


def broadcast_to(x, /, shape):
    """The array in a larger shape.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.broadcast_to(tf.constant([1]), (2, 1)).numpy().tolist()
      [[1], [1]]
    """
    return tf.broadcast_to(one("broadcast_to", x), shape)


def concat(arrays, /, *, axis=0):
    """Arrays one after the other along an axis; all elements as a vector if it is None.

    Args:
      arrays: sequence of arrays; they get their promoted dtype.
      axis: int or None.

    Returns:
      A tensor.

    Raises:
      ValueError: there are no arrays.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.concat([tf.constant([1]), tf.constant([2, 3])]).numpy().tolist()
      [1, 2, 3]
    """
    arrays = _arrays("concat", arrays)
    if axis is None:
        return tf.concat([tf.reshape(x, [-1]) for x in arrays], 0)
    if any(x.shape.rank == 0 for x in arrays):
        raise ValueError("concat: scalars have no axis to be joined along")
    check_axis("concat", axis, arrays[0].shape.rank)
    return tf.concat(arrays, axis)


def stack(arrays, /, *, axis=0):
    """Arrays of one shape along a new axis.

    Args:
      arrays: sequence of arrays; they get their promoted dtype.
      axis: int, the new axis.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.stack([tf.constant([1]), tf.constant([2])], axis=1).numpy().tolist()
      [[1, 2]]
    """
    arrays = _arrays("stack", arrays)
    if arrays[0].shape.rank is not None:
        check_axis("stack", axis, arrays[0].shape.rank + 1)
    return tf.stack(arrays, axis)


def unstack(x, /, *, axis=0):
    """The parts of an array along an axis, which they do not have: a tuple.

    Raises:
      IndexError: there is no such axis.

    Example:
      >>> import tracefn as tf
      >>> [int(t) for t in tf.array_api.unstack(tf.constant([1, 2]))]
      [1, 2]
    """
    x = one("unstack", x)
    check_axis("unstack", axis, x.shape.rank)
    return tuple(tf.unstack(x, axis=axis))


def expand_dims(x, /, axis=0):
    """A new axis of size 1.

    Raises:
      IndexError: the place is outside.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.expand_dims(tf.constant([1, 2]), axis=1).shape
      TensorShape([2, 1])
    """
    x = one("expand_dims", x)
    if x.shape.rank is not None:
        check_axis("expand_dims", axis, x.shape.rank + 1)
    return tf.expand_dims(x, axis)


def squeeze(x, /, axis):
    """Without some axes of size 1.

    Args:
      x: array.
      axis: int or tuple of ints.

    Raises:
      ValueError: an axis has another size.
      IndexError: there is no such axis.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.squeeze(tf.zeros([1, 2]), 0).shape
      TensorShape([2])
    """
    x = one("squeeze", x)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for place in axes:
        check_axis("squeeze", place, x.shape.rank)
        if x.shape.rank is not None and x.shape[place] not in (1, None):
            raise ValueError(f"squeeze: axis {place} has size {x.shape[place]}, not 1")
    return tf.squeeze(x, list(axes)) if axes else x


def reshape(x, /, shape, *, copy=None):
    """The elements in another shape.

    Args:
      x: array.
      shape: tuple of ints, one of which may be -1.
      copy: True: the result is a tensor of its own.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.reshape(tf.constant([1, 2]), (2, 1)).numpy().tolist()
      [[1], [2]]
    """
    result = tf.reshape(one("reshape", x), shape)
    return tf.identity(result) if copy else result


def permute_dims(x, /, axes):
    """The axes in another order.

    Args:
      x: array.
      axes: tuple of ints, a permutation of the axes.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.permute_dims(tf.zeros([2, 3]), (1, 0)).shape
      TensorShape([3, 2])
    """
    x = one("permute_dims", x)
    return tf.transpose(x, [positive_axis(axis, rank_of(x)) for axis in axes])


def moveaxis(x, source, destination, /):
    """Axes moved to other places; the others keep their order.

    Args:
      x: array.
      source, destination: ints or tuples of ints.

    Raises:
      ValueError: not as many of each.
      IndexError: there is no such axis.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.moveaxis(tf.zeros([2, 3, 4]), 0, -1).shape
      TensorShape([3, 4, 2])
    """
    x = one("moveaxis", x)
    for axes in (source, destination):
        for axis in (axes,) if isinstance(axes, int) else axes:
            check_axis("moveaxis", axis, x.shape.rank)
    return tf.experimental.numpy.moveaxis(x, source, destination)


def matrix_transpose(x, /):
    """The last two axes exchanged.

    Raises:
      ValueError: the rank is less than 2.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.matrix_transpose(tf.constant([[1, 2]])).numpy().tolist()
      [[1], [2]]
    """
    x = one("matrix_transpose", x)
    if x.shape.rank is not None and x.shape.rank < 2:
        raise ValueError(f"matrix_transpose takes arrays of rank 2 at least, got shape {x.shape}")
    return tf.linalg.matrix_transpose(x)


def flip(x, /, *, axis=None):
    """The elements in reverse order, along an axis, several, or all.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.flip(tf.constant([[1, 2], [3, 4]]), axis=1).numpy().tolist()
      [[2, 1], [4, 3]]
    """
    x = one("flip", x)
    rank = rank_of(x)
    if axis is None:
        return tf.reverse(x, tf.range(rank))
    axes = (axis,) if isinstance(axis, int) else axis
    for place in axes:
        check_axis("flip", place, rank)
    return tf.reverse(x, [positive_axis(place, rank) for place in axes])


def roll(x, /, shift, *, axis=None):
    """The elements moved by `shift` places; those that leave at the end enter at the start.

    Args:
      x: array.
      shift: int or tuple of ints.
      axis: int or tuple of ints; None: the elements as a vector, then in the shape of x again.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.roll(tf.constant([1, 2, 3]), 1).numpy().tolist()
      [3, 1, 2]
    """
    x = one("roll", x)
    if axis is None:
        return tf.reshape(tf.roll(tf.reshape(x, [-1]), shift, 0), tf.shape(x))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(shift)
    for place in axes:
        check_axis("roll", place, x.shape.rank)
    return tf.roll(x, list(shifts), list(axes)) if axes else x


def repeat(x, repeats, /, *, axis=None):
    """Each element several times.

    Args:
      x: array.
      repeats: int, or a vector with a number for each element along the axis.
      axis: int; None: the elements as a vector.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.repeat(tf.constant([1, 2]), 2).numpy().tolist()
      [1, 1, 2, 2]
    """
    return tf.repeat(one("repeat", x), repeats, axis)


def tile(x, repetitions, /):
    """The whole array several times along each axis.

    Args:
      x: array.
      repetitions: tuple of ints; if there are more than axes, axes of size 1 are put in front.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.tile(tf.constant([1, 2]), (2, 1)).numpy().tolist()
      [[1, 2], [1, 2]]
    """
    x = one("tile", x)
    return tf.experimental.numpy.tile(x, list(repetitions)) if repetitions else x
