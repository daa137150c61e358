"""The same elements in another shape or order."""

from __future__ import annotations

from tracefn import _numpy as np
from tracefn._namespaces import root
from tracefn.experimental.numpy.arrays import broadcast, choose, positive_axis, rank_of
from tracefn.experimental.numpy.creation import asarray

tf = root()


def reshape(a, newshape, order="C"):
    """The elements in another shape.

    Args:
      a: array.
      newshape: int, sequence of ints, or vector; one size may be -1.
      order: "C", rows first, or "F", columns first.

    Raises:
      ValueError: another order.
      InvalidArgumentError: the sizes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.reshape([1, 2, 3, 4], (2, 2), order="F").numpy().tolist()
      [[1, 3], [2, 4]]
    """
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order}")
    a = asarray(a)
    if isinstance(newshape, int):
        newshape = [newshape]
    if order == "C":
        return tf.reshape(a, newshape)
    return tf.transpose(tf.reshape(tf.transpose(a), newshape[::-1]))


def reshape_method(a, *newshape, **kwargs):
    """The method `reshape`: the sizes may be arguments of their own."""
    order = kwargs.pop("order", "C")
    if kwargs:
        raise ValueError(f"Unsupported arguments: {kwargs.keys()}")
    if len(newshape) == 1 and not isinstance(newshape[0], int):
        newshape = newshape[0]
    return reshape(a, newshape, order=order)


def ravel(a):
    """The elements as a vector.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.ravel([[1, 2], [3, 4]]).numpy().tolist()
      [1, 2, 3, 4]
    """
    return tf.reshape(asarray(a), [-1])


def flatten(a, order="C"):
    """The elements as a vector, in the order "C", "A" or "K" (rows first) or "F" (columns first).

    Raises:
      ValueError: another order.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.flatten([[1, 2], [3, 4]], "F").numpy().tolist()
      [1, 3, 2, 4]
    """
    if order not in ("C", "A", "K", "F"):
        raise ValueError("order can only be C, A, K (all row major) or F (column major).")
    a = asarray(a)
    return tf.reshape(tf.transpose(a) if order == "F" else a, [-1])


def expand_dims(a, axis):
    """A new axis of size 1.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.expand_dims([1, 2], 0).shape
      TensorShape([1, 2])
    """
    return tf.expand_dims(asarray(a), axis)


def squeeze(a, axis=None):
    """Without the axes of size 1: those named by `axis` (int or sequence), or all.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.squeeze([[[1, 2]]], 0).shape
      TensorShape([1, 2])
    """
    return tf.squeeze(asarray(a), axis)


def transpose(a, axes=None):
    """The axes in another order: reversed, or that of `axes`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.transpose([[1, 2], [3, 4]]).numpy().tolist()
      [[1, 3], [2, 4]]
    """
    return tf.transpose(asarray(a), axes if axes is None else asarray(axes))


def swapaxes(a, axis1, axis2):
    """Two axes exchanged.

    Raises:
      IndexError: there is no such axis, if the rank is known.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.swapaxes([[1, 2]], 0, 1).numpy().tolist()
      [[1], [2]]
    """
    a = asarray(a)
    rank = rank_of(a)
    axis1, axis2 = positive_axis(axis1, rank), positive_axis(axis2, rank)
    if any(isinstance(axis, int) and isinstance(rank, int) and axis >= rank for axis in (axis1, axis2)):
        raise IndexError(f"Axes {axis1} and {axis2} are not both axes of an array of rank {rank}.")
    return tf.transpose(a, _exchanged(rank, axis1, axis2))


def with_axes_exchanged(a, axis1, axis2):
    """As swapaxes, but axes that there are not are an error of the op that exchanges them."""
    rank = rank_of(a)
    return tf.transpose(a, _exchanged(rank, positive_axis(axis1, rank), positive_axis(axis2, rank)))


def _exchanged(rank, axis1, axis2):
    """The order of axes that exchanges two of them."""
    known = all(isinstance(x, int) for x in (rank, axis1, axis2))
    if known and all(-rank <= x < rank for x in (axis1, axis2)):
        order = list(range(rank))
        order[axis1], order[axis2] = axis2, axis1
        return order
    return tf.tensor_scatter_nd_update(tf.range(rank), [[axis1], [axis2]], [axis2, axis1])


def moveaxis(a, source, destination):
    """Axes moved to other places; the others keep their order.

    Args:
      a: array.
      source, destination: ints or sequences of ints, as many of each.

    Raises:
      ValueError: not as many of each.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.moveaxis(tf.zeros([2, 3, 4]), 0, -1).shape
      TensorShape([3, 4, 2])
    """
    if not isinstance(source, int) and not source and not isinstance(destination, int) and not destination:
        return a
    a = asarray(a)
    source = (source,) if isinstance(source, int) else tuple(source)
    destination = (destination,) if isinstance(destination, int) else tuple(destination)
    if len(source) != len(destination):
        raise ValueError("The lengths of source and destination must equal")
    rank = rank_of(a)
    source = [positive_axis(axis, rank) for axis in source]
    destination = [positive_axis(axis, rank) for axis in destination]
    if isinstance(rank, int):
        order = [axis for axis in range(rank) if axis not in source]
        for place, axis in sorted(zip(destination, source, strict=True)):
            order.insert(place, axis)
    else:
        # The other axes, in their order, go to the places that are left.
        places, axes = tf.cast(tf.stack(destination), tf.int32), tf.cast(tf.stack(source), tf.int32)
        order = tf.scatter_nd(_others(places, rank)[:, tf.newaxis], _others(axes, rank), [rank])
        order = tf.tensor_scatter_nd_update(order, places[:, tf.newaxis], axes)
    return tf.transpose(a, order)


def _others(numbers, count):
    """The numbers below `count` that are not in the vector."""
    everything = tf.range(count)
    return tf.boolean_mask(everything, tf.reduce_all(everything[:, tf.newaxis] != numbers, 1))


def flip(m, axis=None):
    """The elements in reverse order, along one axis (int) or all.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.flip([[1, 2], [3, 4]]).numpy().tolist()
      [[4, 3], [2, 1]]
    """
    m = asarray(m)
    rank = rank_of(m)
    return tf.reverse(m, tf.range(rank) if axis is None else [positive_axis(axis, rank)])


def flipud(m):
    """The rows in reverse order.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.flipud([[1, 2], [3, 4]]).numpy().tolist()
      [[3, 4], [1, 2]]
    """
    return flip(m, 0)


def fliplr(m):
    """The columns in reverse order.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.fliplr([[1, 2], [3, 4]]).numpy().tolist()
      [[2, 1], [4, 3]]
    """
    return flip(m, 1)


def roll(a, shift, axis=None):
    """The elements moved by `shift` places; those that leave at the end enter at the start.

    Args:
      a: array.
      shift: int or sequence of ints.
      axis: int or sequence of ints; None: the elements as a vector, then in the shape of `a` again.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.roll([1, 2, 3], 1).numpy().tolist()
      [3, 1, 2]
    """
    a = asarray(a)
    if axis is not None:
        return tf.roll(a, shift, axis)
    return tf.reshape(tf.roll(tf.reshape(a, [-1]), shift, 0), tf.shape(a))


def rot90(m, k=1, axes=(0, 1)):
    """Rotated by k quarter turns, from the first axis towards the second.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.rot90([[1, 2], [3, 4]]).numpy().tolist()
      [[2, 4], [1, 3]]
    """
    m = asarray(m)
    rank = rank_of(m)
    first, second = (positive_axis(axis, rank) for axis in axes)
    k = k % 4
    if k == 0:
        return m
    if k == 2:
        return flip(flip(m, first), second)
    order = _exchanged(rank, first, second)
    return tf.transpose(flip(m, second), order) if k == 1 else flip(tf.transpose(m, order), second)


def broadcast_arrays(*args, **kwargs):
    """The arrays in their common shape: a list; of one array a tuple, as in TensorFlow.

    Raises:
      ValueError: another argument than the arrays.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.experimental.numpy.broadcast_arrays([1, 2], 3)]
      [[1, 2], [3, 3]]
    """
    if kwargs.pop("subok", False):
        raise ValueError("subok=True is not supported.")
    if kwargs:
        raise ValueError(f"Received unsupported arguments {kwargs.keys()}")
    arrays = [asarray(arg) for arg in args]
    return broadcast(*arrays) if len(arrays) > 1 else tuple(arrays)


def _at_least(rank: int, front, arys):
    """The arrays with axes of size 1: all in front but for rank 3, where `front` says how many of the missing ones are."""

    def padded(a):
        a = asarray(a)
        have = rank_of(a)

        def grown():
            missing = rank - have
            before = front(have, missing)
            ones = tf.ones([before], tf.int32), tf.ones([missing - before], tf.int32)
            shape = tf.concat([ones[0], tf.shape(a), ones[1]], 0)
            shape.set_shape([rank])
            return tf.reshape(a, shape)

        return choose(have < rank, grown, lambda: a)

    arrays = [padded(a) for a in arys]
    return arrays[0] if len(arrays) == 1 else arrays


def atleast_1d(*arys):
    """Each array, a scalar as a vector: a tensor, or a list if there are several.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.atleast_1d(3).shape
      TensorShape([1])
    """
    return _at_least(1, lambda have, missing: missing, arys)


def atleast_2d(*arys):
    """Each array, with axes of size 1 in front up to rank 2: a tensor, or a list if there are several.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.atleast_2d([1, 2]).shape
      TensorShape([1, 2])
    """
    return _at_least(2, lambda have, missing: missing, arys)


def atleast_3d(*arys):
    """Each array with rank 3 at least: a vector becomes [1, n, 1], a matrix [m, n, 1].

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.atleast_3d([1, 2]).shape
      TensorShape([1, 2, 1])
    """
    return _at_least(3, lambda have, missing: missing // 2, arys)


def shape(a):
    """The shape, a `tf.TensorShape`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.shape([1, 2])
      TensorShape([2])
    """
    return asarray(a).shape


def ndim(a):
    """The rank, an int; None if it is unknown.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.ndim([[1]])
      2
    """
    return asarray(a).shape.rank


def size(x, axis=None):
    """The number of elements: a NumPy int64; of a number, 1; a scalar tensor if the shape is not known.

    Raises:
      NotImplementedError: `axis` is given.

    Example:
      >>> import tracefn as tf
      >>> int(tf.experimental.numpy.size([[1, 2]]))
      2
    """
    if axis is not None:
        raise NotImplementedError("axis argument is not supported in the current `np.size` implementation")
    if isinstance(x, (int, float, np.int32, np.int64, np.float32, np.float64)):
        return 1
    x = asarray(x)
    return np.int64(x.shape.num_elements()) if x.shape.is_fully_defined() else tf.size(x)
