"""Operators that hold their matrix."""

from __future__ import annotations

from tracefn.dtypes import as_dtype
from tracefn.linalg import _hints, _tensors
from tracefn.linalg._linear_operator import LinearOperator, named
from tracefn.linalg._tensors import convert, op
from tracefn.ops.array_shape import shape
from tracefn.ops.linear_algebra import diag_part, matmul
from tracefn.ops.math import abs as absolute
from tracefn.ops.reduction import reduce_prod, reduce_sum

_DTYPES = ("float16", "float32", "float64", "complex64", "complex128")


class LinearOperatorFullMatrix(LinearOperator):
    """The operator of a dense matrix.

    Args:
      matrix: floating or complex tensor or Variable [..., m, n].
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      TypeError: the dtype is not supported.
      ValueError: the rank is less than 2.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> operator.matvec([1.0, 1.0]).numpy().tolist()
    [3.0, 7.0]
    """

    _arguments = ("matrix",)
    _matrix_ndims = {"matrix": 2}

    def __init__(
        self,
        matrix,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorFullMatrix",
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._matrix = _tensors.parameter(matrix, "matrix")
        if self._matrix.dtype.name not in _DTYPES:
            raise TypeError(f"Argument `matrix` must have dtype in {[*map(as_dtype, _DTYPES)]}. Received: {self._matrix.dtype}.")
        if self._matrix.shape.rank is not None and self._matrix.shape.rank < 2:
            raise ValueError(f"Argument `matrix` must have at least 2 dimensions. Received: {self._matrix}.")
        super().__init__(
            self._matrix.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def matrix(self):
        """The matrix."""
        return self._matrix

    def _shape(self):
        return self._matrix.shape

    def _shape_tensor(self):
        return shape(self._matrix)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return matmul(convert(self._matrix), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._dense_solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self):
        return convert(self._matrix)


class LinearOperatorLowerTriangular(LinearOperator):
    """The operator of a lower triangular matrix.

    Args:
      tril: floating or complex tensor or Variable [..., n, n], of which only the lower triangle is read.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      ValueError: the rank is less than 2, or is_square is False.

    >>> operator = tf.linalg.LinearOperatorLowerTriangular([[2.0, 9.0], [1.0, 4.0]])
    >>> operator.to_dense().numpy().tolist(), float(operator.determinant())
    ([[2.0, 0.0], [1.0, 4.0]], 8.0)
    """

    _arguments = ("tril",)
    _matrix_ndims = {"tril": 2}

    def __init__(
        self,
        tril,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorLowerTriangular",
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        self._tril = _tensors.parameter(tril, "tril")
        if self._tril.shape.rank is not None and self._tril.shape.rank < 2:
            raise ValueError(f"Argument tril must have at least 2 dimensions.  Found: {self._tril!s}")
        super().__init__(
            self._tril.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def tril(self):
        """The matrix as it was given."""
        return self._tril

    def _triangle(self):
        return op("MatrixBandPart")(input=convert(self._tril), num_lower=-1, num_upper=0)

    def _diagonal(self):
        return diag_part(convert(self._tril))

    def _shape(self):
        return self._tril.shape

    def _shape_tensor(self):
        return shape(self._tril)

    def _assert_non_singular(self):
        return _tensors.check_no_zeros(self._diagonal(), "Singular operator:  Diagonal contained zero values.")

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return matmul(self._triangle(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _linop_matmul(self, left_operator, right_operator):
        if isinstance(right_operator, named("LinearOperatorDiag")):
            return LinearOperatorLowerTriangular(
                left_operator.to_dense() * convert(right_operator.diag)[..., None, :],
                is_non_singular=_hints.non_singular(right_operator, left_operator),
                is_self_adjoint=_hints.self_adjoint_if_commuting(right_operator, left_operator),
                is_square=True,
            )
        return super()._linop_matmul(left_operator, right_operator)

    def _determinant(self):
        return reduce_prod(self._diagonal(), [-1])

    def _log_abs_determinant(self):
        return reduce_sum(op("Log")(x=absolute(self._diagonal())), [-1])

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = _tensors.adjoint_if(rhs, adjoint_arg)
        return op("MatrixTriangularSolve")(matrix=self._triangle(), rhs=rhs, lower=True, adjoint=adjoint)

    def _to_dense(self):
        return self._triangle()

    def _eigvals(self):
        return self._diagonal()
