"""Products of arrays. Integers of all widths: the low bits of products of wider ones are right."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.array_api.arguments import NUMERIC, two
from tracefn.array_api.manipulation import check_axis
from tracefn.experimental.numpy import linear_algebra as numpy_products
from tracefn.experimental.numpy.manipulation import moveaxis

tf = root()


def _of_wide_integers(compute, x1, x2):
    """`compute` of two arrays, whose dtypes MatMul may not have."""
    dtype = x1.dtype
    if not dtype.is_integer or dtype in (tf.int32, tf.int64):
        return compute(x1, x2)
    wide = tf.int32 if dtype.size < 4 else tf.int64
    return tf.cast(compute(tf.cast(x1, wide), tf.cast(x2, wide)), dtype)


def matmul(x1, x2, /):
    """Matrix products of the last two axes; the others broadcast. Vectors stand for rows on the left, columns on the right.

    Raises:
      ValueError: an argument is a scalar, or the sizes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.matmul(tf.constant([[1, 2]]), tf.constant([3, 4])).numpy().tolist()
      [11]
    """
    x1, x2 = two("matmul", x1, x2, NUMERIC)
    return _of_wide_integers(numpy_products.matmul, x1, x2)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over pairs of axes.

    Args:
      x1, x2: arrays of numbers.
      axes: int, how many last axes of x1 and first axes of x2; or two sequences of axes.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.tensordot(tf.constant([[1, 2]]), tf.constant([[3], [4]]), axes=1).numpy().tolist()
      [[11]]
    """
    x1, x2 = two("tensordot", x1, x2, NUMERIC)
    if not isinstance(axes, int):
        axes = [list(side) for side in axes]
    return _of_wide_integers(lambda a, b: tf.tensordot(a, b, axes), x1, x2)


def vecdot(x1, x2, /, *, axis=-1):
    """Sums of products along an axis, of x1's conjugates; the other axes broadcast.

    Args:
      x1, x2: arrays of numbers.
      axis: int, counted from the end.

    Raises:
      ValueError: the vectors have different sizes.

    Example:
      >>> import tracefn as tf
      >>> int(tf.array_api.vecdot(tf.constant([1, 2]), tf.constant([3, 4])))
      11
    """
    x1, x2 = two("vecdot", x1, x2, NUMERIC)
    for x in (x1, x2):
        check_axis("vecdot", axis, x.shape.rank)
    x1, x2 = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    sizes = (x1.shape[-1], x2.shape[-1]) if None not in (x1.shape.rank, x2.shape.rank) else (None, None)
    if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError(f"vecdot: vectors of sizes {sizes[0]} and {sizes[1]}")
    return tf.reduce_sum(tf.math.conj(x1) * x2 if x1.dtype.is_complex else x1 * x2, -1)
