"""The checks of operators that have none of their own, by the dense matrix."""

from __future__ import annotations

from tracefn._logging import warn
from tracefn.linalg._tensors import op
from tracefn.ops._build import EPSILONS
from tracefn.ops.casting import cast
from tracefn.ops.debugging import check_equal, check_less, check_positive
from tracefn.ops.linear_algebra import adjoint, diag_part
from tracefn.ops.matrix_factors import svd
from tracefn.ops.reduction import reduce_max, reduce_min


def warn_dense(method: str, cost: str = " and O(N^3) operations") -> None:
    """Warns that a method makes the matrix."""
    warn(f"Using (possibly slow) default implementation of {method}.  Requires conversion to a dense matrix{cost}.")


def non_singular(operator):
    """An op that fails unless the condition number is less than 1 / (max(100, m, n) epsilon)."""
    warn_dense("assert_non_singular")
    if operator._can_use_cholesky():
        return operator.assert_positive_definite()
    singular = svd(operator.to_dense(), compute_uv=False)
    condition = reduce_max(singular, -1) / reduce_min(singular, -1)
    sizes = [100, *(operator._dimension_tensor(axis) for axis in (-2, -1))]
    largest = reduce_max(cast(op("Pack")(values=sizes), condition.dtype))
    limit = 1.0 / (largest * EPSILONS[condition.dtype.name])
    return check_less(condition, limit, message="Singular matrix up to precision epsilon.")


def positive_definite(operator):
    """An op that fails unless the matrix, which is self-adjoint, is positive definite."""
    warn_dense("assert_positive_definite")
    if operator.is_self_adjoint:
        pivots = diag_part(op("Cholesky")(input=operator.to_dense()))
        return check_positive(pivots, message="Matrix was not positive definite.")
    raise NotImplementedError("assert_positive_definite is not implemented.")


def self_adjoint(operator):
    """An op that fails unless the matrix equals its adjoint exactly."""
    dense = operator.to_dense()
    warn_dense("assert_self_adjoint", "")
    return check_equal(dense, adjoint(dense), message="Matrix was not equal to its adjoint.")
