"""Elements by index: NumPy's subscripts with arrays, selection by conditions, and updates at indices."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.experimental.numpy.arrays import promoted, tensor
from tracefn.experimental.numpy.manipulation import atleast_1d, ravel, with_axes_exchanged

tf = root()


def nonzero(a):
    """Indices of the elements that are not 0: a list with a vector for each axis.

    Raises:
      ValueError: the rank is unknown.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.experimental.numpy.nonzero([[0, 5], [6, 0]])]
      [[0, 1], [1, 0]]
    """
    a = atleast_1d(a)
    if a.shape.rank is None:
        raise ValueError("The rank of `a` is unknown, so we can't decide how many arrays to return.")
    return tf.unstack(tf.where(tf.cast(a, tf.bool)), a.shape.rank, axis=1)


def where(condition, x=None, y=None):
    """Elements of x where a condition is true, else of y. Without them: `nonzero(condition)`.

    Args:
      condition: array; numbers other than 0 are true.
      x, y: arrays of shapes that broadcast; they get their promoted dtype.

    Raises:
      ValueError: just one of x and y is given.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.where([True, False], 1, 2.5).numpy().tolist()
      [1.0, 2.5]
    """
    condition = tensor(condition, tf.bool)
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return tf.where(condition, *promoted(x, y))


def select(condlist, choicelist, default=0):
    """The elements of the first choice whose condition is true.

    Args:
      condlist: sequence of arrays.
      choicelist: sequence of arrays, as many.
      default: number or array, where no condition is true.

    Raises:
      ValueError: the lists are empty or not equally long.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.select([[True, False]], [[1, 2]], 9).numpy().tolist()
      [1, 9]
    """
    if len(condlist) != len(choicelist):
        raise ValueError(f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})")
    if not len(condlist):
        raise ValueError("condlist must be non-empty")
    result, *choices = promoted(default, *choicelist)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        result = where(condition, choice, result)
    return result


def take(a, indices, axis=None, out=None, mode="clip"):
    """Elements at indices along an axis, of the elements as a vector if it is None.

    Args:
      a: array.
      indices: array of integers.
      axis: int or None.
      out: refused.
      mode: "clip": indices outside become the first or last; "wrap": they go round.

    Raises:
      ValueError: another mode, or `out` is given.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.take([1, 2, 3], [9, 0]).numpy().tolist()
      [3, 1]
    """
    if out is not None:
        raise ValueError("out argument is not supported in take.")
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"Invalid mode '{mode}' for take")
    if mode == "raise":
        raise ValueError("The 'raise' mode to take is not supported.")
    a, indices = tensor(a), tensor(indices)
    if axis is None:
        a, axis = tf.reshape(a, [-1]), 0
    count = tf.shape(a, out_type=indices.dtype)[axis]
    if mode == "clip":
        indices = tf.clip_by_value(indices, tf.zeros([], indices.dtype), count - 1)
    else:
        indices = tf.math.floormod(indices, count)
    return tf.gather(a, indices, axis=axis)


def take_along_axis(arr, indices, axis):
    """Elements at indices along an axis; for the others, those of the index itself.

    Args:
      arr: array.
      indices: array of integers, of the same rank; the shapes broadcast but for the axis.
      axis: int; None: the elements as a vector.

    Returns:
      A tensor of the shape of `indices`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.take_along_axis([[1, 2], [3, 4]], [[0], [1]], 1).numpy().tolist()
      [[1], [4]]
    """
    arr, indices = tensor(arr), tensor(indices)
    if axis is None:
        return take_along_axis(ravel(arr), indices, 0)
    arr, indices = with_axes_exchanged(arr, axis, -1), with_axes_exchanged(indices, axis, -1)
    outer = tf.broadcast_dynamic_shape(tf.shape(arr)[:-1], tf.shape(indices)[:-1])
    count = tf.shape(arr)[-1:]
    rows = tf.reshape(tf.broadcast_to(arr, tf.concat([outer, count], 0)), tf.concat([[-1], count], 0))
    places = tf.broadcast_to(indices, tf.concat([outer, tf.shape(indices)[-1:]], 0))
    places = tf.where(places < 0, places + tf.cast(count, places.dtype), places)
    flat = tf.reshape(places, tf.concat([[-1], tf.shape(indices)[-1:]], 0))
    result = tf.reshape(tf.gather(rows, flat, batch_dims=1), tf.shape(places))
    result.set_shape(places.shape)
    return with_axes_exchanged(result, axis, -1)


def compress(condition, a, axis=None):
    """The slices along an axis for which a condition is true; of the elements as a vector if the axis is None.

    Args:
      condition: vector; those that it is too short for are left out.
      a: array.
      axis: int or None.

    Raises:
      ValueError: `condition` is no vector, or longer than the axis.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.compress([False, True], [1, 2, 3]).numpy().tolist()
      [2]
    """
    condition, a = tensor(condition, tf.bool), atleast_1d(a)
    if condition.shape.rank != 1:
        raise ValueError("condition must be a 1-d array.")
    if axis is None:
        a, axis = ravel(a), 0
    axis = axis + a.shape.rank if axis < 0 else axis
    size, count = a.shape[axis], condition.shape[0]
    if size is not None and count is not None and count > size:
        raise ValueError(f"Shapes ({size},) and ({count},) are incompatible")
    return tf.gather(a, tf.reshape(tf.where(condition), [-1]), axis=axis)


def ix_(*args):
    """Vectors as indices of a grid: each along an axis of its own.

    Args:
      *args: vectors of integers, or of booleans, which stand for the indices of true elements.

    Returns:
      List of tensors.

    Raises:
      ValueError: an argument is no vector, or has another dtype.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.experimental.numpy.ix_([0, 1], [2])]
      [[[0], [1]], [[2]]]
    """
    grid = []
    for i, vector in enumerate(args):
        vector = tensor(vector)
        if vector.shape.rank not in (None, 1):
            raise ValueError(f"Arguments must be 1-d, got arg {i} of rank {vector.shape.rank}")
        if not (vector.dtype.is_bool or vector.dtype.is_integer):
            raise ValueError(f"Only integer and bool dtypes are supported, got {vector.dtype}")
        if vector.dtype.is_bool:
            vector = tf.reshape(tf.where(vector), [-1])
        shape = [1] * len(args)
        shape[i] = -1
        grid.append(tf.reshape(vector, shape))
    return grid
