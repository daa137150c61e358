"""Operators of matrices with few diagonals, or equal elements along them."""

from __future__ import annotations

from tracefn.linalg import _tensors
from tracefn.linalg._linear_operator import LinearOperator
from tracefn.linalg._tensors import constant, convert, op
from tracefn.ops.array_creation import ones
from tracefn.ops.array_shape import concat, shape
from tracefn.ops.complex_numbers import conj
from tracefn.ops.control_flow import group
from tracefn.ops.debugging import check_equal
from tracefn.ops.linear_algebra import diag_part, matmul
from tracefn.ops.tridiagonal import tridiagonal_matmul, tridiagonal_solve


class LinearOperatorToeplitz(LinearOperator):
    """The operator of a Toeplitz matrix: the elements along each diagonal are equal.

    Products are computed from the dense matrix.

    Args:
      col: floating or complex tensor or Variable [..., n], the first column.
      row: tensor or Variable [..., n] of the same dtype, the first row; its first element is ignored.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      ValueError: a rank is less than 1, row and column have different sizes, or is_square is False.
      TypeError: the dtypes differ.

    >>> tf.linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0]).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 1.0]]
    """

    _arguments = ("col", "row")
    _matrix_ndims = {"col": 1, "row": 1}

    def __init__(
        self,
        col,
        row,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorToeplitz",
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._row = _tensors.parameter(row, "row")
        self._col = _tensors.parameter(col, "col")
        for tensor, which in ((self._col, "col"), (self._row, "row")):
            if tensor.shape.rank is not None and tensor.shape.rank < 1:
                raise ValueError(f"Argument {which} must have at least 1 dimension.  Found: {tensor}")
        sizes = {tensor.shape[-1] for tensor in (self._col, self._row) if tensor.shape.rank is not None} - {None}
        if len(sizes) > 1:
            raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
        if self._row.dtype != self._col.dtype:
            raise TypeError(f"Argument `col` and `row` must have the same dtype. Found: {self._col}, {self._row}")
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            self._row.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def col(self):
        """The first column [..., n]."""
        return self._col

    @property
    def row(self):
        """The first row [..., n]."""
        return self._row

    def _shape(self):
        static = _tensors.broadcast_static(self._row.shape, self._col.shape)
        return static if static.rank is None else static.concatenate(static[-1:])

    def _shape_tensor(self):
        sizes = _tensors.broadcast_sizes(shape(self._row), shape(self._col))
        return concat([sizes, sizes[-1:]], 0)

    def _linop_adjoint(self):
        # The first element of the row is ignored, that of the column is not: the adjoint has its conjugate.
        column, row = conj(convert(self._col)), conj(convert(self._row))
        first = concat([column[..., :1] + op("ZerosLike")(x=row[..., :1]), row[..., 1:] + op("ZerosLike")(x=column[..., 1:])], -1)
        return LinearOperatorToeplitz(
            first,
            column,
            is_non_singular=self.is_non_singular,
            is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite,
            is_square=True,
        )

    def _assert_self_adjoint(self):
        row, column = convert(self._row), convert(self._col)
        message = "row and col are not the same, and so this operator is not self-adjoint."
        return check_equal(row, conj(column), message=message)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._dense_solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self):
        row, column = _broadcast_vectors(convert(self._row), convert(self._col))
        n = self.domain_dimension_tensor()
        # Element (i, j) is number n - 1 + i - j of the elements along the first row, from its end, and the first column.
        elements = concat([op("ReverseV2")(tensor=row[..., 1:], axis=[-1]), column], -1)
        places = op("Range")(start=0, limit=n, delta=1)
        where = n - 1 + places[:, None] - places[None, :]
        dense = op("GatherV2")(params=elements, indices=where, axis=-1)
        dense.set_shape(self.shape)
        return dense

    def _diag_part(self):
        column = convert(self._col)
        return column[..., :1] * ones(self.shape_tensor()[:-1], dtype=self.dtype)

    def _trace(self):
        n = op("Cast")(x=self.domain_dimension_tensor(), DstT=self.dtype)
        return n * convert(self._col)[..., 0] * ones(self.batch_shape_tensor(), dtype=self.dtype)


def _broadcast_vectors(a, b) -> tuple:
    """Vectors [..., n] whose batches are broadcast together."""
    a, b = _tensors.broadcast_batches([a[..., None], b[..., None]])
    return a[..., 0], b[..., 0]


_COMPACT, _MATRIX, _SEQUENCE = _FORMATS = ("compact", "matrix", "sequence")


class LinearOperatorTridiag(LinearOperator):
    """The operator of a tridiagonal matrix.

    Args:
      diagonals: the diagonals, as for `tf.linalg.tridiagonal_solve`.
      diagonals_format: "compact", "matrix" or "sequence".
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      ValueError: unknown format, a shape that does not fit, or is_square is False.

    >>> operator = tf.linalg.LinearOperatorTridiag([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], "compact")
    >>> operator.to_dense().numpy().tolist(), operator.solvevec([3.0, 3.0]).numpy().tolist()
    ([[2.0, 1.0], [1.0, 2.0]], [1.0, 1.0])
    """

    _arguments = ("diagonals", "diagonals_format")

    def __init__(
        self,
        diagonals,
        diagonals_format=_COMPACT,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorTridiag",
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        if diagonals_format not in _FORMATS:
            raise ValueError(
                f"Argument `diagonals_format` must be one of compact, matrix, or sequence. Received : {diagonals_format}."
            )
        if diagonals_format == _SEQUENCE:
            self._diagonals = [_tensors.parameter(d, "diagonals") for d in diagonals]
            dtype = self._diagonals[0].dtype
        else:
            self._diagonals = _tensors.parameter(diagonals, "diagonals")
            dtype = self._diagonals.dtype
            rank = self._diagonals.shape.rank
            if rank is not None and rank < 2:
                raise ValueError(f"Argument `diagonals` must have at least 2 dimensions. Received: {diagonals}")
        self._diagonals_format = diagonals_format
        if is_square is False:
            raise ValueError("Only square tridiagonal operators supported.")
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
    def diagonals(self):
        """The diagonals as they were given."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """How the diagonals were given."""
        return self._diagonals_format

    @property
    def _matrix_ndims(self):
        return {"diagonals": [1, 1, 1] if self._diagonals_format == _SEQUENCE else 2}

    def _tensors_of_diagonals(self):
        if self._diagonals_format == _SEQUENCE:
            return [convert(d) for d in self._diagonals]
        return convert(self._diagonals)

    def _parts(self) -> list:
        """The diagonal above the main one [..., n - 1], the main one [..., n], and the one below [..., n - 1]."""
        given = self._tensors_of_diagonals()
        if self._diagonals_format == _MATRIX:
            return [diag_part(given, k=k) for k in (1, 0, -1)]
        above, main, below = given if self._diagonals_format == _SEQUENCE else (given[..., i, :] for i in range(3))
        n = shape(main)[-1]
        return [above[..., : n - 1], main, below[..., shape(below)[-1] - n + 1 :]]

    def _shape(self):
        if self._diagonals_format == _MATRIX:
            return self._diagonals.shape
        if self._diagonals_format == _COMPACT:
            static = self._diagonals.shape
            return static if static.rank is None else static[:-2].concatenate([static[-1], static[-1]])
        batch = _tensors.broadcast_static(*[d.shape[:-1] for d in self._diagonals])
        main = self._diagonals[1].shape
        n = main[-1] if main.rank is not None else None
        return batch.concatenate([n, n])

    def _shape_tensor(self):
        if self._diagonals_format == _MATRIX:
            return shape(self._diagonals)
        if self._diagonals_format == _COMPACT:
            sizes = shape(self._diagonals)
            return concat([sizes[:-2], sizes[-1:], sizes[-1:]], 0)
        batch = _tensors.broadcast_sizes(*[shape(d)[:-1] for d in self._diagonals])
        n = shape(self._diagonals[1])[-1:]
        return concat([batch, n, n], 0)

    def _assert_self_adjoint(self):
        above, main, below = self._parts()
        message = "This tridiagonal operator has non-conjugate subdiagonal and superdiagonal."
        checks = [check_equal(above, conj(below), message=message)]
        if self.dtype.is_complex:
            checks.append(_tensors.check_real(main, "This tridiagonal operator contained non-zero imaginary values."))
        return group([c for c in checks if c is not None])

    def _linop_adjoint(self):
        above, main, below = (conj(d) for d in self._parts())
        return LinearOperatorTridiag(
            [below, main, above],
            _SEQUENCE,
            is_non_singular=self.is_non_singular,
            is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite,
            is_square=True,
        )

    def _compact(self, adjoint: bool):
        """The diagonals [..., 3, n], or those of the adjoint."""
        above, main, below = self._parts()
        if adjoint:
            above, main, below = conj(below), conj(main), conj(above)
        parts = [concat([above, op("ZerosLike")(x=main[..., :1])], -1), main, concat([op("ZerosLike")(x=main[..., :1]), below], -1)]
        return op("Pack")(values=parts, axis=-2)

    def _in_batch(self, diagonals, x) -> tuple:
        """Diagonals [..., 3, n] and matrices whose batches are broadcast together."""
        return tuple(_tensors.broadcast_batches([diagonals, x]))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        diagonals, x = self._in_batch(self._compact(adjoint), _tensors.adjoint_if(x, adjoint_arg))
        return tridiagonal_matmul(diagonals, x)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        diagonals, rhs = self._in_batch(self._compact(adjoint), _tensors.adjoint_if(rhs, adjoint_arg))
        return tridiagonal_solve(diagonals, rhs)

    def _to_dense(self):
        if self._diagonals_format == _MATRIX:
            diagonals = self._tensors_of_diagonals()
            return op("MatrixBandPart")(input=diagonals, num_lower=1, num_upper=1)
        zero = constant(0.0, self.dtype)
        return op("MatrixDiagV3")(
            diagonal=self._compact(False), k=(-1, 1), num_rows=-1, num_cols=-1, padding_value=zero, align="LEFT_RIGHT"
        )

    def _diag_part(self):
        return self._parts()[1]

    def _add_to_tensor(self, x):
        return x + self._to_dense()
