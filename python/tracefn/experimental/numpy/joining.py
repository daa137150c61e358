"""Several arrays as one, and one as several; repetition and padding."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.experimental.numpy.arrays import choose, promoted, rank_of
from tracefn.experimental.numpy.creation import asarray
from tracefn.experimental.numpy.manipulation import swapaxes

# With weak dtypes, the functions of arrays in `tf.experimental.numpy` keep them; those in the files here do not.
tf = root()


def concatenate(arys, axis=0):
    """Arrays one after the other along an axis.

    Args:
      arys: sequence of arrays; an array stands for itself.
      axis: int.

    Returns:
      A tensor of their promoted dtype.

    Raises:
      ValueError: there are no arrays.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.concatenate([[1], [2.5]]).numpy().tolist()
      [1.0, 2.5]
    """
    if not isinstance(arys, (list, tuple)):
        arys = [arys]
    if not arys:
        raise ValueError(f"Need at least one array to concatenate. Received empty input: arys={arys}")
    return tf.concat(promoted(*arys), axis)


def append(arr, values, axis=None):
    """`values` after `arr` along an axis; both as vectors if it is None.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.append([[1, 2]], 3).numpy().tolist()
      [1, 2, 3]
    """
    return concatenate([tf.experimental.numpy.ravel(arr), tf.experimental.numpy.ravel(values)]) if axis is None else concatenate([arr, values], axis)


def stack(arrays, axis=0):
    """Arrays of one shape along a new axis.

    Args:
      arrays: sequence of arrays; of a tensor, the first axis moves.
      axis: int, the new axis.

    Returns:
      A tensor of their promoted dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.stack([[1, 2], [3, 4]], 1).numpy().tolist()
      [[1, 3], [2, 4]]
    """
    if isinstance(arrays, tf.Tensor):
        return arrays if axis == 0 else swapaxes(arrays, 0, axis)
    return tf.stack(promoted(*arrays), axis)


def hstack(tup):
    """Arrays one after the other along the second axis; vectors and scalars along the only one.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.hstack([[1], 2]).numpy().tolist()
      [1, 2]
    """
    arrays = promoted(*(tf.experimental.numpy.atleast_1d(a) for a in tup))
    return choose(rank_of(arrays[0]) == 1, lambda: tf.concat(arrays, 0), lambda: tf.concat(arrays, 1))


def vstack(tup):
    """Arrays one after the other along the first axis; vectors are rows.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.vstack([[1, 2], [3, 4]]).numpy().tolist()
      [[1, 2], [3, 4]]
    """
    return tf.concat(promoted(*(tf.experimental.numpy.atleast_2d(a) for a in tup)), 0)


def dstack(tup):
    """Arrays one after the other along the third axis.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.dstack([[1, 2], [3, 4]]).numpy().tolist()
      [[[1, 3], [2, 4]]]
    """
    return tf.concat(promoted(*(tf.experimental.numpy.atleast_3d(a) for a in tup)), 2)


def _sizes(array, boundaries, axis: int) -> list:
    """The sizes of the parts between boundaries, which may lie beyond the end."""
    if axis >= len(array.shape):
        raise ValueError(f"axis {axis} is out of bound for shape {array.shape}")
    total = array.shape[axis]
    sizes, before, used = [], 0, 0
    for i, boundary in enumerate(boundaries):
        if boundary < before:
            raise ValueError(f"The {i}-th boundary {boundary} is smaller than the previous boundary {before}")
        sizes.append(min(boundary - before, max(0, total - used)))
        used += sizes[-1]
        before = boundary
    return [*sizes, max(0, total - used)]


def _between(array, boundaries, axis: int) -> list:
    """The parts between boundaries of an axis of unknown size."""
    front = [slice(None)] * axis if axis >= 0 else [Ellipsis]
    back = [slice(None)] * (-1 - axis)  # empty for an axis counted from the front
    edges = [0, *boundaries, None]
    return [array[(*front, slice(a, b), *back)] for a, b in zip(edges, edges[1:], strict=False)]


def split(ary, indices_or_sections, axis=0):
    """Parts along an axis.

    Args:
      ary: array.
      indices_or_sections: int, how many equal parts; or a sequence of indices at which parts begin.
      axis: int.

    Returns:
      List of tensors.

    Raises:
      ValueError: the parts are not equal, the indices decrease, or there is no such axis.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.experimental.numpy.split([1, 2, 3, 4], [1, 3])]
      [[1], [2, 3], [4]]
    """
    ary = asarray(ary)
    if not isinstance(indices_or_sections, int):
        if ary.shape.rank is None or (axis < ary.shape.rank and ary.shape[axis] is None):
            return _between(ary, indices_or_sections, axis)
        indices_or_sections = _sizes(ary, indices_or_sections, axis)
    return tf.split(ary, indices_or_sections, axis=axis)


def _split(ary, indices_or_sections, axis: int):
    ary = asarray(ary)
    if isinstance(indices_or_sections, int):
        size = ary.shape[axis]
        if size is not None and size % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return split(ary, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    """Parts along the first axis, see `split`.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.experimental.numpy.vsplit([[1], [2]], 2)]
      [[[1]], [[2]]]
    """
    return _split(ary, indices_or_sections, 0)


def hsplit(ary, indices_or_sections):
    """Parts along the second axis, of a vector along its only one; see `split`.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.experimental.numpy.hsplit([1, 2], 2)]
      [[1], [2]]
    """
    ary = asarray(ary)
    return _split(ary, indices_or_sections, 0 if ary.shape.rank == 1 else 1)


def dsplit(ary, indices_or_sections):
    """Parts along the third axis, see `split`.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.experimental.numpy.dsplit([[[1, 2]]], 2)]
      [[[[1]]], [[[2]]]]
    """
    return _split(ary, indices_or_sections, 2)


def repeat(a, repeats, axis=None):
    """Each element several times.

    Args:
      a: array.
      repeats: int, or a vector with a number for each element along the axis.
      axis: int; None: the elements as a vector.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.repeat([1, 2], [2, 1]).numpy().tolist()
      [1, 1, 2]
    """
    a = asarray(a)
    times = asarray(repeats)
    result = tf.repeat(a, times, axis)
    known = tf.get_static_value(times)
    if known is not None and a.shape.is_fully_defined():
        sizes = a.shape.as_list() if axis is not None else [a.shape.num_elements()]
        place = axis or 0
        sizes[place] = sizes[place] * int(known.reshape(-1)[0]) if known.size == 1 else int(known.sum())
        result.set_shape(sizes)
    return result


def tile(a, reps):
    """The whole array several times along each axis.

    Args:
      a: array.
      reps: int or sequence of ints; if there are more than axes, axes of size 1 are put in front.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.tile([1, 2], (2, 1)).numpy().tolist()
      [[1, 2], [1, 2]]
    """
    a = asarray(a)
    reps = tf.reshape(asarray(reps, tf.int32), [-1])
    rank, count = rank_of(a), reps.shape[0]
    if isinstance(rank, int) and count is not None:
        more_axes, more_reps = max(count - rank, 0), max(rank - count, 0)
    else:
        missing = tf.size(reps) - rank
        more_axes, more_reps = tf.maximum(missing, 0), tf.maximum(-missing, 0)
    a = tf.reshape(a, tf.concat([tf.ones([more_axes], tf.int32), tf.shape(a)], 0))
    return tf.tile(a, tf.concat([tf.ones([more_reps], tf.int32), reps], 0))


def pad(array, pad_width, mode, **kwargs):
    """More elements before and after those of each axis.

    Args:
      array: array.
      pad_width: matrix: for each axis, how many before and after.
      mode: "constant", "reflect" or "symmetric".
      **kwargs: constant_values, a number for mode "constant"; 0 by default.

    Raises:
      ValueError: another mode.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.pad([1, 2], [[1, 1]], "reflect").numpy().tolist()
      [2, 1, 2, 1]
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}")
    return tf.pad(
        asarray(array), asarray(pad_width, tf.int32), mode=mode.upper(), constant_values=kwargs.get("constant_values", 0)
    )
