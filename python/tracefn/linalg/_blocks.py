"""Operators made of blocks: block diagonal and block lower triangular ones."""

from __future__ import annotations

from tracefn.framework import is_tensor
from tracefn.linalg import _hints, _tensors
from tracefn.linalg._composition import check_operators
from tracefn.linalg._linear_operator import LinearOperator
from tracefn.linalg._tensors import convert, op
from tracefn.ops.array_shape import concat, split
from tracefn.ops.control_flow import group
from tracefn.tensor_shape import TensorShape


def _total(sizes):
    return None if None in sizes else sum(sizes)


class _Blocks(LinearOperator):
    """An operator with operators on its diagonal, whose arguments may be lists of tensors, one for each of them."""

    def _diagonal_blocks(self) -> list:
        raise NotImplementedError

    def _all_blocks(self) -> list:
        raise NotImplementedError

    def _shape(self):
        blocks = self._diagonal_blocks()
        rows = _total([o.range_dimension.value for o in blocks])
        columns = _total([o.domain_dimension.value for o in blocks])
        batch = _tensors.broadcast_static(*[o.batch_shape for o in self._all_blocks()])
        return batch.concatenate(TensorShape([rows, columns]))

    def _shape_tensor(self):
        blocks = self._diagonal_blocks()
        batch = _tensors.broadcast_sizes(*[o.batch_shape_tensor() for o in self._all_blocks()])
        rows = op("AddN")(inputs=[o.range_dimension_tensor() for o in blocks])
        columns = op("AddN")(inputs=[o.domain_dimension_tensor() for o in blocks])
        return concat([batch, op("Pack")(values=[rows, columns])], 0)

    def _sizes(self, of_domain: bool) -> list:
        """The sizes of the blocks' domains or ranges: ints if known, else int32 tensors."""
        blocks = self._diagonal_blocks()
        known = [(o.domain_dimension if of_domain else o.range_dimension).value for o in blocks]
        if None not in known:
            return known
        return [o.domain_dimension_tensor() if of_domain else o.range_dimension_tensor() for o in blocks]

    def _is_list_of_blocks(self, x, of_domain: bool, axis: int) -> bool:
        """Whether an argument is a list with a tensor for each block rather than one tensor.

        Raises:
          ValueError: it may be either, or is neither.
        """
        blocks = self._diagonal_blocks()
        if not isinstance(x, (list, tuple)) or len(x) != len(blocks):
            return False
        if any(is_tensor(item) for item in x):
            return True
        items = [convert(item) for item in x]
        if any(len(item.shape) < -axis for item in items):
            return False
        given = [item.shape[axis] for item in items]
        known = [(o.domain_dimension if of_domain else o.range_dimension).value for o in blocks]
        if all(size is None for size in known):
            if len(given) == 1:
                return False
            if any(size != given[0] for size in given):
                return True
            raise ValueError(
                "Parsing of the input structure is ambiguous. Please input a blockwise iterable of `Tensor`s or a single `Tensor`."
            )
        if all(size is None or size == other for size, other in zip(known, given, strict=True)):
            return True
        if all(size == given[0] for size in given) and given[0] is not None and given[0] >= sum(k or 0 for k in known):
            return False
        raise ValueError("Input dimension does not match operator dimension.")

    def _parts(self, x, name: str, of_domain: bool, axis: int) -> tuple:
        """The argument split into tensors for the blocks, and whether it came as a list of them."""
        if self._is_list_of_blocks(x, of_domain, axis):
            parts = [convert(item) for item in x]
            for operator, part in zip(self._diagonal_blocks(), parts, strict=True):
                _tensors.check_dtype(part, self.dtype)
                own = operator.domain_dimension if of_domain else operator.range_dimension
                own.assert_is_compatible_with(part.shape[axis])
            return parts, True
        x = self._checked(x, name, -1 if of_domain else -2, axis)
        return split(x, self._sizes(of_domain), axis=axis), False

    def _whole(self, results: list, blockwise: bool):
        return results if blockwise else concat(_tensors.broadcast_batches(results), -2)

    def _multiply(self, parts: list, adjoint: bool, adjoint_arg: bool) -> list:
        raise NotImplementedError

    def _divide(self, parts: list, adjoint: bool, adjoint_arg: bool) -> list:
        raise NotImplementedError

    def _check_blocks(self, left, right, name: str) -> None:
        if isinstance(left, LinearOperatorBlockDiag) and isinstance(right, LinearOperatorBlockDiag):
            if len(left.operators) != len(right.operators):
                what = "multiply two `LinearOperatorBlockDiag`s together" if name == "x" else "solve `LinearOperatorBlockDiag`"
                raise ValueError(f"Can not efficiently {what} when number of blocks differ.")
            for a, b in zip(left.operators, right.operators, strict=True):
                sizes = a.domain_dimension.value, b.range_dimension.value
                if None not in sizes and sizes[0] != sizes[1]:
                    raise ValueError(
                        f"Blocks are incompatible. Expected `x` to have dimension {sizes[0]} but got {sizes[1]}."
                    )

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """The product A @ x; x may be a list of tensors, one for each block, and then the product is one, too.

        Args, errors: as for LinearOperator.matmul.
        """
        if isinstance(x, LinearOperator):
            left, right = self._pair(x, adjoint, adjoint_arg, "x")
            self._check_blocks(left, right, "x")
            with self._scope(name):
                return left._linop_matmul(left, right)
        with self._scope(name):
            parts, blockwise = self._parts(x, "x", not adjoint, -1 if adjoint_arg else -2)
            return self._whole(self._multiply(parts, adjoint, adjoint_arg), blockwise)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self.matmul(x, adjoint, adjoint_arg)

    def matvec(self, x, adjoint=False, name="matvec"):
        """The product A x with vectors; x may be a list of tensors, one for each block."""
        with self._scope(name):
            parts, blockwise = self._parts(x, "x", not adjoint, -1)
            results = self._multiply([part[..., None] for part in parts], adjoint, False)
            return [r[..., 0] for r in results] if blockwise else self._whole(results, False)[..., 0]

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """The solution X of A @ X = rhs; rhs may be a list of tensors, one for each block, and then X is one, too.

        Args, errors: as for LinearOperator.solve.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            left, right = self._pair(rhs, adjoint, adjoint_arg, "rhs")
            self._check_blocks(left, right, "rhs")
            with self._scope(name):
                return left._linop_solve(left, right)
        with self._scope(name):
            parts, blockwise = self._parts(rhs, "rhs", adjoint, -1 if adjoint_arg else -2)
            return self._whole(self._divide(parts, adjoint, adjoint_arg), blockwise)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self.solve(rhs, adjoint, adjoint_arg)

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """The solution x of A x = rhs for vectors; rhs may be a list of tensors, one for each block."""
        with self._scope(name):
            parts, blockwise = self._parts(rhs, "rhs", adjoint, -1)
            results = self._divide([part[..., None] for part in parts], adjoint, False)
            return [r[..., 0] for r in results] if blockwise else self._whole(results, False)[..., 0]

    def _determinant(self):
        blocks = self._diagonal_blocks()
        result = blocks[0].determinant()
        for operator in blocks[1:]:
            result = result * operator.determinant()
        return result

    def _log_abs_determinant(self):
        blocks = self._diagonal_blocks()
        result = blocks[0].log_abs_determinant()
        for operator in blocks[1:]:
            result = result + operator.log_abs_determinant()
        return result

    def _joined(self, vectors: list):
        """Vectors [..., n_i], whose batches are broadcast together, one after the other."""
        return concat(_tensors.broadcast_batches([v[..., None] for v in vectors]), -2)[..., 0]

    def _diag_part(self):
        blocks = self._diagonal_blocks()
        if not all(o.is_square for o in blocks):
            return super()._diag_part()
        return self._joined([o.diag_part() for o in blocks])

    def _trace(self):
        blocks = self._diagonal_blocks()
        if not all(o.is_square for o in blocks):
            return super()._trace()
        result = blocks[0].trace()
        for operator in blocks[1:]:
            result = result + operator.trace()
        return result

    def _eigvals(self):
        blocks = self._diagonal_blocks()
        if not all(o.is_square for o in blocks):
            raise NotImplementedError("`eigvals` not implemented for an operator whose blocks are not square.")
        return self._joined([o.eigvals() for o in blocks])

    def _dense_rows(self, rows: list):
        """The matrix from its rows of blocks: lists of operators, zeros where they end."""
        blocks = self._diagonal_blocks()
        columns = [o.domain_dimension_tensor() for o in blocks]
        zero = _tensors.constant(0, "int32")
        results = []
        for row in rows:
            parts, before, total = [], zero, op("AddN")(inputs=columns)
            for place, operator in row:
                before = op("AddN")(inputs=columns[:place]) if place else zero
                after = total - before - columns[place]
                dense = operator.to_dense()
                rank = op("Rank")(input=dense)
                leading = op("Fill")(dims=op("Pack")(values=[rank - 1, 2]), value=zero)
                sides = op("Pack")(values=[op("Pack")(values=[before, after])])
                parts.append(op("Pad")(input=dense, paddings=concat([leading, sides], 0)))
            parts = _tensors.broadcast_batches(parts)
            results.append(parts[0] if len(parts) == 1 else op("AddN")(inputs=parts))
        dense = concat(_tensors.broadcast_batches(results), -2)
        dense.set_shape(self.shape)
        return dense


class LinearOperatorBlockDiag(_Blocks):
    """The operator of a block diagonal matrix.

    Args:
      operators: list of LinearOperators of one dtype, the blocks.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints; each is implied if all operators have it.
      name: name of the operator.

    Raises:
      ValueError: there is no operator, or a hint contradicts those of the operators.
      TypeError: the dtypes differ.

    >>> a = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0]], is_square=False)
    >>> b = tf.linalg.LinearOperatorDiag([3.0])
    >>> tf.linalg.LinearOperatorBlockDiag([a, b], is_square=None).to_dense().numpy().tolist()
    [[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]
    """

    _arguments = ("operators",)

    def __init__(
        self,
        operators,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name=None,
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operators = operators = check_operators(operators)
        hints = {}
        for hint, word in (
            ("is_non_singular", "non-singular"),
            ("is_self_adjoint", "self-adjoint"),
            ("is_positive_definite", "positive definite"),
        ):
            message = f"The direct sum of {word} operators is always {word}."
            hints[hint] = _hints.implied(all(getattr(o, hint) for o in operators), parameters[hint], message)
        name = name or "_ds_".join(o.name for o in operators)
        super().__init__(operators[0].dtype, is_square=is_square, name=name, parameters=parameters, **hints)

    @property
    def operators(self) -> list:
        """The blocks."""
        return self._operators

    @property
    def _matrix_ndims(self):
        return {"operators": [0] * len(self._operators)}

    def _diagonal_blocks(self):
        return self._operators

    _all_blocks = _diagonal_blocks

    def _like(self, operators, **hints):
        return LinearOperatorBlockDiag(operators, **{**_hints.hints_of(self), **hints})

    def _linop_adjoint(self):
        return self._like([o.adjoint() for o in self._operators])

    def _linop_cholesky(self):
        hints = {"is_non_singular": True, "is_self_adjoint": None, "is_positive_definite": None, "is_square": True}
        return LinearOperatorBlockDiag([o.cholesky() for o in self._operators], **hints)

    def _linop_inverse(self):
        return self._like([o.inverse() for o in self._operators])

    def _linop_matmul(self, left_operator, right_operator):
        if isinstance(right_operator, LinearOperatorBlockDiag):
            pairs = zip(left_operator.operators, right_operator.operators, strict=True)
            hint = _hints.non_singular(left_operator, right_operator)
            return LinearOperatorBlockDiag([a.matmul(b) for a, b in pairs], is_non_singular=hint)
        return super()._linop_matmul(left_operator, right_operator)

    def _linop_solve(self, left_operator, right_operator):
        if isinstance(right_operator, LinearOperatorBlockDiag):
            pairs = zip(left_operator.operators, right_operator.operators, strict=True)
            hint = _hints.non_singular(left_operator, right_operator)
            return LinearOperatorBlockDiag([a.solve(b) for a, b in pairs], is_non_singular=hint)
        return super()._linop_solve(left_operator, right_operator)

    def _multiply(self, parts, adjoint, adjoint_arg):
        pairs = zip(self._operators, parts, strict=True)
        return [o.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) for o, x in pairs]

    def _divide(self, parts, adjoint, adjoint_arg):
        pairs = zip(self._operators, parts, strict=True)
        return [o.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg) for o, x in pairs]

    def _to_dense(self):
        return self._dense_rows([[(i, o)] for i, o in enumerate(self._operators)])

    def _all_checks(self, method: str):
        checks = [getattr(o, method)() for o in self._operators]
        return group([c for c in checks if c is not None])

    def _assert_non_singular(self):
        return self._all_checks("assert_non_singular")

    def _assert_self_adjoint(self):
        return self._all_checks("assert_self_adjoint")

    def _assert_positive_definite(self):
        return self._all_checks("assert_positive_definite")


class LinearOperatorBlockLowerTriangular(_Blocks):
    """The operator of a block lower triangular matrix with square blocks on its diagonal.

    Args:
      operators: list of rows; row i is a list of i + 1 LinearOperators of one dtype, the last one on the diagonal.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      ValueError: the lists are not as described, sizes do not fit, or hints contradict each other.
      TypeError: the dtypes differ.

    >>> a, b = tf.linalg.LinearOperatorDiag([1.0]), tf.linalg.LinearOperatorDiag([2.0])
    >>> operator = tf.linalg.LinearOperatorBlockLowerTriangular([[a], [b, a]])
    >>> operator.to_dense().numpy().tolist(), operator.solvevec([1.0, 3.0]).numpy().tolist()
    ([[1.0, 0.0], [2.0, 1.0]], [1.0, 1.0])
    """

    _arguments = ("operators",)

    def __init__(
        self,
        operators,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorBlockLowerTriangular",
    ):
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        rows = [list(row) for row in operators]
        if not rows:
            raise ValueError("Argument `operators` must be a list of >=1 operators. Received: [].")
        for i, row in enumerate(rows):
            if len(row) != i + 1:
                raise ValueError(
                    f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: {len(row)} blocks."
                )
        check_operators([o for row in rows for o in row])
        self._operators = rows
        diagonal = [row[-1] for row in rows]
        if not all(o.is_square for o in diagonal):
            raise ValueError(
                "Matrix-vector products and solves need square operators on the diagonal of `operators`."
            )
        is_non_singular = self._non_singular(diagonal, is_non_singular)
        if is_square is False:
            raise ValueError("A `LinearOperatorBlockLowerTriangular` with square diagonal blocks is always square.")
        self._check_sizes(rows)
        super().__init__(
            diagonal[0].dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @staticmethod
    def _non_singular(diagonal, hint):
        if all(o.is_non_singular for o in diagonal):
            message = "A block lower-triangular operator with non-singular diagonal blocks is always non-singular."
            return _hints.implied(True, hint, message)
        if any(o.is_non_singular is False for o in diagonal):
            if hint:
                raise ValueError("A block lower-triangular operator with a singular diagonal block is always singular.")
            return False
        return hint

    @staticmethod
    def _check_sizes(rows):
        for i, row in enumerate(rows):
            for j, operator in enumerate(row):
                pairs = (
                    (operator.range_dimension, row[-1].range_dimension, "range"),
                    (operator.domain_dimension, rows[j][j].domain_dimension, "domain"),
                )
                for own, wanted, word in pairs:
                    if own.value is not None and wanted.value is not None and own.value != wanted.value:
                        raise ValueError(
                            f"Argument `operators[{i}][{j}]` must have the same {word} dimension as the block on the "
                            f"diagonal. Received: {own.value} and {wanted.value}."
                        )

    @property
    def operators(self) -> list:
        """The rows of blocks."""
        return self._operators

    def _diagonal_blocks(self):
        return [row[-1] for row in self._operators]

    def _all_blocks(self):
        return [o for row in self._operators for o in row]

    def _column(self, j: int) -> list:
        return [row[j] for row in self._operators[j:]]

    def _multiply(self, parts, adjoint, adjoint_arg):
        results = []
        for i in range(len(self._operators)):
            blocks = self._column(i) if adjoint else self._operators[i]
            others = parts[i:] if adjoint else parts[: i + 1]
            products = [
                o.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) for o, x in zip(blocks, others, strict=True)
            ]
            products = _tensors.broadcast_batches(products)
            results.append(products[0] if len(products) == 1 else op("AddN")(inputs=products))
        return results

    def _divide(self, parts, adjoint, adjoint_arg):
        """Forward substitution, or backward for the adjoint."""
        count = len(self._operators)
        parts = [_tensors.adjoint_if(part, adjoint_arg) for part in parts]
        solved: dict = {}
        for i in reversed(range(count)) if adjoint else range(count):
            right = parts[i]
            for j, known in solved.items():
                block = self._operators[j][i] if adjoint else self._operators[i][j]
                right = right - block.matmul(known, adjoint=adjoint)
            solved[i] = self._operators[i][i].solve(right, adjoint=adjoint)
        return [solved[i] for i in range(count)]

    def _to_dense(self):
        return self._dense_rows([list(enumerate(row)) for row in self._operators])

    def _assert_non_singular(self):
        return group([o.assert_non_singular() for o in self._diagonal_blocks()])

    def _eigvals(self):
        return self._joined([o.eigvals() for o in self._diagonal_blocks()])
