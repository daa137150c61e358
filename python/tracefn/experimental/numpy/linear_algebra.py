"""Products of arrays."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.experimental.numpy.arrays import broadcast, choose, promoted, promoted_pair, rank_of, size_of
from tracefn.experimental.numpy.creation import asarray
from tracefn.experimental.numpy.manipulation import moveaxis

tf = root()


def _is_scalar(*arrays):
    """Whether one of them has rank 0: a bool, or a tensor."""
    first, second = (rank_of(a) == 0 for a in arrays)
    return first or second if isinstance(first, bool) and isinstance(second, bool) else tf.logical_or(first, second)


def dot(a, b):
    """Sums of products over the last axis of `a` and the second last (of a vector, the only) axis of `b`.

    Args:
      a, b: arrays; a scalar multiplies.

    Returns:
      A tensor of their promoted dtype.

    Example:
      >>> import tracefn as tf
      >>> int(tf.experimental.numpy.dot([1, 2], [3, 4]))
      11
    """
    a, b = promoted_pair(a, b)

    def product():
        return choose(
            rank_of(b) == 1,
            lambda: tf.tensordot(a, b, [[-1], [-1]]),
            lambda: tf.tensordot(a, b, [[-1], [-2]]),
        )

    return choose(_is_scalar(a, b), lambda: tf.multiply(a, b), product)


def inner(a, b):
    """Sums of products over the last axes.

    Args:
      a, b: arrays; a scalar multiplies.

    Returns:
      A tensor of their promoted dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.inner([1, 2], [[3, 4], [5, 6]]).numpy().tolist()
      [11, 17]
    """
    a, b = promoted_pair(a, b)
    return choose(_is_scalar(a, b), lambda: tf.multiply(a, b), lambda: tf.tensordot(a, b, [[-1], [-1]]))


def vdot(a, b):
    """The sum of products of all elements; those of a complex `a` are conjugated.

    Example:
      >>> import tracefn as tf
      >>> complex(tf.experimental.numpy.vdot([1j], [1j]))
      (1+0j)
    """
    a, b = (tf.reshape(x, [-1]) for x in promoted(a, b))
    return dot(tf.math.conj(a) if a.dtype.is_complex else a, b)


def outer(a, b):
    """All products of an element of `a` and one of `b`: a matrix.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.outer([1, 2], [3, 4]).numpy().tolist()
      [[3, 4], [6, 8]]
    """
    a, b = promoted_pair(a, b)
    return tf.multiply(tf.reshape(a, [-1, 1]), tf.reshape(b, [-1]))


def matmul(x1, x2):
    """Matrix products of the last two axes; the others broadcast. Vectors stand for rows on the left, columns on the right.

    Raises:
      ValueError: an argument is a scalar, or the sizes do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.matmul([[1, 2]], [3, 4.5]).numpy().tolist()
      [12.0]
    """
    x1, x2 = promoted_pair(x1, x2)
    if 0 in (x1.shape.rank, x2.shape.rank):
        raise ValueError(f"matmul takes arrays of rank 1 at least, got shapes {x1.shape} and {x2.shape}")

    def from_left():
        return choose(rank_of(x1) == 1, lambda: tf.tensordot(x1, x2, [[0], [-2]]), lambda: tf.matmul(x1, x2))

    try:
        return choose(rank_of(x2) == 1, lambda: tf.tensordot(x1, x2, 1), from_left)
    except tf.errors.InvalidArgumentError as error:
        raise ValueError(str(error)) from error


def tensordot(a, b, axes=2):
    """Sums of products over pairs of axes.

    Args:
      a, b: arrays.
      axes: int, how many last axes of `a` and first axes of `b`; or two sequences of axes.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.tensordot([[1, 2]], [[3], [4]], 1).numpy().tolist()
      [[11]]
    """
    a, b = promoted_pair(a, b)
    return tf.tensordot(a, b, axes)


def kron(a, b):
    """Kronecker product: `b` times each element of `a`, in place of the element.

    Raises:
      ValueError: a rank is unknown.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.kron([1, 10], [1, 2]).numpy().tolist()
      [1, 2, 10, 20]
    """
    a, b = promoted(a, b)
    if a.shape.rank is None or b.shape.rank is None:
        raise ValueError("kron needs arrays of known rank.")
    rank = max(a.shape.rank, b.shape.rank)

    def sizes(x):
        return tf.concat([tf.ones([rank - x.shape.rank], tf.int32), tf.shape(x)], 0)

    def beside_ones(shape, position: int):
        """The sizes, and ones before (1) or after (0) each."""
        pair = [shape, tf.ones_like(shape)] if position == 0 else [tf.ones_like(shape), shape]
        return tf.reshape(tf.stack(pair, 1), [-1])

    of_a, of_b = sizes(a), sizes(b)
    products = tf.multiply(tf.reshape(a, beside_ones(of_a, 0)), tf.reshape(b, beside_ones(of_b, 1)))
    return tf.reshape(products, of_a * of_b)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Cross products of vectors with 2 or 3 elements, along an axis.

    Args:
      a, b: arrays of shapes that broadcast but for the axis.
      axisa, axisb: ints, the axes of the vectors.
      axisc: int, the axis of the products in the result; it has none if all vectors have 2 elements.
      axis: int; given, it stands for the other three.

    Raises:
      ValueError: vectors have neither 2 nor 3 elements.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.cross([1, 0, 0], [0, 1, 0]).numpy().tolist()
      [0, 0, 1]
    """
    a, b = promoted_pair(a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    sizes = size_of(a, -1), size_of(b, -1)
    if any(isinstance(size, int) and size not in (2, 3) for size in sizes):
        raise ValueError(f"incompatible dimensions for cross product (dimension must be 2 or 3): got {sizes}")
    (a0, a1, a2), (b0, b1, b2) = _three_parts(a), _three_parts(b)
    last = a0 * b1 - a1 * b0
    only_last = sizes == (2, 2) if all(isinstance(size, int) for size in sizes) else tf.equal(sizes[0] + sizes[1], 4)

    def whole():
        return moveaxis(tf.stack(broadcast(a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, last), -1), -1, axisc)

    return choose(only_last, lambda: last, whole)


def _three_parts(x):
    """The three elements of each vector in the last axis; the third one is 0 if there are two."""
    size = size_of(x, -1)
    if not isinstance(size, int):
        rank = rank_of(x)
        x = tf.pad(x, tf.concat([tf.zeros([rank - 1, 2], tf.int32), [[0, 3 - size]]], 0))
        return [tf.gather(x, i, axis=-1) for i in range(3)]
    found = tf.unstack(x, size, axis=-1)
    return found if size == 3 else [*found, tf.zeros([], x.dtype)]


_OPTIMIZE = {False: "greedy", True: "greedy", "greedy": "greedy", "optimal": "optimal"}


def einsum(subscripts, *operands, **kwargs):
    """Sums of products, named by the letters of axes.

    Args:
      subscripts: string, "ij,jk->ik".
      *operands: arrays.
      **kwargs: casting, "safe" (promotion, the default) or "no"; optimize, False, True, "greedy" or "optimal".

    Raises:
      ValueError: another value of `casting` or `optimize`, or the subscripts do not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.einsum("ij,j->i", [[1, 2]], [3, 4]).numpy().tolist()
      [11]
    """
    casting, optimize = kwargs.get("casting", "safe"), kwargs.get("optimize", False)
    if casting not in ("safe", "no"):
        raise ValueError(
            'Invalid value for argument `casting`. Expected casting="safe" or casting="no". '
            f"Received: casting={casting}"
        )
    operands = promoted(*operands) if casting == "safe" else [asarray(x) for x in operands]
    if optimize not in _OPTIMIZE:
        raise ValueError(
            'Invalid value for argument `optimize`. Expected one of {True, "greedy", "optimal"}. '
            f"Received: optimize={optimize}"
        )
    return tf.einsum(subscripts, *operands, optimize=_OPTIMIZE[optimize])
