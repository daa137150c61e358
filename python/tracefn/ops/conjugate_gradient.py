"""`tf.linalg.experimental.conjugate_gradient`: M. R. Hestenes, E. Stiefel, "Methods of Conjugate Gradients" (1952)."""

from __future__ import annotations

from typing import Any, NamedTuple

from tracefn._control_flow.loop import while_loop
from tracefn._export import export
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.array_creation import zeros
from tracefn.ops.array_shape import concat, shape
from tracefn.ops.casting import cast
from tracefn.ops.complex_numbers import conj, real
from tracefn.ops.linear_algebra import norm
from tracefn.ops.reduction import reduce_any, reduce_sum


class CGState(NamedTuple):
    """Where the iteration stands: its number, the solution, the residual, the direction, and the residual's size."""

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def _dot(x, y):
    return reduce_sum(conj(x) * y, -1)


@export("linalg.experimental.conjugate_gradient")
def conjugate_gradient(
    operator, rhs, preconditioner=None, x=None, tol=1e-5, max_iter=20, name="conjugate_gradient"
):
    """The solution x of A x = rhs for a self-adjoint positive definite A, by the method of conjugate gradients.

    Args:
      operator: LinearOperator A [..., n, n], hinted to be self-adjoint and positive definite.
      rhs: tensor [..., n].
      preconditioner: LinearOperator close to the inverse of A, or None.
      x: tensor [..., n] to start from; None: zeros.
      tol: the iteration ends when no residual is larger than tol times the norm of its right-hand side.
      max_iter: the most iterations.
      name: name of the scope.

    Returns:
      Named tuple (i, x, r, p, gamma): the number of iterations, the solution, the residual rhs - A x, the last direction,
      and the product of the residual with the preconditioned residual.

    Raises:
      ValueError: the operator is not hinted to be self-adjoint and positive definite.

    Example:
      >>> import tracefn as tf
      >>> operator = tf.linalg.LinearOperatorFullMatrix(
      ...     [[4.0, 1.0], [1.0, 3.0]], is_self_adjoint=True, is_positive_definite=True
      ... )
      >>> tf.linalg.experimental.conjugate_gradient(operator, tf.constant([5.0, 4.0])).x.numpy().round(4).tolist()
      [1.0, 1.0]
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    with name_scope(name):
        rhs = convert(rhs, dtype_hint=operator.dtype)
        batch = op("BroadcastArgs")(s0=shape(rhs)[:-1], s1=operator.batch_shape_tensor())
        if preconditioner is not None:
            batch = op("BroadcastArgs")(s0=batch, s1=preconditioner.batch_shape_tensor())
        whole = concat([batch, shape(rhs)[-1:]], 0)
        r = op("BroadcastTo")(input=rhs, shape=whole)
        limit = cast(convert(tol), real(r).dtype) * real(norm(r, axis=-1))
        if x is None:
            x = zeros(whole, dtype=rhs.dtype)
        else:
            x = op("BroadcastTo")(input=convert(x, dtype_hint=rhs.dtype), shape=whole)
            r = rhs - operator.matvec(x)
        p = r if preconditioner is None else preconditioner.matvec(r)

        def goes_on(i, state):
            return op("LogicalAnd")(x=i < max_iter, y=reduce_any(real(norm(state.r, axis=-1)) > limit))

        def step(i, state):
            z = operator.matvec(state.p)
            alpha = state.gamma / _dot(state.p, z)
            x = state.x + alpha[..., None] * state.p
            r = state.r - alpha[..., None] * z
            q = r if preconditioner is None else preconditioner.matvec(r)
            gamma = _dot(r, q)
            p = q + (gamma / state.gamma)[..., None] * state.p
            return i + 1, CGState(i + 1, x, r, p, gamma)

        start = constant(0, "int32")
        return while_loop(goes_on, step, [start, CGState(start, x, r, p, _dot(r, p))])[1]
