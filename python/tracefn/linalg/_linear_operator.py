"""`tf.linalg.LinearOperator`: a matrix, or a batch of them, known by what it does."""

from __future__ import annotations

import abc
import typing

from tracefn import _core
from tracefn._known_variables import values_of_variables
from tracefn._static_value import get_static_value
from tracefn.composite import CompositeTensor
from tracefn.dimension import Dimension
from tracefn.dtypes import as_dtype
from tracefn.framework import name_scope
from tracefn.linalg import _checks, _hints, _slicing, _tensors
from tracefn.linalg._composite import GradientOfOperator, spec_class, spec_of
from tracefn.linalg._tensors import constant, convert, op
from tracefn.module import Module
from tracefn.ops.array_creation import eye
from tracefn.ops.linear_algebra import diag_part as diag_part_of
from tracefn.ops.math import abs as absolute
from tracefn.ops.matrix_factors import eigvalsh, svd
from tracefn.ops.reduction import reduce_max, reduce_min, reduce_sum

_OWN_CLASSES: dict[str, type] = {}


def named(name: str):
    """The class of operators with that name, which builds on this module."""
    return _OWN_CLASSES[name]


class LinearOperator(Module, CompositeTensor):
    """The base class of linear operators: matrices [..., m, n] that need not be stored.

    A subclass defines `_shape`, `_shape_tensor` and `_matmul`, and whatever else it can do better than with the dense
    matrix: `_solve`, `_determinant`, `_to_dense`, and so on, each without the argument `name`. Operators are composite
    values: `tf.function` takes and returns them. The functions adjoint, cholesky, det, diag_part, inv, logdet, matmul,
    solve and trace of `tf.linalg` take them, too, and so does `@`.

    Args:
      dtype: dtype of the matrix.
      graph_parents: ignored.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is promised of the matrix; None: nothing.
        Methods rely on it without a check. Positive definite means x^H A x > 0, for matrices that need not be
        self-adjoint.
      name: name of the operator, in front of the names of its ops.
      parameters: dict of the arguments of the subclass's constructor.

    Raises:
      ValueError: hints contradict each other.

    >>> operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> operator.matvec([3.0, 4.0]).numpy().tolist(), float(operator.determinant())
    ([3.0, 8.0], 2.0)
    """

    _is_linear_operator = True
    __composite_gradient__ = GradientOfOperator()
    # The constructor's arguments, without hints and name, that determine the operator; None: all of them. Those that are
    # numbers rather than tensors if their value is known. And how many of the last dimensions of each argument with a
    # batch shape belong to a single matrix; for an operator the number 0.
    _arguments: tuple | None = None
    _static_arguments: tuple = ()
    _matrix_ndims: typing.ClassVar[dict] = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.Spec = spec_class(cls)
        if cls.__module__.startswith("tracefn.linalg."):
            _OWN_CLASSES[cls.__name__] = cls

    def __init__(
        self,
        dtype,
        graph_parents=None,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
        parameters=None,
    ):
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        if is_non_singular:
            if is_square is False:
                raise ValueError("A non-singular matrix is always square.")
            is_square = True
        if is_self_adjoint:
            if is_square is False:
                raise ValueError("A self-adjoint matrix is always square.")
            is_square = True
        self._square_hint = is_square
        self._graph_parents = list(graph_parents or [])
        self._dtype = as_dtype(dtype) if dtype else dtype
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._parameters = dict(parameters or {})
        self._name = name or type(self).__name__

    def _scope(self, name=None):
        return name_scope(self._name if name is None else f"{self._name}/{name}")

    def _argument(self, name: str):
        """The value of an argument of the constructor, as the operator keeps it."""
        value = getattr(self, name, None)
        if value is None or callable(value):
            value = getattr(self, "_" + name, None)
        if value is None:
            value = self._parameters.get(name)
        if name in self._static_arguments and isinstance(value, _core.Tensor):
            known = get_static_value(value)
            return value if known is None else known.tolist()
        return value

    @property
    def _type_spec(self):
        return spec_of(self)

    def _convert_variables_to_tensors(self):
        """The operator with the values of its Variables in their place, for loops and the results of functions."""
        spec = self._type_spec
        return spec._from_components(values_of_variables(spec._to_components(self)))

    @property
    def _composite_tensor_fields(self) -> tuple:
        return self._arguments or ()

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict:
        return dict(self._matrix_ndims)

    def __getitem__(self, slices):
        return _slicing.batch_slice(self, slices)

    @property
    def parameters(self) -> dict:
        """The arguments that the constructor was called with."""
        return dict(self._parameters)

    @property
    def dtype(self):
        """The dtype of the matrix."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name of the operator."""
        return self._name

    @property
    def graph_parents(self) -> list:
        """What was given to the constructor; deprecated."""
        return self._graph_parents

    @property
    def is_non_singular(self):
        """Whether the matrix is promised to have an inverse: True, False or None."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self):
        """Whether the matrix is promised to be its own adjoint: True, False or None."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self):
        """Whether the matrix is promised to be positive definite: True, False or None."""
        return self._is_positive_definite

    @property
    def is_square(self):
        """Whether the matrix is square, by the hint or by its shape.

        Raises:
          ValueError: the hint is False, and the matrix is square.
        """
        rows, columns = self.range_dimension.value, self.domain_dimension.value
        known = None if rows is None or columns is None else rows == columns
        if self._square_hint is False and known:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return known if self._square_hint is None else self._square_hint

    # Shapes

    @abc.abstractmethod
    def _shape(self):
        raise NotImplementedError("_shape is not implemented.")

    def _shape_tensor(self):
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self):
        """The `tf.TensorShape` [..., m, n], as far as it is known."""
        return self._shape()

    def shape_tensor(self, name="shape_tensor"):
        """The shape as an int32 tensor."""
        with self._scope(name):
            static = self.shape
            return constant(static.as_list(), "int32") if static.is_fully_defined() else self._shape_tensor()

    @property
    def batch_shape(self):
        """The shape without the last two dimensions, as far as it is known."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        """The shape without the last two dimensions, as an int32 tensor."""
        with self._scope(name):
            static = self.batch_shape
            return constant(static.as_list(), "int32") if static.is_fully_defined() else self.shape_tensor()[:-2]

    @property
    def tensor_rank(self):
        """The rank of the dense matrix, or None."""
        return self.shape.rank

    def tensor_rank_tensor(self, name="tensor_rank_tensor"):
        """The rank of the dense matrix as an int32 tensor."""
        with self._scope(name):
            rank = self.tensor_rank
            return op("Size")(input=self.shape_tensor()) if rank is None else constant(rank, "int32")

    def _dimension(self, axis: int) -> Dimension:
        static = self.shape
        return Dimension(None) if static.rank is None else Dimension(static[axis])

    def _dimension_tensor(self, axis: int):
        size = self._dimension(axis).value
        return self.shape_tensor()[axis] if size is None else constant(size, "int32")

    @property
    def domain_dimension(self):
        """n of a matrix [..., m, n], as a Dimension."""
        return self._dimension(-1)

    @property
    def range_dimension(self):
        """m of a matrix [..., m, n], as a Dimension."""
        return self._dimension(-2)

    def domain_dimension_tensor(self, name="domain_dimension_tensor"):
        """n of a matrix [..., m, n], as an int32 tensor."""
        with self._scope(name):
            return self._dimension_tensor(-1)

    def range_dimension_tensor(self, name="range_dimension_tensor"):
        """m of a matrix [..., m, n], as an int32 tensor."""
        with self._scope(name):
            return self._dimension_tensor(-2)

    # Checks

    def _assert_non_singular(self):
        return _checks.non_singular(self)

    def assert_non_singular(self, name="assert_non_singular"):
        """An op that fails unless the condition number is less than 1 / (max(100, m, n) epsilon).

        Raises:
          InvalidArgumentError: the matrix is singular.
        """
        with self._scope(name):
            return self._assert_non_singular()

    def _assert_positive_definite(self):
        return _checks.positive_definite(self)

    def assert_positive_definite(self, name="assert_positive_definite"):
        """An op that fails unless the matrix is positive definite.

        Raises:
          InvalidArgumentError: it is not.
          NotImplementedError: the operator is not hinted to be self-adjoint, and has no other way to tell.
        """
        with self._scope(name):
            return self._assert_positive_definite()

    def _assert_self_adjoint(self):
        return _checks.self_adjoint(self)

    def assert_self_adjoint(self, name="assert_self_adjoint"):
        """An op that fails unless the matrix equals its adjoint exactly.

        Raises:
          InvalidArgumentError: it does not.
        """
        with self._scope(name):
            return self._assert_self_adjoint()

    # Products

    @abc.abstractmethod
    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        raise NotImplementedError("_matmul is not implemented.")

    def _checked(self, x, name: str, own_axis: int, axis: int):
        """An argument as a tensor of the operator's dtype, one size of which is one of the operator's."""
        x = convert(x, name=name)
        _tensors.check_dtype(x, self.dtype)
        self._dimension(own_axis).assert_is_compatible_with(None if x.shape.rank is None else x.shape[axis])
        return x

    def _pair(self, other, adjoint: bool, adjoint_arg: bool, name: str):
        """Both operators of a product or an equation."""
        left, right = self.adjoint() if adjoint else self, other.adjoint() if adjoint_arg else other
        sizes = left.domain_dimension.value, right.range_dimension.value
        if None not in sizes and sizes[0] != sizes[1]:
            raise ValueError(
                f"Operators are incompatible. Expected `{name}` to have dimension {sizes[0]} but got {sizes[1]}."
            )
        return left, right

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """The product A @ x.

        Args:
          x: tensor [..., n, k] of the operator's dtype, or another operator.
          adjoint: whether A is replaced by its adjoint.
          adjoint_arg: whether x is.
          name: name of the scope.

        Returns:
          Tensor [..., m, k]; an operator, if x is one.

        Raises:
          ValueError: the shapes do not match.
          TypeError: the dtypes differ.
        """
        if isinstance(x, LinearOperator):
            left, right = self._pair(x, adjoint, adjoint_arg, "x")
            with self._scope(name):
                return left._linop_matmul(left, right)
        with self._scope(name):
            x = self._checked(x, "x", -2 if adjoint else -1, -1 if adjoint_arg else -2)
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _linop_matmul(self, left_operator, right_operator):
        if isinstance(right_operator, named("LinearOperatorIdentity")):
            return left_operator
        if isinstance(right_operator, named("LinearOperatorZeros")):
            if not right_operator.is_square or not left_operator.is_square:
                raise ValueError(
                    "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not supported at this time."
                )
            return right_operator
        return named("LinearOperatorComposition")(
            [left_operator, right_operator], **_hints.of_product(left_operator, right_operator)
        )

    def __matmul__(self, other):
        return self.matmul(other)

    def _matvec(self, x, adjoint=False):
        return self.matmul(x[..., None], adjoint=adjoint)[..., 0]

    def matvec(self, x, adjoint=False, name="matvec"):
        """The product A x with vectors.

        Args:
          x: tensor [..., n] of the operator's dtype.
          adjoint: whether A is replaced by its adjoint.
          name: name of the scope.

        Returns:
          Tensor [..., m].

        Raises:
          ValueError: the shapes do not match.
          TypeError: the dtypes differ.
        """
        with self._scope(name):
            return self._matvec(self._checked(x, "x", -2 if adjoint else -1, -1), adjoint=adjoint)

    # Determinants

    def _determinant(self):
        _checks.warn_dense("determinant")
        if self._can_use_cholesky():
            return op("Exp")(x=self.log_abs_determinant())
        return op("MatrixDeterminant")(input=self.to_dense())

    def determinant(self, name="det"):
        """The determinant, a tensor [...].

        Raises:
          NotImplementedError: the matrix is not square.
        """
        if self.is_square is False:
            raise NotImplementedError("Determinant not implemented for an operator that is expected to not be square.")
        with self._scope(name):
            return self._determinant()

    def _log_abs_determinant(self):
        _checks.warn_dense("determinant")
        if self._can_use_cholesky():
            return 2 * reduce_sum(op("Log")(x=diag_part_of(op("Cholesky")(input=self.to_dense()))), [-1])
        return op("LogMatrixDeterminant")(input=self.to_dense())[1]

    def log_abs_determinant(self, name="log_abs_det"):
        """The logarithm of the determinant's absolute value, a tensor [...] of the operator's dtype.

        Raises:
          NotImplementedError: the matrix is not square.
        """
        if self.is_square is False:
            raise NotImplementedError("Determinant not implemented for an operator that is expected to not be square.")
        with self._scope(name):
            return self._log_abs_determinant()

    # Equations

    def _dense_solve(self, rhs, adjoint=False, adjoint_arg=False):
        if self.is_square is False:
            raise NotImplementedError("Solve is not yet implemented for non-square operators.")
        rhs = _tensors.adjoint_if(rhs, adjoint_arg)
        if self._can_use_cholesky():
            return _tensors.solve_cholesky(self.to_dense(), rhs)
        return _tensors.solve_broadcast(self.to_dense(), rhs, adjoint)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        _checks.warn_dense("solve")
        return self._dense_solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _check_solvable(self) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
        if self.is_square is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to not be square.")

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """The solution X of A @ X = rhs.

        Args:
          rhs: tensor [..., m, k] of the operator's dtype, or another operator.
          adjoint: whether A is replaced by its adjoint.
          adjoint_arg: whether rhs is.
          name: name of the scope.

        Returns:
          Tensor [..., n, k]; an operator, if rhs is one.

        Raises:
          NotImplementedError: the operator is hinted to be singular or not square.
          ValueError: the shapes do not match.
          TypeError: the dtypes differ.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            left, right = self._pair(rhs, adjoint, adjoint_arg, "rhs")
            with self._scope(name):
                return left._linop_solve(left, right)
        with self._scope(name):
            rhs = self._checked(rhs, "rhs", -1 if adjoint else -2, -1 if adjoint_arg else -2)
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _linop_solve(self, left_operator, right_operator):
        if isinstance(right_operator, named("LinearOperatorIdentity")):
            return left_operator.inverse()
        return named("LinearOperatorComposition")(
            [named("LinearOperatorInversion")(left_operator), right_operator],
            **_hints.of_product(left_operator, right_operator),
        )

    def _solvevec(self, rhs, adjoint=False):
        return self.solve(rhs[..., None], adjoint=adjoint)[..., 0]

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """The solution x of A x = rhs for vectors rhs [..., m]; see `solve`."""
        with self._scope(name):
            return self._solvevec(self._checked(rhs, "rhs", -1 if adjoint else -2, -1), adjoint=adjoint)

    # Related operators

    def _linop_adjoint(self):
        return named("LinearOperatorAdjoint")(self, **_hints.hints_of(self))

    def adjoint(self, name="adjoint"):
        """The adjoint as an operator; the operator itself, if it is hinted to be self-adjoint."""
        if self.is_self_adjoint is True:
            return self
        with self._scope(name):
            return self._linop_adjoint()

    @property
    def H(self):
        """The adjoint as an operator."""
        return self.adjoint()

    def _linop_inverse(self):
        return named("LinearOperatorInversion")(self, **_hints.hints_of(self))

    def inverse(self, name="inverse"):
        """The inverse as an operator.

        Raises:
          ValueError: the operator is hinted to be singular or not square.
        """
        if self.is_square is False:
            raise ValueError("Cannot take the Inverse: This operator represents a non square matrix.")
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        with self._scope(name):
            return self._linop_inverse()

    def _linop_cholesky(self):
        return named("LinearOperatorLowerTriangular")(
            op("Cholesky")(input=self.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
        )

    def cholesky(self, name="cholesky"):
        """The Cholesky factor as an operator.

        Raises:
          ValueError: the operator is not hinted to be self-adjoint and positive definite.
        """
        if not self._can_use_cholesky():
            raise ValueError("Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.")
        with self._scope(name):
            return self._linop_cholesky()

    # The matrix as a tensor

    def _to_dense(self):
        batch = self.batch_shape if self.batch_shape.is_fully_defined() else self.batch_shape_tensor()
        size = self.domain_dimension.value
        return self.matmul(
            eye(self.domain_dimension_tensor() if size is None else size, batch_shape=batch, dtype=self.dtype)
        )

    def to_dense(self, name="to_dense"):
        """The matrix as a tensor [..., m, n]."""
        with self._scope(name):
            return self._to_dense()

    def _diag_part(self):
        return diag_part_of(self.to_dense())

    def diag_part(self, name="diag_part"):
        """The main diagonal, a tensor [..., min(m, n)]."""
        with self._scope(name):
            return self._diag_part()

    def _trace(self):
        return reduce_sum(self.diag_part(), -1)

    def trace(self, name="trace"):
        """The sum of the main diagonal, a tensor [...]."""
        with self._scope(name):
            return self._trace()

    def _add_to_tensor(self, x):
        return self.to_dense() + x

    def add_to_tensor(self, x, name="add_to_tensor"):
        """A + x for a tensor x of the operator's dtype that broadcasts against [..., m, n].

        Raises:
          TypeError: the dtypes differ.
        """
        with self._scope(name):
            x = convert(x, name="x")
            _tensors.check_dtype(x, self.dtype)
            return self._add_to_tensor(x)

    def _eigvals(self):
        return eigvalsh(self.to_dense())

    def eigvals(self, name="eigvals"):
        """The eigenvalues of a self-adjoint operator, a tensor [..., n].

        Raises:
          NotImplementedError: the operator is not hinted to be self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        with self._scope(name):
            return self._eigvals()

    def _cond(self):
        values = absolute(self._eigvals()) if self.is_self_adjoint else svd(self.to_dense(), compute_uv=False)
        return reduce_max(values, -1) / reduce_min(values, -1)

    def cond(self, name="cond"):
        """The condition number, the ratio of the largest to the smallest singular value: a tensor [...]."""
        with self._scope(name):
            return self._cond()

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

