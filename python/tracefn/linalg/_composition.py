"""Operators made of one or more others: adjoints, inverses, products."""

from __future__ import annotations

from tracefn.linalg import _hints, _tensors
from tracefn.linalg._full_matrix import LinearOperatorLowerTriangular
from tracefn.linalg._linear_operator import LinearOperator
from tracefn.linalg._tensors import op
from tracefn.ops.array_shape import concat
from tracefn.ops.complex_numbers import conj
from tracefn.ops.control_flow import group
from tracefn.ops.linear_algebra import adjoint as adjoint_of
from tracefn.tensor_shape import TensorShape


class LinearOperatorAdjoint(LinearOperator):
    """The adjoint of an operator.

    Args:
      operator: the LinearOperator.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, by default those of the operator.
      name: name of the operator.

    Raises:
      ValueError: a hint contradicts the operator's.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorAdjoint(operator).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """

    _arguments = ("operator",)
    _matrix_ndims = {"operator": 0}

    def __init__(
        self,
        operator,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operator = operator
        words = {"is_square": "square", "is_non_singular": "non-singular", "is_self_adjoint": "self-adjoint",
                 "is_positive_definite": "positive-definite"}  # fmt: skip
        hints = {
            hint: _hints.same_as(
                operator, hint, parameters[hint], f"An operator is {word} if and only if its adjoint is {word}."
            )
            for hint, word in words.items()
        }
        super().__init__(operator.dtype, name=name or f"{operator.name}_adjoint", parameters=parameters, **hints)

    @property
    def operator(self):
        """The operator whose adjoint this is."""
        return self._operator

    def _linop_adjoint(self):
        return self._operator

    def _assert_non_singular(self):
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self):
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self):
        return self._operator.assert_self_adjoint()

    def _shape(self):
        static = self._operator.shape
        return static if static.rank is None else static[:-2].concatenate([static[-1], static[-2]])

    def _shape_tensor(self):
        sizes = self._operator.shape_tensor()
        return concat([sizes[:-2], sizes[-1:], sizes[-2:-1]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x, adjoint=False):
        return self._operator.matvec(x, adjoint=not adjoint)

    def _conjugated(self, x):
        return x if self.is_self_adjoint else conj(x)

    def _determinant(self):
        return self._conjugated(self._operator.determinant())

    def _log_abs_determinant(self):
        return self._operator.log_abs_determinant()

    def _trace(self):
        return self._conjugated(self._operator.trace())

    def _diag_part(self):
        return self._conjugated(self._operator.diag_part())

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs, adjoint=False):
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _to_dense(self):
        dense = self._operator.to_dense()
        return dense if self.is_self_adjoint else adjoint_of(dense)

    def _eigvals(self):
        return self._operator.eigvals()

    def _cond(self):
        return self._operator.cond()


def _contradiction(hint: str, operator, given) -> str:
    return (
        f"Argument `{hint}` or argument `operator` must have supplied hint `{hint}` equal to `True` or `None`. Found "
        f"`operator.{hint}`: {getattr(operator, hint)}, `{hint}`: {given}."
    )


class LinearOperatorInversion(LinearOperator):
    """The inverse of an operator.

    Args:
      operator: the LinearOperator, square.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, by default those of the operator.
      name: name of the operator.

    Raises:
      ValueError: a hint contradicts the operator's, or says that there is no inverse.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [0.0, 4.0]], is_non_singular=True)
    >>> tf.linalg.LinearOperatorInversion(operator).matvec([1.0, 1.0]).numpy().tolist()
    [0.5, 0.25]
    """

    _arguments = ("operator",)
    _matrix_ndims = {"operator": 0}

    def __init__(
        self,
        operator,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operator = operator
        if operator.is_square is False or is_square is False:
            raise ValueError(_contradiction("is_square", operator, is_square))
        if operator.is_non_singular is False or is_non_singular is False:
            raise ValueError(_contradiction("is_non_singular", operator, is_non_singular))
        same = {
            hint: _hints.same_as(
                operator, hint, parameters[hint], f"An operator is {word} if and only if its inverse is {word}."
            )
            for hint, word in (
                ("is_non_singular", "non-singular"), ("is_self_adjoint", "self-adjoint"), ("is_positive_definite", "positive-definite")
            )
        }
        name = name or f"{operator.name}_inv"
        super().__init__(operator.dtype, is_square=True, name=name, parameters=parameters, **same)

    @property
    def operator(self):
        """The operator whose inverse this is."""
        return self._operator

    def _linop_inverse(self):
        return self._operator

    def _assert_non_singular(self):
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self):
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self):
        return self._operator.assert_self_adjoint()

    def _shape(self):
        return self._operator.shape

    def _shape_tensor(self):
        return self._operator.shape_tensor()

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x, adjoint=False):
        return self._operator.solvevec(x, adjoint=adjoint)

    def _determinant(self):
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self):
        return -1.0 * self._operator.log_abs_determinant()

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs, adjoint=False):
        return self._operator.matvec(rhs, adjoint=adjoint)

    def _eigvals(self):
        return 1.0 / self._operator.eigvals()

    def _cond(self):
        return self._operator.cond()


def check_operators(operators) -> list:
    """A list of operators of one dtype.

    Raises:
      ValueError: there is none.
      TypeError: the dtypes differ.
    """
    if not isinstance(operators, (list, tuple)):
        operators = list(operators)
    operators = list(operators)
    if not operators:
        raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
    if any(o.dtype != operators[0].dtype for o in operators):
        found = "   ".join(str((o.name, o.dtype)) for o in operators)
        raise TypeError(f"Expected all operators to have the same dtype.  Found {found}")
    return operators


class LinearOperatorComposition(LinearOperator):
    """The product of operators.

    Args:
      operators: list of LinearOperators of one dtype; the dimensions of neighbors fit.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      ValueError: there is no operator, or a hint contradicts those of the operators.
      TypeError: the dtypes differ.

    >>> diag = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> full = tf.linalg.LinearOperatorFullMatrix([[0.0, 1.0], [1.0, 0.0]])
    >>> tf.linalg.LinearOperatorComposition([diag, full]).to_dense().numpy().tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """

    _arguments = ("operators",)

    def __init__(
        self,
        operators,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operators = operators = check_operators(operators)
        is_non_singular = _hints.implied(
            all(o.is_non_singular for o in operators),
            is_non_singular,
            "The composition of non-singular operators is always non-singular.",
        )
        symmetric = _hints.is_symmetric_product(operators)
        is_self_adjoint = _hints.implied(
            symmetric or (len(operators) == 1 and operators[0].is_self_adjoint),
            is_self_adjoint,
            "The composition was determined to be self-adjoint but user provided incorrect `False` hint.",
        )
        is_square = _hints.implied(
            symmetric,
            is_square,
            "The composition was determined have the form A @ A.H, hence it must be square. The user provided an "
            "incorrect `False` hint.",
        )
        is_positive_definite = _hints.implied(
            symmetric and is_non_singular,
            is_positive_definite,
            "The composition was determined to be non-singular and have the form A @ A.H, hence it must be "
            "positive-definite. The user provided an incorrect `False` hint.",
        )
        name = name or "_o_".join(o.name for o in operators)
        super().__init__(
            operators[0].dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def operators(self) -> list:
        """The factors."""
        return self._operators

    @property
    def _matrix_ndims(self):
        return {"operators": [0] * len(self._operators)}

    def _shape(self):
        for left, right in zip(self._operators, self._operators[1:], strict=False):
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)
        batch = _tensors.broadcast_static(*[o.batch_shape for o in self._operators])
        matrix = TensorShape([self._operators[0].range_dimension.value, self._operators[-1].domain_dimension.value])
        return batch.concatenate(matrix)

    def _shape_tensor(self):
        batch = _tensors.broadcast_sizes(*[o.batch_shape_tensor() for o in self._operators])
        first, last = self._operators[0], self._operators[-1]
        matrix = op("Pack")(values=[first.range_dimension_tensor(), last.domain_dimension_tensor()])
        return concat([batch, matrix], 0)

    def _linop_cholesky(self):
        first = self._operators[0]
        is_product_of_factor = (
            len(self._operators) == 2
            and isinstance(first, LinearOperatorLowerTriangular)
            and _hints.is_symmetric_product(self._operators)
        )
        if not is_product_of_factor:
            return super()._linop_cholesky()
        if first.is_positive_definite:
            return first
        # The factor with a positive diagonal.
        signs = op("Sign")(x=first.diag_part())[..., None, :]
        return LinearOperatorLowerTriangular(
            _tensors.convert(first.tril) / signs,
            is_non_singular=first.is_non_singular,
            is_self_adjoint=first.is_self_adjoint,
            is_square=True,
        )

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        order = self._operators if adjoint else self._operators[::-1]
        result = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            result = operator.matmul(result, adjoint=adjoint)
        return result

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        order = self._operators[::-1] if adjoint else self._operators
        result = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            result = operator.solve(result, adjoint=adjoint)
        return result

    def _determinant(self):
        result = self._operators[0].determinant()
        for operator in self._operators[1:]:
            result = result * operator.determinant()
        return result

    def _log_abs_determinant(self):
        result = self._operators[0].log_abs_determinant()
        for operator in self._operators[1:]:
            result = result + operator.log_abs_determinant()
        return result

    def _assert_non_singular(self):
        if all(o.is_square for o in self._operators):
            return group([o.assert_non_singular() for o in self._operators])
        return super()._assert_non_singular()
