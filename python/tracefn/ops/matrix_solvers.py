"""Solutions of linear equations: with factors, and in the least squares sense."""

from __future__ import annotations

from tracefn._control_flow.conditional import cond
from tracefn._export import export
from tracefn.framework import is_tensor
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.array_creation import eye
from tracefn.ops.array_shape import shape
from tracefn.ops.casting import cast
from tracefn.ops.linear_algebra import matmul


@export("linalg.cholesky_solve")
def cholesky_solve(chol, rhs, name=None):
    """The solution x of A @ x = rhs, for A = chol @ adjoint(chol).

    Args:
      chol: tensor [..., n, n], the Cholesky factors. Only the lower triangle is read.
      rhs: tensor [..., n, k] of the same dtype.
      name: name of the scope.

    Returns:
      Tensor [..., n, k].

    Raises:
      InvalidArgumentError: the shapes do not match (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> chol = tf.linalg.cholesky([[4.0, 0.0], [0.0, 9.0]])
      >>> tf.linalg.cholesky_solve(chol, [[4.0], [18.0]]).numpy().tolist()
      [[1.0], [2.0]]
    """
    with name_scope(name or "cholesky_solve"):
        chol = chol if is_tensor(chol) else convert(chol)
        half = op("MatrixTriangularSolve")(matrix=chol, rhs=rhs, adjoint=False, lower=True)
        return op("MatrixTriangularSolve")(matrix=chol, rhs=half, adjoint=True, lower=True)


# Batches of more bytes are read once, by the kernel, instead of once by each op; as in TensorFlow.
_CACHED_BYTES = 256_000


def _is_composed(matrix, fast: bool) -> bool:
    """Whether ops for whole batches solve the equations, or the kernel does matrix by matrix."""
    if not fast:
        return False
    if not matrix.shape.is_fully_defined():
        return True
    *batch, m, n = matrix.shape.as_list()
    matrices = 1
    for size in batch:
        matrices *= size
    return not (matrices * m * n * matrix.dtype.size > _CACHED_BYTES and matrices > min(m, n))


def _gramian_factor(matrix, l2_regularizer, of_columns: bool):
    gramian = matmul(matrix, matrix, adjoint_a=of_columns, adjoint_b=not of_columns)
    if is_tensor(l2_regularizer) or l2_regularizer != 0:
        sizes = shape(matrix)
        identity = eye(sizes[-1 if of_columns else -2], batch_shape=sizes[:-2], dtype=matrix.dtype)
        identity.set_shape(gramian.shape)
        l2 = l2_regularizer if is_tensor(l2_regularizer) else constant(l2_regularizer, matrix.dtype)
        gramian = gramian + cast(l2, matrix.dtype) * identity
    return op("Cholesky")(input=gramian)


def _overdetermined(matrix, rhs, l2_regularizer):
    return cholesky_solve(_gramian_factor(matrix, l2_regularizer, True), matmul(matrix, rhs, adjoint_a=True))


def _underdetermined(matrix, rhs, l2_regularizer):
    return matmul(matrix, cholesky_solve(_gramian_factor(matrix, l2_regularizer, False), rhs), adjoint_a=True)


@export("linalg.lstsq")
def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """The x that minimizes |matrix @ x - rhs|^2 + l2_regularizer |x|^2.

    Args:
      matrix: floating or complex tensor [..., m, n].
      rhs: tensor [..., m, k] of the same dtype.
      l2_regularizer: float64 scalar, at least 0. Without effect unless `fast`.
      fast: whether the normal equations are solved, which needs matrices of full rank. Otherwise the shortest solution is
        found by a complete orthogonal decomposition, for any matrix.
      name: name of the scope or node.

    Returns:
      Tensor [..., n, k].

    Raises:
      InvalidArgumentError: the shapes do not match (ValueError while tracing).
      NotImplementedError: a regularizer for complex128, as in TensorFlow.

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().round(5).tolist()
      [[2.0]]
    """
    matrix = convert(matrix, name="matrix")
    if matrix.dtype == "complex128" and (is_tensor(l2_regularizer) or l2_regularizer != 0):
        raise NotImplementedError(
            "matrix_solve_ls is currently disabled for complex128 and l2_regularizer != 0 due to poor accuracy."
        )
    if not _is_composed(matrix, fast):
        return op("MatrixSolveLs")(
            matrix=matrix, rhs=rhs, l2_regularizer=convert(l2_regularizer, dtype="float64"), fast=fast, name=name
        )
    with name_scope(name or "matrix_solve_ls"):
        sides = matrix.shape[-2:]
        if sides.is_fully_defined():
            solve = _overdetermined if sides[0] >= sides[1] else _underdetermined
            return solve(matrix, rhs, l2_regularizer)
        sides = shape(matrix)[-2:]
        return cond(
            sides[0] >= sides[1],
            lambda: _overdetermined(matrix, rhs, l2_regularizer),
            lambda: _underdetermined(matrix, rhs, l2_regularizer),
        )
