"""`tf.array_api.linalg`: the standard's linear algebra."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tracefn._missing import getter
from tracefn._namespaces import root
from tracefn.array_api.arguments import ALL, NUMERIC, as_dtype, one, two
from tracefn.array_api.linear_algebra import matmul, tensordot, vecdot
from tracefn.array_api.manipulation import check_axis, matrix_transpose
from tracefn.array_api.statistics import sum as total
from tracefn.experimental.numpy.matrices import diagonal as numpy_diagonal

tf = root()

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_norm",
    "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals",
    "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip
__getattr__ = getter("array_api.linalg")

_FLOATING = ("real floating", "complex floating")


class eigh_result(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    eigenvalues: Any
    eigenvectors: Any


class eig_result(NamedTuple):
    """Eigenvalues, and eigenvectors as columns; complex."""

    eigenvalues: Any
    eigenvectors: Any


class qr_result(NamedTuple):
    """Orthonormal columns, and an upper triangle."""

    Q: Any
    R: Any


class slogdet_result(NamedTuple):
    """The sign of a determinant, and the logarithm of its absolute value."""

    sign: Any
    logabsdet: Any


class svd_result(NamedTuple):
    """Left vectors, singular values, and right vectors, conjugated and as rows."""

    U: Any
    S: Any
    Vh: Any


def _matrices(name: str, x, kinds=_FLOATING):
    x = one(name, x, kinds)
    if x.shape.rank is not None and x.shape.rank < 2:
        raise ValueError(f"{name} takes matrices, got an array of shape {x.shape}")
    return x


def cholesky(x, /, *, upper=False):
    """The triangle L of L L^H = x.

    Args:
      x: positive definite matrices.
      upper: whether to return L^H.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.linalg.cholesky(tf.constant([[4.0]])).numpy().tolist()
      [[2.0]]
    """
    lower = tf.linalg.cholesky(_matrices("cholesky", x))
    return tf.linalg.adjoint(lower) if upper else lower


def cross(x1, x2, /, *, axis=-1):
    """Cross products of vectors with 3 elements, along an axis; the other axes broadcast.

    Raises:
      ValueError: the vectors have another size.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.linalg.cross(tf.constant([1, 0, 0]), tf.constant([0, 1, 0])).numpy().tolist()
      [0, 0, 1]
    """
    x1, x2 = two("cross", x1, x2, NUMERIC)
    for x in (x1, x2):
        check_axis("cross", axis, x.shape.rank)
        if x.shape.rank is not None and x.shape[axis] not in (3, None):
            raise ValueError(f"cross takes vectors of 3 elements, got {x.shape[axis]}")
    return tf.experimental.numpy.cross(x1, x2, axis=axis)


def det(x, /):
    """Determinants.

    Example:
      >>> import tracefn as tf
      >>> float(tf.array_api.linalg.det(tf.constant([[2.0, 0.0], [0.0, 3.0]])))
      6.0
    """
    return tf.linalg.det(_matrices("det", x))


def diagonal(x, /, *, offset=0):
    """Diagonals of matrices.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.linalg.diagonal(tf.constant([[1, 2], [3, 4]])).numpy().tolist()
      [1, 4]
    """
    return numpy_diagonal(_matrices("diagonal", x, ALL), offset, -2, -1)


def eigh(x, /):
    """Eigenvalues in ascending order and eigenvectors of Hermitian matrices.

    Returns:
      Named tuple of `eigenvalues` and `eigenvectors`.
    """
    values, vectors = tf.linalg.eigh(_matrices("eigh", x))
    return eigh_result(_real(values), vectors)


def _real(values):
    return tf.math.real(values) if values.dtype.is_complex else values


def eigvalsh(x, /):
    """Eigenvalues of Hermitian matrices, in ascending order."""
    return _real(tf.linalg.eigvalsh(_matrices("eigvalsh", x)))


def eig(x, /):
    """Eigenvalues and eigenvectors of matrices: a named tuple `eigenvalues`, `eigenvectors` of complex arrays."""
    return eig_result(*tf.linalg.eig(_matrices("eig", x)))


def eigvals(x, /):
    """Eigenvalues of matrices, complex."""
    return tf.linalg.eigvals(_matrices("eigvals", x))


def inv(x, /):
    """Inverse matrices.

    Raises:
      InvalidArgumentError: a matrix is singular.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.linalg.inv(tf.constant([[2.0]])).numpy().tolist()
      [[0.5]]
    """
    return tf.linalg.inv(_matrices("inv", x))


def solve(x1, x2, /):
    """Solutions y of x1 y = x2.

    Args:
      x1: square matrices.
      x2: a vector, or matrices whose columns are solved for.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.linalg.solve(tf.constant([[2.0]]), tf.constant([3.0])).numpy().tolist()
      [1.5]
    """
    x1, x2 = two("solve", x1, x2, _FLOATING)
    is_vector = x2.shape.rank == 1
    if is_vector:
        x2 = x2[:, tf.newaxis]
    batch = tf.broadcast_dynamic_shape(tf.shape(x1)[:-2], tf.shape(x2)[:-2])
    x1, x2 = (tf.broadcast_to(x, tf.concat([batch, tf.shape(x)[-2:]], 0)) for x in (x1, x2))
    result = tf.linalg.solve(x1, x2)
    return tf.squeeze(result, -1) if is_vector else result


def matrix_power(x, n, /):
    """Products of n equal matrices; of inverses if n is negative.

    Args:
      x: square matrices.
      n: int.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.linalg.matrix_power(tf.constant([[1.0, 1.0], [0.0, 1.0]]), 5).numpy().tolist()
      [[1.0, 5.0], [0.0, 1.0]]
    """
    x = _matrices("matrix_power", x)
    if n < 0:
        x, n = tf.linalg.inv(x), -n
    result = tf.eye(tf.shape(x)[-1], batch_shape=tf.shape(x)[:-2], dtype=x.dtype)
    result.set_shape(x.shape)
    while n:
        if n % 2:
            result = tf.matmul(result, x)
        n //= 2
        x = tf.matmul(x, x) if n else x
    return result


def outer(x1, x2, /):
    """All products of an element of one vector and one of another.

    Raises:
      ValueError: an argument is no vector.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.linalg.outer(tf.constant([1, 2]), tf.constant([3, 4])).numpy().tolist()
      [[3, 4], [6, 8]]
    """
    x1, x2 = two("outer", x1, x2, NUMERIC)
    if not {x1.shape.rank, x2.shape.rank} <= {1, None}:
        raise ValueError(f"outer takes vectors, got shapes {x1.shape} and {x2.shape}")
    return tf.multiply(tf.reshape(x1, [-1, 1]), tf.reshape(x2, [1, -1]))


def trace(x, /, *, offset=0, dtype=None):
    """Sums of diagonals, in the dtype of `sum`.

    Example:
      >>> import tracefn as tf
      >>> int(tf.array_api.linalg.trace(tf.constant([[1, 2], [3, 4]])))
      5
    """
    return total(diagonal(_matrices("trace", x, NUMERIC), offset=offset), axis=-1, dtype=dtype)


def slogdet(x, /):
    """Signs of determinants, and logarithms of their absolute values: a named tuple `sign`, `logabsdet`."""
    sign, logarithm = tf.linalg.slogdet(_matrices("slogdet", x))
    return slogdet_result(sign, _real(logarithm))


def svd(x, /, *, full_matrices=True):
    """Singular values, in descending order, and vectors: a named tuple `U`, `S`, `Vh`."""
    s, u, v = tf.linalg.svd(_matrices("svd", x), full_matrices=full_matrices)
    return svd_result(u, _real(s), tf.linalg.adjoint(v))


def svdvals(x, /):
    """Singular values, in descending order."""
    return _real(tf.linalg.svd(_matrices("svdvals", x), compute_uv=False))


def qr(x, /, *, mode="reduced"):
    """Orthonormal columns Q and a triangle R with Q R = x: a named tuple.

    Args:
      x: matrices.
      mode: "reduced", or "complete": Q is square.

    Raises:
      ValueError: another mode.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode must be 'reduced' or 'complete', got {mode!r}")
    return qr_result(*tf.linalg.qr(_matrices("qr", x), full_matrices=mode == "complete"))


def _least(x, values, rtol):
    """The least singular value that counts: `rtol` times the greatest one."""
    if rtol is None:
        rtol = tf.cast(tf.reduce_max(tf.shape(x)[-2:]), values.dtype) * tf.array_api.finfo(values.dtype).eps
    return tf.reduce_max(values, -1, keepdims=True) * tf.expand_dims(as_dtype(rtol, values.dtype), -1)


def matrix_rank(x, /, *, rtol=None):
    """How many singular values are not small: int64.

    Args:
      x: matrices.
      rtol: number or array: which part of the greatest singular value is small; None: the longer side times eps.
    """
    x = _matrices("matrix_rank", x)
    values = svdvals(x)
    return tf.math.count_nonzero(values > _least(x, values, rtol), -1)


def pinv(x, /, *, rtol=None):
    """Pseudo-inverses: of the singular values that are not small, see `matrix_rank`."""
    x = _matrices("pinv", x)
    u, s, vh = svd(x, full_matrices=False)
    counts = s > _least(x, s, rtol)
    inverse = tf.where(counts, 1 / tf.where(counts, s, tf.ones_like(s)), tf.zeros_like(s))
    scaled = tf.linalg.adjoint(vh) * tf.cast(inverse[..., tf.newaxis, :], x.dtype)
    return tf.matmul(scaled, tf.linalg.adjoint(u))


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norms of matrices.

    Args:
      x: matrices.
      keepdims: whether the two axes stay, with size 1.
      ord: "fro" (root of the sum of squares), "nuc" (sum of singular values), 1, -1, inf, -inf (greatest or least sum of
        a column or row), 2, -2 (greatest or least singular value).

    Raises:
      ValueError: another ord.

    Example:
      >>> import tracefn as tf
      >>> float(tf.array_api.linalg.matrix_norm(tf.constant([[3.0, 4.0]])))
      5.0
    """
    x = _matrices("matrix_norm", x)
    extreme = tf.reduce_min if ord in (-1, -2, -math.inf) else tf.reduce_max
    if ord == "fro":
        result = tf.sqrt(tf.reduce_sum(tf.square(tf.abs(x)), [-2, -1]))
    elif ord == "nuc":
        result = tf.reduce_sum(svdvals(x), -1)
    elif ord in (2, -2):
        result = extreme(svdvals(x), -1)
    elif ord in (1, -1, math.inf, -math.inf):
        result = extreme(tf.reduce_sum(tf.abs(x), -2 if ord in (1, -1) else -1), -1)
    else:
        raise ValueError(f"matrix_norm: invalid ord {ord!r}")
    return result[..., tf.newaxis, tf.newaxis] if keepdims else result


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Norms of vectors along axes.

    Args:
      x: array of floats or complex numbers.
      axis: int or tuple of ints; None: all elements are one vector.
      keepdims: whether the axes stay, with size 1.
      ord: number, the power; inf and -inf: the greatest and least absolute value; 0: how many are not 0.

    Example:
      >>> import tracefn as tf
      >>> float(tf.array_api.linalg.vector_norm(tf.constant([3.0, 4.0])))
      5.0
    """
    x = tf.abs(one("vector_norm", x, _FLOATING))
    axes = list(axis) if isinstance(axis, tuple) else axis
    if ord == math.inf:
        return tf.reduce_max(x, axes, keepdims)
    if ord == -math.inf:
        return tf.reduce_min(x, axes, keepdims)
    if ord == 0:
        return tf.cast(tf.math.count_nonzero(x, axes, keepdims=keepdims), x.dtype)
    if ord == 2:
        return tf.sqrt(tf.reduce_sum(tf.square(x), axes, keepdims))
    powers = tf.reduce_sum(tf.pow(x, tf.constant(ord, x.dtype)), axes, keepdims)
    return tf.pow(powers, tf.constant(1 / ord, x.dtype))
