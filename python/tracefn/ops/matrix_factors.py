"""Eigenvalues and singular values, and what follows from them."""

from __future__ import annotations

from tracefn._export import export
from tracefn.framework import control_dependencies
from tracefn.ops._build import EPSILONS, constant, convert, name_scope, op
from tracefn.ops.array_shape import identity, shape
from tracefn.ops.casting import cast
from tracefn.ops.complex_numbers import real
from tracefn.ops.debugging_static import assert_rank_at_least
from tracefn.ops.indexing import where
from tracefn.ops.linear_algebra import diag_part, matmul
from tracefn.ops.reduction import reduce_max, reduce_sum

_COMPLEX = {"float32": "complex64", "float64": "complex128"}


@export("linalg.svd")
def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """The singular value decomposition of matrices: tensor = u @ diag(s) @ adjoint(v).

    Args:
      tensor: floating or complex tensor [..., m, n]; p = min(m, n).
      full_matrices: whether u and v are square. Otherwise they have p columns.
      compute_uv: whether u and v are computed.
      name: name of the node.

    Returns:
      (s, u, v): real s [..., p], descending; u [..., m, p] and v [..., n, p], or [..., m, m] and [..., n, n]. Only s if
      not `compute_uv`.

    Raises:
      InvalidArgumentError: the rank is less than 2 (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> s, u, v = tf.linalg.svd([[3.0, 0.0], [0.0, -2.0]])
      >>> s.numpy().round(5).tolist()
      [3.0, 2.0]
    """
    s, u, v = op("Svd")(input=convert(tensor), compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    return (real(s), u, v) if compute_uv else real(s)


@export("linalg.eigh")
def eigh(tensor, name=None):
    """The eigenvalues and eigenvectors of Hermitian matrices.

    Args:
      tensor: floating or complex tensor [..., n, n], of which only the lower triangle is read.
      name: name of the node.

    Returns:
      (e, v): eigenvalues [..., n], ascending, of tensor's dtype; eigenvectors, the columns of v [..., n, n].

    Raises:
      InvalidArgumentError: the matrices are not square (ValueError while tracing), or have elements that are not finite.

    Example:
      >>> import tracefn as tf
      >>> e, v = tf.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])
      >>> e.numpy().round(5).tolist()
      [1.0, 3.0]
    """
    e, v = op("SelfAdjointEigV2")(input=tensor, compute_v=True, name=name)
    return e, v


@export("linalg.eigvalsh")
def eigvalsh(tensor, name=None):
    """The eigenvalues of Hermitian matrices.

    Args:
      tensor: floating or complex tensor [..., n, n], of which only the lower triangle is read.
      name: name of the node.

    Returns:
      Tensor [..., n] of tensor's dtype, ascending.

    Raises:
      InvalidArgumentError: as for `tf.linalg.eigh`.

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).numpy().round(5).tolist()
      [1.0, 3.0]
    """
    return op("SelfAdjointEigV2")(input=tensor, compute_v=False, name=name)[0]


def _eigen(tensor, vectors: bool, name):
    tensor = convert(tensor)
    dtype = _COMPLEX.get(tensor.dtype.name, tensor.dtype)
    return op("Eig")(input=tensor, Tout=dtype, compute_v=vectors, name=name)


@export("linalg.eig", "eig")
def eig(tensor, name=None):
    """The eigenvalues and eigenvectors of square matrices.

    Args:
      tensor: tensor [..., n, n] of float32, float64 or a complex dtype.
      name: name of the node.

    Returns:
      (e, v): complex eigenvalues [..., n], in no order; eigenvectors of norm 1, the columns of v [..., n, n].

    Raises:
      InvalidArgumentError: the matrices are not square (ValueError while tracing), or have elements that are not finite.

    Example:
      >>> import tracefn as tf
      >>> e, v = tf.linalg.eig([[0.0, 1.0], [-1.0, 0.0]])
      >>> sorted(e.numpy().imag.round(5).tolist())
      [-1.0, 1.0]
    """
    e, v = _eigen(tensor, True, name)
    return e, v


@export("linalg.eigvals", "eigvals")
def eigvals(tensor, name=None):
    """The eigenvalues of square matrices.

    Args:
      tensor: tensor [..., n, n] of float32, float64 or a complex dtype.
      name: name of the node.

    Returns:
      Complex tensor [..., n], in no order.

    Raises:
      InvalidArgumentError: as for `tf.linalg.eig`.

    Example:
      >>> import tracefn as tf
      >>> sorted(tf.linalg.eigvals([[1.0, 5.0], [0.0, 2.0]]).numpy().real.round(5).tolist())
      [1.0, 2.0]
    """
    return _eigen(tensor, False, name)[0]


@export("linalg.logdet")
def logdet(matrix, name=None):
    """The logarithm of the determinant of Hermitian positive definite matrices.

    Args:
      matrix: floating or complex tensor [..., n, n].
      name: name of the scope.

    Returns:
      Real tensor [...]; NaN where a matrix is not positive definite.

    Raises:
      InvalidArgumentError: the matrices are not square (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> round(float(tf.linalg.logdet([[2.0, 0.0], [0.0, 2.0]])), 5)
      1.38629
    """
    with name_scope(name or "logdet"):
        diagonal = real(diag_part(op("Cholesky")(input=matrix)))
        return 2.0 * reduce_sum(op("Log")(x=diagonal), [-1])


def _checked(a, validate_args: bool):
    """A floating tensor of matrices, or TensorFlow's errors."""
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if a.shape.rank is not None:
        if a.shape.rank < 2:
            raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.shape.rank}).")
    elif validate_args:
        check = assert_rank_at_least(a, 2, message="Input `a` must have at least 2 dimensions.")
        with control_dependencies([check]):
            return identity(a)
    return a


def _longer_side(a):
    sides = a.shape[-2:]
    if sides.is_fully_defined():
        return constant(max(sides.as_list()), a.dtype)
    return cast(reduce_max(shape(a)[-2:]), a.dtype)


@export("linalg.matrix_rank")
def matrix_rank(a, tol=None, validate_args=False, name=None):
    """The number of singular values of matrices that are larger than a tolerance.

    Args:
      a: floating tensor [..., m, n].
      tol: tensor or number; None: the largest singular value of the matrix times max(m, n) times the dtype's epsilon.
      validate_args: whether a rank that is unknown while tracing is checked at run time.
      name: name of the scope.

    Returns:
      int32 tensor [...].

    Raises:
      TypeError: a is not floating.
      ValueError: a's rank is less than 2.

    Example:
      >>> import tracefn as tf
      >>> int(tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]))
      1
    """
    with name_scope(name or "matrix_rank"):
        a = _checked(convert(a, dtype_hint="float32", name="a"), validate_args)
        s = svd(a, compute_uv=False)
        if tol is None:
            tol = EPSILONS[a.dtype.name] * _longer_side(a) * reduce_max(s, -1, keepdims=True)
        return reduce_sum(cast(s > tol, "int32"), -1)


@export("linalg.pinv")
def pinv(a, rcond=None, validate_args=False, name=None):
    """The Moore-Penrose inverse of matrices: v @ diag(1 / s) @ adjoint(u), without the smallest singular values.

    Args:
      a: floating tensor [..., m, n].
      rcond: tensor or number that broadcasts against [...]: singular values up to rcond times the largest one count as
        zero. None: 10 times max(m, n) times the dtype's epsilon.
      validate_args: whether a rank that is unknown while tracing is checked at run time.
      name: name of the scope.

    Returns:
      Tensor [..., n, m].

    Raises:
      TypeError: a is not floating.
      ValueError: a's rank is less than 2.

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.pinv([[2.0, 0.0, 0.0], [0.0, 4.0, 0.0]]).numpy().round(5).tolist()
      [[0.5, 0.0], [0.0, 0.25], [0.0, 0.0]]
    """
    with name_scope(name or "pinv"):
        a = _checked(convert(a, name="a"), validate_args)
        if rcond is None:
            rcond = 10.0 * _longer_side(a) * EPSILONS[a.dtype.name]
        rcond = convert(rcond, dtype=a.dtype, name="rcond")
        s, u, v = svd(a)
        cutoff = rcond * reduce_max(s, -1)
        # Infinity instead of zero: its reciprocal is zero, and gradients are finite.
        s = where(s > op("ExpandDims")(input=cutoff, dim=-1), s, constant(float("inf"), a.dtype))
        inverse = matmul(v / op("ExpandDims")(input=s, dim=-2), u, adjoint_b=True)
        if a.shape.rank is not None:
            inverse.set_shape(a.shape[:-2].concatenate([a.shape[-1], a.shape[-2]]))
        return inverse
