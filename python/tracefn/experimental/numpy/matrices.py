"""Diagonals, triangles and other matrices of a given form."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.experimental.numpy.arrays import choose, rank_of, size_of, tensor
from tracefn.experimental.numpy.creation import asarray
from tracefn.experimental.numpy.dtype_rules import inferred_float, result_type
from tracefn.experimental.numpy.manipulation import moveaxis
from tracefn.experimental.numpy.statistics import sum as total

tf = root()


def eye(N, M=None, k=0, dtype=float):
    """Ones on a diagonal of a matrix of zeros.

    Args:
      N: int, rows.
      M: int, columns; None: as many.
      k: int, the diagonal; positive ones are above the main one.
      dtype: dtype of the result; None: the default float.

    Returns:
      Matrix.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.eye(2, 3, k=1, dtype=int).numpy().tolist()
      [[0, 1, 0], [0, 0, 1]]
    """
    dtype = inferred_float() if dtype is None else result_type(dtype)
    rows, columns, k = int(N), int(M or N), int(k)
    length = min(rows, columns - k) if k >= 0 else min(rows + k, columns)
    if length <= 0:
        return tf.zeros([rows, columns], dtype)
    return tf.linalg.diag(tf.ones([length], dtype), num_rows=rows, num_cols=columns, k=k)


def identity(n, dtype=float):
    """The identity matrix with n rows.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.identity(2, int).numpy().tolist()
      [[1, 0], [0, 1]]
    """
    return eye(n, n, dtype=dtype)


def diag(v, k=0):
    """A matrix with a vector on diagonal k, or the diagonal k of a matrix.

    Args:
      v: vector or matrix.
      k: int, the diagonal; positive ones are above the main one.

    Returns:
      Matrix or vector.

    Raises:
      ValueError: `v` has more than two axes.
      InvalidArgumentError: `v` is a scalar.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.diag([1, 2], 1).numpy().tolist()
      [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    """
    v = asarray(v)
    v.shape.with_rank_at_most(2)
    rank = rank_of(v)
    if isinstance(rank, int):
        tf.Assert(rank in (1, 2), [rank])
    else:
        with tf.control_dependencies([tf.Assert((rank == 1) | (rank == 2), [rank])]):
            v = tf.identity(v)
    return choose(rank == 1, lambda: _with_diagonal(v, k), lambda: _diagonal(v, k))


def _with_diagonal(v, k):
    return choose(
        size_of(v, 0) == 0, lambda: tf.zeros([abs(k), abs(k)], v.dtype), lambda: tf.linalg.diag(v, k=k)
    )


def _diagonal(a, k):
    """The diagonal k of the matrices in the last two axes; it is empty if k lies outside."""
    rows, columns = size_of(a, -2), size_of(a, -1)
    if isinstance(rows, int) and isinstance(columns, int):
        outside = k <= -rows or k >= columns
    else:
        outside = (k <= -rows) | (k >= columns)

    def nothing():
        return tf.zeros(tf.concat([tf.shape(a)[:-2], [0]], 0), a.dtype)

    return choose(outside, nothing, lambda: tf.linalg.diag_part(a, k=k))


def diagonal(a, offset=0, axis1=0, axis2=1):
    """Diagonals of the matrices in two axes; they become the last axis.

    Args:
      a: array of rank 2 at least.
      offset: int, which diagonal.
      axis1, axis2: ints, the axes of rows and columns.

    Returns:
      A tensor, of one rank less.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.diagonal([[1, 2], [3, 4]]).numpy().tolist()
      [1, 4]
    """
    return _diagonal(moveaxis(asarray(a), (axis1, axis2), (-2, -1)), offset)


def diagflat(v, k=0):
    """A matrix with the elements of an array on diagonal k.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.diagflat([[1], [2]]).numpy().tolist()
      [[1, 0], [0, 2]]
    """
    return diag(tf.reshape(asarray(v), [-1]), k)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """Sums of diagonals.

    Args:
      a, offset, axis1, axis2: see `diagonal`.
      dtype: dtype of the sum; None: that of `a`; for sums of `diagonal`, that of `sum`.

    Returns:
      A tensor, of two ranks less.

    Example:
      >>> import tracefn as tf
      >>> int(tf.experimental.numpy.trace([[1, 2], [3, 4]]))
      5
    """
    a = asarray(a, dtype)
    rank = a.shape.rank
    if offset == 0 and rank is not None and axis1 in (-2, rank - 2) and axis2 in (-1, rank - 1):
        return tf.linalg.trace(a)
    return total(diagonal(a, offset, axis1, axis2), -1, dtype)


def tri(N, M=None, k=0, dtype=None):
    """Ones at and below diagonal k.

    Args:
      N: int, rows.
      M: int, columns; None: as many.
      k: int, the diagonal.
      dtype: dtype of the result; None: the default float.

    Returns:
      Matrix.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.tri(2, 3, dtype=int).numpy().tolist()
      [[1, 0, 0], [1, 1, 0]]
    """
    columns = N if M is None else M
    dtype = inferred_float() if dtype is None else result_type(dtype)
    places = tf.range(columns) <= tf.range(N)[:, tf.newaxis] + k
    return tf.cast(places, dtype)


def _triangle(name: str, m, k: int, below: bool):
    m = asarray(m)
    if m.shape.rank is None:
        raise ValueError(f"Argument to {name} should have known rank")
    if m.shape.rank < 2:
        raise ValueError(f"Argument to {name} must have rank at least 2")
    rows, columns = size_of(m, -2), size_of(m, -1)
    places = tri(rows, columns, k if below else k - 1, dtype=bool)
    if not below:
        places = tf.logical_not(places)
    return tf.where(places, m, tf.zeros([], m.dtype))


def tril(m, k=0):
    """Matrices with zeros above diagonal k.

    Args:
      m: array of rank 2 at least.
      k: int.

    Raises:
      ValueError: the rank is unknown or less than 2.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.tril([[1, 2], [3, 4]]).numpy().tolist()
      [[1, 0], [3, 4]]
    """
    return _triangle("tril", m, k, below=True)


def triu(m, k=0):
    """Matrices with zeros below diagonal k.

    Args:
      m: array of rank 2 at least.
      k: int.

    Raises:
      ValueError: the rank is unknown or less than 2.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.triu([[1, 2], [3, 4]]).numpy().tolist()
      [[1, 2], [0, 4]]
    """
    return _triangle("triu", m, k, below=False)


def diag_indices(n, ndim=2):
    """Indices of the main diagonal of an array with `ndim` axes of size n.

    Raises:
      ValueError: an argument is negative.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.experimental.numpy.diag_indices(2)]
      [[0, 1], [0, 1]]
    """
    if n < 0:
        raise ValueError(f"n argument to diag_indices must be nonnegative, got {n}")
    if ndim < 0:
        raise ValueError(f"ndim argument to diag_indices must be nonnegative, got {ndim}")
    return (tf.range(n),) * ndim


def vander(x, N=None, increasing=False):
    """Powers of the elements of a vector: a row for each.

    Args:
      x: vector.
      N: int, how many powers; None: as many as elements.
      increasing: whether the powers begin with 0; by default they end with it.

    Returns:
      Matrix.

    Raises:
      ValueError: N is negative or x is no vector.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.vander([2, 3], 3).numpy().tolist()
      [[4, 2, 1], [9, 3, 1]]
    """
    x = asarray(x)
    if x.shape.rank not in (None, 1):
        raise ValueError("x must be a one-dimensional array")
    count = size_of(x, 0) if N is None else N
    known = tf.get_static_value(count) if isinstance(count, tf.Tensor) else count
    if known is not None and known < 0:
        raise ValueError("N must be nonnegative")
    powers = tf.range(count) if increasing else tf.range(count - 1, -1, -1)
    return tf.pow(tf.expand_dims(x, -1), tensor(powers, x.dtype))
