"""`tf.linalg.LinearOperatorKronecker`: Kronecker products of operators."""

from __future__ import annotations

import math

from tracefn.errors import InvalidArgumentError
from tracefn.linalg import _hints, _tensors
from tracefn.linalg._composition import check_operators
from tracefn.linalg._linear_operator import LinearOperator
from tracefn.linalg._tensors import op
from tracefn.ops.array_shape import concat, shape
from tracefn.ops.casting import cast
from tracefn.ops.control_flow import group
from tracefn.ops.linear_algebra import matrix_transpose
from tracefn.tensor_shape import TensorShape


class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators.

    Args:
      operators: list of LinearOperators of one dtype.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints; each is implied if all operators have it.
      name: name of the operator.

    Raises:
      ValueError: there is no operator, or a hint contradicts those of the operators.
      TypeError: the dtypes differ.

    >>> a = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0]])
    >>> b = tf.linalg.LinearOperatorDiag([1.0, 10.0])
    >>> tf.linalg.LinearOperatorKronecker([a, b]).to_dense().numpy().tolist()
    [[1.0, 0.0, 2.0, 0.0], [0.0, 10.0, 0.0, 20.0]]
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
        operators = list(operators)
        if not operators:
            raise ValueError(f"Argument `operators` must be a list of >=1 operators. Received: {operators}.")
        self._operators = operators = check_operators(operators)
        hints = {}
        for hint, word in (
            ("is_non_singular", "non-singular"),
            ("is_self_adjoint", "self-adjoint"),
            ("is_positive_definite", "positive-definite"),
        ):
            hints[hint] = _hints.implied(
                all(getattr(o, hint) for o in operators),
                parameters[hint],
                f"The Kronecker product of {word} operators is always {word}. Expected argument `{hint}` to be True. "
                f"Received: {parameters[hint]}.",
            )
        name = name or "_x_".join(o.name for o in operators)
        super().__init__(operators[0].dtype, is_square=is_square, name=name, parameters=parameters, **hints)

    @property
    def operators(self) -> list:
        """The factors."""
        return self._operators

    @property
    def _matrix_ndims(self):
        return {"operators": [0] * len(self._operators)}

    def _shape(self):
        def product(sizes):
            return None if None in sizes else math.prod(sizes)

        rows = product([o.range_dimension.value for o in self._operators])
        columns = product([o.domain_dimension.value for o in self._operators])
        batch = _tensors.broadcast_static(*[o.batch_shape for o in self._operators])
        return batch.concatenate(TensorShape([rows, columns]))

    def _shape_tensor(self):
        batch = _tensors.broadcast_sizes(*[o.batch_shape_tensor() for o in self._operators])
        rows = op("Prod")(
            input=op("Pack")(values=[o.range_dimension_tensor() for o in self._operators]), reduction_indices=[0]
        )
        columns = op("Prod")(
            input=op("Pack")(values=[o.domain_dimension_tensor() for o in self._operators]), reduction_indices=[0]
        )
        return concat([batch, op("Pack")(values=[rows, columns])], 0)

    def _like(self, operators, **hints):
        return LinearOperatorKronecker(operators, **{**_hints.hints_of(self), **hints})

    def _linop_adjoint(self):
        return self._like([o.adjoint() for o in self._operators])

    def _linop_cholesky(self):
        hints = {"is_non_singular": True, "is_self_adjoint": None, "is_positive_definite": None, "is_square": True}
        return LinearOperatorKronecker([o.cholesky() for o in self._operators], **hints)

    def _linop_inverse(self):
        return self._like([o.inverse() for o in self._operators])

    def _factor_by_factor(self, x, method: str, adjoint: bool, adjoint_arg: bool):
        """Applies a method of each factor, "matmul" or "solve", to its part of the rows of x.

        A row of x has a number for each factor. x is seen as [..., n_1, rest], where n_1 is the first factor's size; after
        the factor was applied, its numbers go behind those of the rest, so that the next factor's come first. After the
        last factor the columns of x come first, and the order is restored.
        """
        x = _tensors.adjoint_if(x, adjoint_arg)
        forward = (method == "matmul") != adjoint  # from the domain to the range
        columns = shape(x)[-1:]
        for operator in self._operators:
            size = operator.domain_dimension_tensor() if forward else operator.range_dimension_tensor()
            x = op("Reshape")(tensor=x, shape=concat([shape(x)[:-2], size[None], [-1]], 0))
            x = matrix_transpose(getattr(operator, method)(x, adjoint=adjoint))
        x = op("Reshape")(tensor=x, shape=concat([shape(x)[:-2], columns, [-1]], 0))
        return matrix_transpose(x)

    def _known(self, result, x, forward: bool, adjoint_arg: bool):
        """The result with what is known of its shape."""
        if x.shape.rank is not None and self.shape.rank is not None:
            batch = _tensors.broadcast_static(x.shape[:-2], self.batch_shape)
            rows = self.shape[-2] if forward else self.shape[-1]
            result.set_shape(batch.concatenate([rows, x.shape[-2 if adjoint_arg else -1]]))
        return result

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        result = self._factor_by_factor(x, "matmul", adjoint, adjoint_arg)
        return self._known(result, x, not adjoint, adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        result = self._factor_by_factor(rhs, "solve", adjoint, adjoint_arg)
        return self._known(result, rhs, adjoint, adjoint_arg)

    def _determinant(self):
        total, result = self.domain_dimension_tensor(), None
        for operator in self._operators:
            power = cast(total // operator.domain_dimension_tensor(), operator.dtype)
            factor = op("Pow")(x=operator.determinant(), y=power)
            result = factor if result is None else result * factor
        return result

    def _log_abs_determinant(self):
        total, result = self.domain_dimension_tensor(), None
        for operator in self._operators:
            count = cast(total // operator.domain_dimension_tensor(), operator.dtype)
            term = operator.log_abs_determinant() * count
            result = term if result is None else result + term
        return result

    def _trace(self):
        result = self._operators[0].trace()
        for operator in self._operators[1:]:
            result = result * operator.trace()
        return result

    def _outer(self, parts: list):
        """All products of elements of vectors [..., n_i], as one vector."""
        result = parts[0]
        for part in parts[1:]:
            product = result[..., :, None] * part[..., None, :]
            result = op("Reshape")(tensor=product, shape=concat([shape(product)[:-2], [-1]], 0))
        return result

    def _diag_part(self):
        if not all(o.is_square for o in self._operators):
            return super()._diag_part()
        return self._outer([o.diag_part() for o in self._operators])

    def _eigvals(self):
        return self._outer([o.eigvals() for o in self._operators])

    def _to_dense(self):
        result = self._operators[0].to_dense()
        for operator in self._operators[1:]:
            product = result[..., :, None, :, None] * operator.to_dense()[..., None, :, None, :]
            sizes = shape(product)
            sides = op("Pack")(values=[sizes[-4] * sizes[-3], sizes[-2] * sizes[-1]])
            result = op("Reshape")(tensor=product, shape=concat([sizes[:-4], sides], 0))
        result.set_shape(self.shape)
        return result

    def _all_checks(self, method: str):
        if all(o.is_square for o in self._operators):
            return group([getattr(o, method)() for o in self._operators])
        raise InvalidArgumentError(
            None,
            None,
            "All Kronecker factors must be square for the product to be invertible. Expected hint `is_square` to be True "
            "for every operator in argument `operators`.",
        )

    def _assert_non_singular(self):
        return self._all_checks("assert_non_singular")

    def _assert_self_adjoint(self):
        return self._all_checks("assert_self_adjoint")
