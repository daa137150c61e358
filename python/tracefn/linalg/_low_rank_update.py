"""`tf.linalg.LinearOperatorLowRankUpdate`: an operator plus a matrix of low rank."""

from __future__ import annotations

from tracefn._logging import warn
from tracefn.dimension import Dimension
from tracefn.linalg import _hints, _tensors
from tracefn.linalg._diag import LinearOperatorDiag
from tracefn.linalg._identity import LinearOperatorIdentity
from tracefn.linalg._linear_operator import LinearOperator
from tracefn.linalg._tensors import convert, op
from tracefn.ops.array_shape import concat, shape
from tracefn.ops.complex_numbers import conj
from tracefn.ops.linear_algebra import diag_part, matmul
from tracefn.ops.reduction import reduce_sum


class LinearOperatorLowRankUpdate(LinearOperator):
    """The operator L + U D V^H, for an operator L, matrices U and V of few columns, and a diagonal matrix D.

    Equations are solved by the Woodbury formula, determinants by the matrix determinant lemma.

    Args:
      base_operator: LinearOperator L [..., m, n].
      u: tensor or Variable [..., m, k].
      diag_update: tensor or Variable [..., k], the diagonal of D; None: ones.
      v: tensor or Variable [..., n, k]; None: u.
      is_diag_update_positive: whether diag_update is promised to be positive.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      ValueError: shapes do not fit, or hints contradict each other.
      TypeError: the dtypes differ.

    >>> base = tf.linalg.LinearOperatorDiag([1.0, 1.0])
    >>> operator = tf.linalg.LinearOperatorLowRankUpdate(base, u=[[1.0], [1.0]])
    >>> operator.to_dense().numpy().tolist(), operator.solvevec([3.0, 3.0]).numpy().tolist()
    ([[2.0, 1.0], [1.0, 2.0]], [1.0, 1.0])
    """

    _arguments = ("base_operator", "u", "diag_update", "v", "is_diag_update_positive")
    _matrix_ndims = {"base_operator": 0, "u": 2, "diag_update": 1, "v": 2}

    def __init__(
        self,
        base_operator,
        u,
        diag_update=None,
        v=None,
        is_diag_update_positive=None,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorLowRankUpdate",
    ):
        parameters = {k: w for k, w in locals().items() if k not in ("self", "__class__")}
        dtype = base_operator.dtype
        if diag_update is not None and is_diag_update_positive and dtype.is_complex:
            warn("Note: setting is_diag_update_positive with a complex dtype means that diagonal is real and positive.")
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError("Default diagonal is the identity, which is positive.  However, user set 'is_diag_update_positive' to False.")
            is_diag_update_positive = True
        self._base_operator = base_operator
        self._u = _tensors.parameter(u, "u", dtype)
        self._v = self._u if v is None else _tensors.parameter(v, "v", dtype)
        self._given_v = None if v is None else self._v
        self._diag_update = None if diag_update is None else _tensors.parameter(diag_update, "diag_update", dtype)
        self._is_diag_update_positive = is_diag_update_positive
        for tensor in (self._u, self._v, self._diag_update):
            if tensor is not None:
                _tensors.check_dtype(tensor, dtype)
        is_symmetric = v is None and base_operator.is_self_adjoint
        is_self_adjoint = _hints.implied(
            is_symmetric and not dtype.is_complex,
            is_self_adjoint,
            "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is self-adjoint, this must be a self-adjoint operator.",
        )
        # With positive D, what the base has, the sum has too.
        self._uses_cholesky = bool(is_symmetric and is_diag_update_positive and base_operator.is_positive_definite)
        message = "Arguments imply this is self-adjoint positive-definite operator."
        _hints.implied(self._uses_cholesky, is_non_singular, message)
        is_self_adjoint = _hints.implied(self._uses_cholesky, is_self_adjoint, message)
        is_positive_definite = _hints.implied(self._uses_cholesky, is_positive_definite, message)
        super().__init__(
            dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )
        self._check_shapes()

    def _check_shapes(self):
        of_uv = _tensors.broadcast_static(self._u.shape, self._v.shape)
        batch = _tensors.broadcast_static(self._base_operator.batch_shape, of_uv[:-2])
        if of_uv.rank is not None:
            self._base_operator.domain_dimension.assert_is_compatible_with(of_uv[-2])
        if self._diag_update is not None and self._diag_update.shape.rank is not None:
            if of_uv.rank is not None:
                Dimension(of_uv[-1]).assert_is_compatible_with(self._diag_update.shape[-1])
            _tensors.broadcast_static(batch, self._diag_update.shape[:-1])

    def _argument(self, name):
        return self._given_v if name == "v" else super()._argument(name)

    @property
    def base_operator(self):
        """L."""
        return self._base_operator

    @property
    def u(self):
        """U [..., m, k]."""
        return self._u

    @property
    def v(self):
        """V [..., n, k]."""
        return self._v

    @property
    def diag_update(self):
        """The diagonal of D [..., k], or None."""
        return self._diag_update

    @property
    def is_diag_update_positive(self):
        """Whether the diagonal of D is promised to be positive."""
        return self._is_diag_update_positive

    @property
    def diag_operator(self):
        """D."""
        if self._diag_update is None:
            size = self._u.shape[-1] if self._u.shape.rank is not None else None
            return LinearOperatorIdentity(shape(self._u)[-1] if size is None else size, dtype=self.dtype)
        positive = self._is_diag_update_positive
        return LinearOperatorDiag(self._diag_update, is_positive_definite=positive or None)

    def _shape(self):
        parts = [self._base_operator.batch_shape, self._u.shape[:-2], self._v.shape[:-2]]
        if self._diag_update is not None:
            parts.append(self._diag_update.shape[:-1])
        return _tensors.broadcast_static(*parts).concatenate(self._base_operator.shape[-2:])

    def _shape_tensor(self):
        parts = [self._base_operator.batch_shape_tensor(), shape(self._u)[:-2], shape(self._v)[:-2]]
        if self._diag_update is not None:
            parts.append(shape(self._diag_update)[:-1])
        return concat([_tensors.broadcast_sizes(*parts), self._base_operator.shape_tensor()[-2:]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        u, v = convert(self._u), convert(self._v)
        if adjoint:
            u, v = v, u
        along = matmul(v, x, adjoint_a=True, adjoint_b=adjoint_arg)
        return self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) + matmul(
            u, self.diag_operator.matmul(along, adjoint=adjoint)
        )

    def _capacitance(self, u, v, adjoint: bool = False):
        """D^-1 + V^H L^-1 U, or that of the adjoint operator."""
        inner = matmul(v, self._base_operator.solve(u, adjoint=adjoint), adjoint_a=True)
        inverse = self.diag_operator.inverse()
        return (inverse.adjoint() if adjoint else inverse).add_to_tensor(inner)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        base = self._base_operator
        if base.is_non_singular is False:
            raise ValueError("Solve not implemented unless this is a perturbation of a non-singular LinearOperator.")
        u, v = convert(self._u), convert(self._v)
        if adjoint:
            u, v = v, u
        capacitance = self._capacitance(u, v, adjoint)
        solution = base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        right = matmul(v, solution, adjoint_a=True)
        solve = _tensors.solve_cholesky if self._uses_cholesky else _tensors.solve_broadcast
        return solution - base.solve(matmul(u, solve(capacitance, right)), adjoint=adjoint)

    def _determinant(self):
        capacitance = self._capacitance(convert(self._u), convert(self._v))
        if self._uses_cholesky:
            return op("Exp")(x=self._log_abs_determinant())
        of_capacitance = op("MatrixDeterminant")(input=capacitance)
        return of_capacitance * self.diag_operator.determinant() * self._base_operator.determinant()

    def _log_abs_determinant(self):
        capacitance = self._capacitance(convert(self._u), convert(self._v))
        if self._uses_cholesky:
            pivots = diag_part(op("Cholesky")(input=capacitance))
            of_capacitance = 2 * reduce_sum(op("Log")(x=pivots), [-1])
        else:
            of_capacitance = op("LogMatrixDeterminant")(input=capacitance)[1]
        return of_capacitance + self.diag_operator.log_abs_determinant() + self._base_operator.log_abs_determinant()

    def _diag_part(self):
        product = convert(self._u) * conj(convert(self._v))
        if self._diag_update is not None:
            product = product * convert(self._diag_update)[..., None, :]
        return reduce_sum(product, -1) + self._base_operator.diag_part()
