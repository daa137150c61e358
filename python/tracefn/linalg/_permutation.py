"""Orthogonal operators: permutations and Householder reflections."""

from __future__ import annotations

from tracefn._static_value import get_static_value
from tracefn.errors import InvalidArgumentError
from tracefn.linalg import _tensors
from tracefn.linalg._linear_operator import LinearOperator
from tracefn.linalg._tensors import convert, op
from tracefn.ops.array_creation import ones, zeros
from tracefn.ops.array_shape import concat, shape
from tracefn.ops.casting import cast
from tracefn.ops.complex_numbers import conj
from tracefn.ops.linear_algebra import adjoint as adjoint_of
from tracefn.ops.linear_algebra import diag_part, matmul, set_diag
from tracefn.ops.reduction import reduce_sum


class LinearOperatorPermutation(LinearOperator):
    """The operator of a permutation matrix: row i of the product is row perm[i] of the argument.

    Args:
      perm: integer tensor [..., n], in each row the numbers 0 to n - 1.
      dtype: dtype of the matrix.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      ValueError: perm is known to be no permutation, or a hint denies an inverse.
      TypeError: perm is not of an integer dtype.

    >>> tf.linalg.LinearOperatorPermutation([1, 2, 0]).matvec([1.0, 2.0, 3.0]).numpy().tolist()
    [2.0, 3.0, 1.0]
    """

    _arguments = ("perm", "dtype")
    _matrix_ndims = {"perm": 1}

    def __init__(
        self,
        perm,
        dtype="float32",
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorPermutation",
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._perm = _tensors.parameter(perm, "perm")
        if self._perm.shape.rank is not None and self._perm.shape.rank < 1:
            raise ValueError(f"Argument `perm` must have at least 1 dimension. Received: {self._perm}.")
        if not self._perm.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be integer dtype. Received: {self._perm}.")
        known = get_static_value(convert(self._perm))
        if known is not None:
            n = known.shape[-1]
            if any(sorted(row) != list(range(n)) for row in known.reshape(-1, n).tolist()):
                raise ValueError(f"Argument `perm` must be a vector of unique integers from 0 to {n - 1}.")
        for hint, value, word in (("is_non_singular", is_non_singular, "non-singular"), ("is_square", is_square, "square")):
            if value is False:
                raise ValueError(
                    f"A Permutation operator is always {word}. Expected argument `{hint}` to be True. Received: {value}."
                )
        super().__init__(
            dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def perm(self):
        """The permutation [..., n]."""
        return self._perm

    def _shape(self):
        static = self._perm.shape
        return static if static.rank is None else static.concatenate(static[-1:])

    def _shape_tensor(self):
        sizes = shape(self._perm)
        return concat([sizes, sizes[-1:]], 0)

    def _assert_non_singular(self):
        return op("NoOp")()

    def _is_one(self):
        """bool [..., n, n]: where the matrix has ones."""
        perm = convert(self._perm)
        places = cast(op("Range")(start=0, limit=shape(perm)[-1], delta=1), perm.dtype)
        return op("Equal")(x=places, y=perm[..., None])

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        perm = cast(convert(self._perm), "int32")
        if adjoint and not self.is_self_adjoint:
            perm = op("TopKV2")(input=-perm, k=shape(perm)[-1])[1]
        x = _tensors.adjoint_if(x, adjoint_arg)
        batch = _tensors.broadcast_sizes(shape(x)[:-2], shape(perm)[:-1])
        n, k = shape(perm)[-1:], shape(x)[-1:]
        rows = op("Reshape")(
            tensor=op("BroadcastTo")(input=x, shape=concat([batch, n, k], 0)), shape=op("Pack")(values=[-1, k[0]])
        )
        count = op("Prod")(input=batch, reduction_indices=[0])
        starts = op("Range")(start=0, limit=count, delta=1)[:, None] * n
        order = op("Reshape")(
            tensor=op("BroadcastTo")(input=perm, shape=concat([batch, n], 0)), shape=op("Pack")(values=[count, n[0]])
        )
        taken = op("GatherV2")(params=rows, indices=op("Reshape")(tensor=order + starts, shape=[-1]), axis=0)
        result = op("Reshape")(tensor=taken, shape=concat([batch, n, k], 0))
        if x.shape.rank is not None and self.shape.rank is not None:
            static = _tensors.broadcast_static(x.shape[:-2], self.batch_shape)
            result.set_shape(static.concatenate([self.shape[-1], x.shape[-1]]))
        return result

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return op("MatrixDeterminant")(input=self.to_dense())

    def _log_abs_determinant(self):
        return zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _to_dense(self):
        return cast(self._is_one(), self.dtype)

    def _diag_part(self):
        return cast(diag_part(self._is_one()), self.dtype)

    def _cond(self):
        return ones(self.batch_shape_tensor(), dtype=self.dtype)


class LinearOperatorHouseholder(LinearOperator):
    """The operator of the reflection I - 2 v v^H / |v|^2.

    Args:
      reflection_axis: floating or complex tensor or Variable [..., n], v.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      ValueError: the rank is less than 1, or a hint denies what every reflection is.

    >>> tf.linalg.LinearOperatorHouseholder([2.0, 0.0]).matvec([3.0, 4.0]).numpy().tolist()
    [-3.0, 4.0]
    """

    _arguments = ("reflection_axis",)
    _matrix_ndims = {"reflection_axis": 1}

    def __init__(
        self,
        reflection_axis,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorHouseholder",
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._reflection_axis = _tensors.parameter(reflection_axis, "reflection_axis")
        if self._reflection_axis.shape.rank is not None and self._reflection_axis.shape.rank < 1:
            raise ValueError(
                f"Argument reflection_axis must have at least 1 dimension.  Found: {self._reflection_axis!s}"
            )
        if is_self_adjoint is False:
            raise ValueError("A Householder operator is always self adjoint.")
        if is_positive_definite is True:
            raise ValueError("A Householder operator is always non-positive definite.")
        if is_square is False:
            raise ValueError("A Householder operator is always square.")
        super().__init__(
            self._reflection_axis.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=True,
            is_positive_definite=False,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def reflection_axis(self):
        """The vector v [..., n]."""
        return self._reflection_axis

    def _shape(self):
        static = self._reflection_axis.shape
        return static if static.rank is None else static.concatenate(static[-1:])

    def _shape_tensor(self):
        sizes = shape(self._reflection_axis)
        return concat([sizes, sizes[-1:]], 0)

    def _unit_axis(self):
        v = convert(self._reflection_axis)
        length = op("Sqrt")(x=reduce_sum(v * conj(v), -1, keepdims=True))
        return v / length

    def _assert_non_singular(self):
        return op("NoOp")()

    def _assert_positive_definite(self):
        raise InvalidArgumentError(None, None, "Householder operators are always non-positive definite.")

    _assert_self_adjoint = _assert_non_singular

    def _linop_adjoint(self):
        return self

    def _linop_inverse(self):
        return self

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = _tensors.adjoint_if(x, adjoint_arg)
        axis = self._unit_axis()[..., None]
        return x - 2 * matmul(axis, matmul(axis, x, adjoint_a=True))

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _trace(self):
        static = self.domain_dimension.value
        size = self.domain_dimension_tensor() if static is None else _tensors.constant(static, "int32")
        return (cast(size, self.dtype) - 2) * ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _determinant(self):
        return -ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self):
        return zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _to_dense(self):
        axis = self._unit_axis()[..., None]
        dense = -2 * matmul(axis, adjoint_of(axis))
        return set_diag(dense, 1 + diag_part(dense))

    def _diag_part(self):
        axis = self._unit_axis()
        return 1 - 2 * axis * conj(axis)

    def _eigvals(self):
        # All are 1 but one, which is -1: the first, in the order of tf.linalg.eigvalsh.
        rest = ones(concat([self.batch_shape_tensor(), self.domain_dimension_tensor()[None] - 1], 0), dtype=self.dtype)
        return concat([-ones(concat([self.batch_shape_tensor(), [1]], 0), dtype=self.dtype), rest], -1)

    def _cond(self):
        return ones(self.batch_shape_tensor(), dtype=self.dtype)
