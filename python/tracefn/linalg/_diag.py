"""`tf.linalg.LinearOperatorDiag`: diagonal matrices."""

from __future__ import annotations

from tracefn.linalg import _hints, _tensors
from tracefn.linalg._full_matrix import LinearOperatorLowerTriangular
from tracefn.linalg._linear_operator import LinearOperator, named
from tracefn.linalg._tensors import convert
from tracefn.ops.array_shape import concat, shape
from tracefn.ops.complex_numbers import real
from tracefn.ops.debugging import check_positive
from tracefn.ops.linear_algebra import diag as diagonal_matrix
from tracefn.ops.linear_algebra import diag_part, set_diag
from tracefn.ops.math import abs as absolute
from tracefn.ops.reduction import reduce_max, reduce_min, reduce_prod, reduce_sum


class LinearOperatorDiag(LinearOperator):
    """The operator of a diagonal matrix.

    Args:
      diag: floating or complex tensor or Variable [..., n].
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      ValueError: the rank is less than 1; is_square is False; or is_self_adjoint is, for real numbers.

    >>> operator = tf.linalg.LinearOperatorDiag([2.0, 4.0])
    >>> operator.solvevec([2.0, 2.0]).numpy().tolist()
    [1.0, 0.5]
    """

    _arguments = ("diag",)
    _matrix_ndims = {"diag": 1}

    def __init__(
        self,
        diag,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorDiag",
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._diag = _tensors.parameter(diag, "diag")
        if self._diag.shape.rank is not None and self._diag.shape.rank < 1:
            raise ValueError(f"Argument diag must have at least 1 dimension.  Found: {self._diag!s}")
        real_numbers = not self._diag.dtype.is_complex
        is_self_adjoint = _hints.implied(
            real_numbers, is_self_adjoint, "A real diagonal operator is always self adjoint."
        )
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(
            self._diag.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def diag(self):
        """The diagonal [..., n]."""
        return self._diag

    def _shape(self):
        static = self._diag.shape
        return static if static.rank is None else static.concatenate(static[-1:])

    def _shape_tensor(self):
        sizes = shape(self._diag)
        return concat([sizes, sizes[-1:]], 0)

    def _assert_non_singular(self):
        return _tensors.check_no_zeros(self._diag, "Singular operator:  Diagonal contained zero values.")

    def _assert_positive_definite(self):
        message = (
            "Diagonal operator had diagonal entries with non-positive real part, thus was not positive definite."
            if self.dtype.is_complex
            else "Real diagonal operator had non-positive diagonal entries, thus was not positive definite."
        )
        return check_positive(real(convert(self._diag)), message=message)

    def _assert_self_adjoint(self):
        return _tensors.check_real(
            self._diag,
            "This diagonal operator contained non-zero imaginary values.   Thus it was not self-adjoint.",
        )

    def _linop_adjoint(self):
        return LinearOperatorDiag(_tensors.conj_if(self._diag, self.dtype.is_complex), **_hints.hints_of(self))

    def _linop_inverse(self):
        return LinearOperatorDiag(1.0 / convert(self._diag), **_hints.hints_of(self))

    def _linop_cholesky(self):
        root = _tensors.op("Sqrt")(x=convert(self._diag))
        return LinearOperatorDiag(root, **dict.fromkeys(_hints.HINTS, True))

    def _factor_of(self, other):
        """What rows of `other`, if it is a diagonal matrix, are multiplied by; None otherwise."""
        if isinstance(other, LinearOperatorDiag):
            return convert(other.diag)
        return convert(other.multiplier)[..., None] if isinstance(other, named("LinearOperatorScaledIdentity")) else None

    def _linop_matmul(self, left_operator, right_operator):
        diagonal, factor = convert(left_operator.diag), self._factor_of(right_operator)
        if factor is not None:
            return LinearOperatorDiag(diagonal * factor, **_hints.of_commuting(left_operator, right_operator))
        if isinstance(right_operator, LinearOperatorLowerTriangular):
            hints = {**_hints.of_commuting(left_operator, right_operator), "is_positive_definite": None}
            return LinearOperatorLowerTriangular(diagonal[..., None] * right_operator.to_dense(), **hints)
        return super()._linop_matmul(left_operator, right_operator)

    def _linop_solve(self, left_operator, right_operator):
        diagonal, factor = convert(left_operator.diag), self._factor_of(right_operator)
        if factor is not None:
            return LinearOperatorDiag(factor / diagonal, **_hints.of_commuting(left_operator, right_operator))
        if isinstance(right_operator, LinearOperatorLowerTriangular):
            hints = {**_hints.of_commuting(left_operator, right_operator), "is_positive_definite": None}
            return LinearOperatorLowerTriangular(right_operator.to_dense() / diagonal[..., None], **hints)
        return super()._linop_solve(left_operator, right_operator)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return _tensors.conj_if(self._diag, adjoint)[..., None] * _tensors.adjoint_if(x, adjoint_arg)

    def _matvec(self, x, adjoint=False):
        return _tensors.conj_if(self._diag, adjoint) * x

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return _tensors.adjoint_if(rhs, adjoint_arg) * (1.0 / _tensors.conj_if(self._diag, adjoint))[..., None]

    def _determinant(self):
        return reduce_prod(convert(self._diag), [-1])

    def _log_abs_determinant(self):
        return reduce_sum(_tensors.log_abs(convert(self._diag)), [-1])

    def _to_dense(self):
        return diagonal_matrix(convert(self._diag))

    def _diag_part(self):
        return convert(self._diag)

    def _add_to_tensor(self, x):
        return set_diag(x, convert(self._diag) + diag_part(x))

    def _eigvals(self):
        return convert(self._diag)

    def _cond(self):
        size = absolute(convert(self._diag))
        return reduce_max(size, -1) / reduce_min(size, -1)
