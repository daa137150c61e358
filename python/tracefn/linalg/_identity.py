"""Operators without a matrix: identities, multiples of them, and zeros."""

from __future__ import annotations

from typing import Any

from tracefn._static_value import get_static_value
from tracefn.errors import InvalidArgumentError
from tracefn.framework import control_dependencies
from tracefn.linalg import _hints, _tensors
from tracefn.linalg._linear_operator import LinearOperator, named
from tracefn.linalg._tensors import convert, op
from tracefn.ops.array_creation import ones, zeros
from tracefn.ops.array_shape import concat, identity, shape
from tracefn.ops.casting import cast
from tracefn.ops.complex_numbers import imag, real
from tracefn.ops.debugging import check_equal, check_non_negative, check_positive
from tracefn.ops.debugging_static import assert_rank
from tracefn.ops.linear_algebra import diag_part, set_diag
from tracefn.ops.math import abs as absolute
from tracefn.tensor_shape import TensorShape


def _sizes(value, name: str, rank: int, checked: bool):
    """An integer tensor of sizes (rank 1), or a size (rank 0), with TensorFlow's errors."""
    if _tensors.is_ref(value):
        raise TypeError(f"Argument {name} cannot be reference type. Found: {type(value)}.")
    if isinstance(value, TensorShape):
        value = value.as_list()
    sizes = convert(value, dtype="int32" if isinstance(value, (list, tuple)) and not value else None, name=name)
    if checked:
        word = f"Argument {name} must be"
        checks = [
            assert_rank(sizes, rank, message=f"{word} a {rank}-D Tensor."),
            check_non_negative(sizes, message=f"{word} non-negative."),
        ]
        with control_dependencies([c for c in checks if c is not None]):
            sizes = identity(sizes)
    if not sizes.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {sizes!s}")
    known = get_static_value(sizes)
    if known is not None:
        if known.ndim != rank:
            raise ValueError(f"Argument {name} must be a {rank}-D Tensor.  Found: {known}")
        if (known < 0).any():
            raise ValueError(f"Argument {name} must be non-negative.  Found: {known}")
    return sizes


def _known(size):
    known = get_static_value(size)
    return None if known is None else int(known)


class _Sized(LinearOperator):
    """An operator whose size is an argument of its constructor."""

    _num_rows: Any
    _assert_proper_shapes: bool

    def _batch_sizes(self):
        raise NotImplementedError

    def _static_batch(self) -> TensorShape:
        raise NotImplementedError

    def _rows_and_columns(self) -> tuple:
        return self._num_rows, self._num_rows

    def _shape(self):
        return self._static_batch().concatenate([_known(size) for size in self._rows_and_columns()])

    def _shape_tensor(self):
        sides = op("Pack")(values=[cast(size, "int32") for size in self._rows_and_columns()])
        return concat([cast(self._batch_sizes(), "int32"), sides], 0)

    def _diagonal_shape(self):
        static = self.shape
        if static.is_fully_defined():
            return [*static[:-2].as_list(), min(static[-2:].as_list())]
        sides = op("Minimum")(x=self.range_dimension_tensor(), y=self.domain_dimension_tensor())
        return concat([self.batch_shape_tensor(), sides[None]], 0)

    def _batch_or_tensor(self):
        return self.batch_shape.as_list() if self.batch_shape.is_fully_defined() else self.batch_shape_tensor()

    def _in_batch(self, x):
        """x broadcast to the batch."""
        static = _tensors.broadcast_static(x.shape[:-2], self.batch_shape)
        if static.is_fully_defined() and static == x.shape[:-2]:
            return x
        batch = _tensors.broadcast_sizes(shape(x)[:-2], self.batch_shape_tensor())
        return op("BroadcastTo")(input=x, shape=concat([batch, shape(x)[-2:]], 0))

    def _checked_size(self, x, axis: int, own):
        """x, checked at run time if the constructor was asked to."""
        if not self._assert_proper_shapes:
            return x
        message = "Dimensions are not compatible.  shape[-2] of argument to be the same as this operator"
        check = check_equal(shape(x)[axis], own, message=message)
        with control_dependencies([] if check is None else [check]):
            return identity(x)


class LinearOperatorIdentity(_Sized):
    """The operator of an identity matrix.

    Args:
      num_rows: int or integer scalar, n.
      batch_shape: list of ints or integer tensor; None: a single matrix, which broadcasts.
      dtype: dtype of the matrix; None: float32.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which must be true.
      assert_proper_shapes: whether sizes that are unknown while tracing are checked at run time.
      name: name of the operator.

    Raises:
      ValueError: a hint is false, or a size negative.
      TypeError: a size is no integer.

    >>> operator = tf.linalg.LinearOperatorIdentity(2)
    >>> operator.add_to_tensor([[1.0, 2.0], [3.0, 4.0]]).numpy().tolist()
    [[2.0, 2.0], [3.0, 5.0]]
    """

    _arguments = ("num_rows", "batch_shape", "dtype", "assert_proper_shapes")
    _static_arguments = ("num_rows", "batch_shape")

    def __init__(
        self,
        num_rows,
        batch_shape=None,
        dtype=None,
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
        assert_proper_shapes=False,
        name="LinearOperatorIdentity",
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._assert_proper_shapes = assert_proper_shapes
        for hint, word in (
            (is_self_adjoint, "self adjoint"),
            (is_non_singular, "non-singular"),
            (is_positive_definite, "positive-definite"),
            (is_square, "square"),
        ):
            if not hint:
                raise ValueError(f"An identity operator is always {word}.")
        super().__init__(dtype or "float32", None, True, True, True, True, name, parameters)
        self._num_rows = _sizes(num_rows, "num_rows", 0, assert_proper_shapes)
        self._batch = None if batch_shape is None else _sizes(batch_shape, "batch_shape", 1, assert_proper_shapes)

    def _argument(self, name):
        if name == "batch_shape":
            known = None if self._batch is None else get_static_value(self._batch)
            return self._batch if known is None else known.tolist()
        return super()._argument(name)

    def __getitem__(self, slices):
        batch = [] if self._batch is None else self._batch
        sliced = shape(ones(batch)[slices])
        known = get_static_value(sliced)
        return LinearOperatorIdentity(**{**self.parameters, "batch_shape": sliced if known is None else known.tolist()})

    def _static_batch(self):
        return TensorShape([]) if self._batch is None else _tensors.static_shape(self._batch)

    def _batch_sizes(self):
        return _tensors.constant([], "int32") if self._batch is None else self._batch

    def _linop_cholesky(self):
        return self

    def _linop_inverse(self):
        return self

    def _linop_matmul(self, left_operator, right_operator):
        return right_operator

    def _linop_solve(self, left_operator, right_operator):
        return right_operator

    def _assert_non_singular(self):
        return op("NoOp")()

    _assert_positive_definite = _assert_self_adjoint = _assert_non_singular

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = _tensors.adjoint_if(x, adjoint_arg)
        return self._in_batch(self._checked_size(x, -2, self.domain_dimension_tensor()))

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return ones(self._batch_or_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self):
        return zeros(self._batch_or_tensor(), dtype=self.dtype)

    def _trace(self):
        return cast(self.domain_dimension_tensor(), self.dtype) * ones(self._batch_or_tensor(), dtype=self.dtype)

    def _diag_part(self):
        return ones(self._diagonal_shape(), dtype=self.dtype)

    def add_to_tensor(self, mat, name="add_to_tensor"):
        """The identity + mat for a tensor mat [..., n, n]."""
        with self._scope(name):
            mat = convert(mat, name="mat")
            return set_diag(mat, 1 + diag_part(mat))

    def _eigvals(self):
        return self._diag_part()

    def _cond(self):
        return ones(self._batch_or_tensor(), dtype=self.dtype)


class LinearOperatorScaledIdentity(_Sized):
    """The operator of multiples of the identity matrix.

    Args:
      num_rows: int or integer scalar, n.
      multiplier: floating or complex tensor or Variable [...].
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      assert_proper_shapes: whether sizes that are unknown while tracing are checked at run time.
      name: name of the operator.

    Raises:
      ValueError: is_square is false; is_self_adjoint is, for real numbers; or the size is negative.
      TypeError: the size is no integer.

    >>> tf.linalg.LinearOperatorScaledIdentity(2, multiplier=3.0).matvec([1.0, 2.0]).numpy().tolist()
    [3.0, 6.0]
    """

    _arguments = ("num_rows", "multiplier", "assert_proper_shapes")
    _static_arguments = ("num_rows",)
    _matrix_ndims = {"multiplier": 0}

    def __init__(
        self,
        num_rows,
        multiplier,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        assert_proper_shapes=False,
        name="LinearOperatorScaledIdentity",
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._assert_proper_shapes = assert_proper_shapes
        self._multiplier = _tensors.parameter(multiplier, "multiplier")
        real_numbers = not self._multiplier.dtype.is_complex
        is_self_adjoint = _hints.implied(
            real_numbers, is_self_adjoint, "A real diagonal operator is always self adjoint."
        )
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        super().__init__(
            self._multiplier.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )
        self._num_rows = _sizes(num_rows, "num_rows", 0, assert_proper_shapes)

    @property
    def multiplier(self):
        """The factor [...]."""
        return self._multiplier

    def _static_batch(self):
        return self._multiplier.shape

    def _batch_sizes(self):
        return shape(self._multiplier)

    def _like(self, multiplier, **hints):
        return LinearOperatorScaledIdentity(self._num_rows, multiplier, **{**_hints.hints_of(self), **hints})

    def _assert_non_singular(self):
        return check_positive(absolute(convert(self._multiplier)), message="LinearOperator was singular")

    def _assert_positive_definite(self):
        return check_positive(real(convert(self._multiplier)), message="LinearOperator was not positive definite.")

    def _assert_self_adjoint(self):
        part = imag(convert(self._multiplier))
        return check_equal(op("ZerosLike")(x=part), part, message="LinearOperator was not self-adjoint")

    def _linop_adjoint(self):
        return self._like(_tensors.conj_if(self._multiplier, self.dtype.is_complex))

    def _linop_cholesky(self):
        return self._like(op("Sqrt")(x=convert(self._multiplier)))

    def _linop_inverse(self):
        return self._like(1.0 / convert(self._multiplier))

    def _linop_matmul(self, left_operator, right_operator):
        if not isinstance(right_operator, LinearOperatorScaledIdentity):
            diagonal_operator = named("LinearOperatorDiag")
            if isinstance(right_operator, diagonal_operator):
                diagonal = convert(right_operator.diag) * convert(left_operator.multiplier)[..., None]
                return diagonal_operator(diagonal, **_hints.of_commuting(left_operator, right_operator))
            return super()._linop_matmul(left_operator, right_operator)
        product = convert(left_operator.multiplier) * convert(right_operator.multiplier)
        return self._like(product, **_hints.of_commuting(left_operator, right_operator))

    def _linop_solve(self, left_operator, right_operator):
        if not isinstance(right_operator, LinearOperatorScaledIdentity):
            return super()._linop_solve(left_operator, right_operator)
        quotient = convert(right_operator.multiplier) / convert(left_operator.multiplier)
        return self._like(quotient, **_hints.of_commuting(left_operator, right_operator))

    def _factor(self, adjoint: bool):
        return _tensors.conj_if(self._multiplier, adjoint)[..., None, None]

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = _tensors.adjoint_if(x, adjoint_arg)
        return self._checked_size(x, -2, self.domain_dimension_tensor()) * self._factor(adjoint)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = _tensors.adjoint_if(rhs, adjoint_arg)
        return self._checked_size(rhs, -2, self.range_dimension_tensor()) / self._factor(adjoint)

    def _determinant(self):
        return op("Pow")(x=convert(self._multiplier), y=cast(self._num_rows, self.dtype))

    def _log_abs_determinant(self):
        size = op("Log")(x=absolute(convert(self._multiplier)))
        return cast(cast(self._num_rows, size.dtype) * size, self.dtype)

    def _diag_part(self):
        return ones(self._diagonal_shape(), dtype=self.dtype) * convert(self._multiplier)[..., None]

    def _trace(self):
        return cast(self._num_rows, self.dtype) * convert(self._multiplier)

    def _eigvals(self):
        return self._diag_part()

    def _cond(self):
        return op("OnesLike")(x=absolute(convert(self._multiplier)))

    def add_to_tensor(self, mat, name="add_to_tensor"):
        """The matrix + mat for a tensor mat [..., n, n]."""
        with self._scope(name):
            mat = convert(mat, name="mat")
            mat = self._in_batch(mat)
            return set_diag(mat, diag_part(mat) + convert(self._multiplier)[..., None])


class LinearOperatorZeros(_Sized):
    """The operator of a matrix of zeros.

    Args:
      num_rows: int or integer scalar, m.
      num_columns: int or integer scalar, n; None: m.
      batch_shape: list of ints or integer tensor; None: a single matrix, which broadcasts.
      dtype: dtype of the matrix; None: float32.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      assert_proper_shapes: whether sizes that are unknown while tracing are checked at run time.
      name: name of the operator.

    Raises:
      ValueError: the hints say that the matrix has an inverse, or a size is negative.
      TypeError: a size is no integer.

    >>> tf.linalg.LinearOperatorZeros(2, 3).matvec([1.0, 2.0, 3.0]).numpy().tolist()
    [0.0, 0.0]
    """

    _arguments = ("num_rows", "num_columns", "batch_shape", "dtype", "assert_proper_shapes")
    _static_arguments = ("num_rows", "num_columns", "batch_shape")

    def __init__(
        self,
        num_rows,
        num_columns=None,
        batch_shape=None,
        dtype=None,
        is_non_singular=False,
        is_self_adjoint=True,
        is_positive_definite=False,
        is_square=True,
        assert_proper_shapes=False,
        name="LinearOperatorZeros",
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._assert_proper_shapes = assert_proper_shapes
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self-adjoint.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        rows = _sizes(num_rows, "num_rows", 0, assert_proper_shapes)
        columns = rows if num_columns is None else _sizes(num_columns, "num_columns", 0, assert_proper_shapes)
        known = _known(rows), _known(columns)
        square = known[0] == known[1] if None not in known else is_square
        if is_square and not square:
            is_square, is_self_adjoint = None, None
        super().__init__(dtype or "float32", None, False, is_self_adjoint, False, is_square, name, parameters)
        self._num_rows, self._num_columns = rows, columns
        self._batch = None if batch_shape is None else _sizes(batch_shape, "batch_shape", 1, assert_proper_shapes)

    _argument = LinearOperatorIdentity._argument
    _static_batch = LinearOperatorIdentity._static_batch
    _batch_sizes = LinearOperatorIdentity._batch_sizes

    def _rows_and_columns(self):
        return self._num_rows, self._num_columns

    def __getitem__(self, slices):
        batch = [] if self._batch is None else self._batch
        sliced = shape(ones(batch)[slices])
        known = get_static_value(sliced)
        return LinearOperatorZeros(**{**self.parameters, "batch_shape": sliced if known is None else known.tolist()})

    def _assert_non_singular(self):
        raise InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self):
        raise InvalidArgumentError(None, None, "Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self):
        return op("NoOp")()

    def _linop_adjoint(self):
        return LinearOperatorZeros(
            self._num_columns, self._num_rows, self._argument("batch_shape"), self.dtype, False,
            self.is_self_adjoint, False, self.is_square,
        )  # fmt: skip

    def _linop_matmul(self, left_operator, right_operator):
        if not left_operator.is_square or not right_operator.is_square:
            raise ValueError(
                "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not supported at this time."
            )
        return left_operator

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = _tensors.adjoint_if(x, adjoint_arg)
        columns, rows = (self._num_rows, self._num_columns) if adjoint else (self._num_columns, self._num_rows)
        x = self._checked_size(x, -2, cast(columns, "int32"))
        batch = _tensors.broadcast_sizes(shape(x)[:-2], self.batch_shape_tensor())
        whole = concat([batch, cast(rows, "int32")[None], shape(x)[-1:]], 0)
        result = zeros(whole, dtype=self.dtype)
        static = _tensors.broadcast_static(x.shape[:-2], self.batch_shape)
        if x.shape.rank is not None:
            result.set_shape(static.concatenate([_known(rows), x.shape[-1]]))
        return result

    def _determinant(self):
        return zeros(self._batch_or_tensor(), dtype=self.dtype)

    _trace = _determinant

    def _to_dense(self):
        static = self.shape
        return zeros(static.as_list() if static.is_fully_defined() else self.shape_tensor(), dtype=self.dtype)

    def _diag_part(self):
        return zeros(self._diagonal_shape(), dtype=self.dtype)

    def add_to_tensor(self, mat, name="add_to_tensor"):
        """Zeros + mat for a tensor mat [..., m, n]."""
        with self._scope(name):
            return self._in_batch(convert(mat, name="mat"))

    def _eigvals(self):
        return self._diag_part()
