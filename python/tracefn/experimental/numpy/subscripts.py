"""NumPy's subscripts: besides numbers, slices and new axes also arrays of integers and booleans, in any combination."""

from __future__ import annotations

from numbers import Integral

from tracefn import _numpy
from tracefn._namespaces import root
from tracefn.dimension import Dimension
from tracefn.experimental.numpy.arrays import broadcast, promoted, rank_of, tensor
from tracefn.experimental.numpy.manipulation import moveaxis

tf = root()

# Before `experimental_enable_numpy_behavior` replaces it.
_basic = tf.Tensor.__getitem__

_WRONG = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"
)


def _is_mask(key) -> bool:
    """Whether a subscript is a boolean array, or one boolean."""
    if isinstance(key, bool):
        return True
    return (isinstance(key, tf.Tensor) or _numpy.is_array(key)) and tf.as_dtype(key.dtype).is_bool


def _parts(key) -> tuple:
    """The subscripts. A list stands for a tuple if it holds anything but numbers."""
    if isinstance(key, tuple):
        return key
    if isinstance(key, list):
        for part in key:
            if part is None or part is Ellipsis or isinstance(part, (list, tuple, slice)):
                return tuple(key)
            if (isinstance(part, tf.Tensor) or _numpy.is_array(part)) and len(part.shape) != 0:
                return tuple(key)
    return (key,)


def _index(value):
    """An index as a number or an integer tensor; a boolean array as it is."""
    if isinstance(value, (Integral, Dimension)) and not isinstance(value, bool):
        return int(value)
    index = tensor(value, tf.int64 if isinstance(value, list) and not value else None)
    if index.dtype.is_bool:
        return index
    if not index.dtype.is_integer or index.dtype == tf.uint64:
        raise IndexError(f"{_WRONG}, got {value!r}")
    return index if index.dtype in (tf.int32, tf.int64) else tf.cast(index, tf.int64 if index.dtype == tf.uint32 else tf.int32)


def _bound(value):
    """A bound of a slice: a number or scalar tensor."""
    if value is None:
        return None
    index = _index(value)
    if isinstance(index, tf.Tensor) and (index.dtype.is_bool or index.shape.rank not in (None, 0)):
        raise IndexError(f"{_WRONG}, got {value!r}")
    return index


def _sorted_out(parts) -> tuple[list, dict]:
    """Subscripts without arrays, and the arrays: axis of the sliced tensor -> indices. Axes behind an ellipsis are negative."""
    basic: list = []
    arrays: dict = {}
    axis = 0  # of the result of the basic subscripts
    ellipsis_at = None
    for part in parts:
        if isinstance(part, slice):
            basic.append(slice(_bound(part.start), _bound(part.stop), _bound(part.step)))
            axis += 1
        elif part is Ellipsis:
            basic.append(part)
            ellipsis_at = axis
        elif part is None:
            basic.append(part)
            axis += 1
        else:
            index = _index(part)
            if isinstance(index, int) or index.shape.rank == 0 and not index.dtype.is_bool:
                basic.append(index)
                continue
            if index.dtype.is_bool:
                if not index.shape.rank:
                    raise NotImplementedError(f"Need rank 1 or more for bool index {part}")
                columns = tf.unstack(tf.where(index), index.shape.rank, axis=1)
            else:
                columns = [index]
            for column in columns:
                basic.append(slice(None))
                arrays[axis] = column
                axis += 1
    if ellipsis_at is not None:
        arrays = {place if place < ellipsis_at else place - axis: index for place, index in arrays.items()}
    return basic, arrays


def getitem(self, key):
    """`self[key]` by NumPy's rules.

    Args:
      self: tensor.
      key: boolean array of the shape of the first axes; or subscripts, which may be arrays. Numbers count as basic
        subscripts, as in TensorFlow: in `x[0, :, [1, 2]]` the axis of the array stays where it is.

    Raises:
      IndexError: a subscript has another type.
      InvalidArgumentError: an index is outside.
    """
    if _is_mask(key):
        return tf.boolean_mask(self, key)
    basic, arrays = _sorted_out(_parts(key))
    sliced = _basic(self, tuple(basic))
    if not arrays:
        return sliced
    rank = sliced.shape.rank
    if rank is not None:
        arrays = {axis + rank if axis < 0 else axis: index for axis, index in arrays.items()}
    axes = sorted(arrays)
    return _gathered(sliced, axes, [arrays[axis] for axis in axes])


def _gathered(x, axes, indices):
    """Elements at the indices along some axes, which broadcast together. Their axes are where the first one was if the
    axes are neighbours, else in front.
    """
    if len(axes) == 1:
        index = indices[0]
        size = tf.shape(x, out_type=index.dtype)[axes[0]]
        return tf.gather(x, tf.where(index < 0, index + size, index), axis=axes[0])
    place = tf.stack(broadcast(*promoted(*indices)), -1)
    moved = moveaxis(x, axes, range(len(axes)))
    sizes = tf.shape(moved, out_type=place.dtype)[: len(axes)]
    result = tf.gather_nd(moved, tf.where(place < 0, place + sizes, place))
    is_one_block = all(b - a == 1 for a, b in zip(axes, axes[1:], strict=False)) and axes[0] * axes[-1] >= 0
    if not is_one_block or axes[0] == 0:
        return result
    rank = place.shape.rank
    if rank is None:
        raise NotImplementedError("Rank of the advanced indices must currently be known")
    first = axes[0] if axes[0] > 0 else rank_of(x) + axes[0]
    return moveaxis(result, range(rank - 1), [first + i for i in range(rank - 1)])
