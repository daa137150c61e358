"""Tridiagonal matrices, given whole or by their diagonals."""

from __future__ import annotations

from tracefn._export import export
from tracefn.framework import is_tensor
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.array_shape import pad, stack
from tracefn.ops.casting import cast
from tracefn.ops.complex_numbers import conj, real
from tracefn.ops.debugging import check_less, check_less_equal
from tracefn.ops.indexing import boolean_mask
from tracefn.ops.linear_algebra import diag_part, matrix_transpose


def _square_sides(diagonals):
    sides = diagonals.shape[-2:].as_list() if diagonals.shape.rank is not None else [None, None]
    if sides[1] and sides[0] and sides[0] != sides[1]:
        raise ValueError(f"Expected last two dimensions of diagonals to be same, got {sides[1]} and {sides[0]}")


def _of_matrix(diagonals):
    """The three diagonals [..., 3, n] of matrices [..., n, n]."""
    _square_sides(diagonals)
    padding = constant(0.0, diagonals.dtype)
    return diag_part(diagonals, k=(-1, 1), padding_value=padding, align="LEFT_RIGHT")


def _last_size(x):
    return x.shape[-1] if x.shape.rank else None


def _of_sequence(diagonals):
    """The three diagonals [..., 3, n] from three tensors, the outer ones of which may have n - 1 elements."""
    if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    above, main, below = (x if is_tensor(x) else convert(x) for x in diagonals)
    if not all(x.shape[:-1].is_compatible_with(main.shape[:-1]) for x in (below, above)):
        raise ValueError(
            "Tensors representing the three diagonals must have the same shape,except for the last dimension, got "
            f"{below.shape}, {main.shape}, {above.shape}"
        )
    n = _last_size(main)

    def whole(x, name, padding):
        size = _last_size(x)
        if not size or size == n:
            return x
        if size == n - 1:
            return pad(x, [[0, 0]] * (x.shape.rank - 1) + [padding])
        raise ValueError(f"Expected {name} to be have length {n} or {n - 1}, got {size}.")

    return stack([whole(above, "superdiagonal", [0, 1]), main, whole(below, "subdiagonal", [1, 0])], axis=-2)


@export("linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals,
    rhs,
    diagonals_format="compact",
    transpose_rhs=False,
    conjugate_rhs=False,
    name=None,
    partial_pivoting=True,
    perturb_singular=False,
):
    """The solution x of A @ x = rhs, for tridiagonal matrices A.

    Args:
      diagonals: "compact": tensor [..., 3, n]: the diagonal above the main one, whose last element is ignored, the main
        one, and the one below, whose first element is ignored. "sequence": three tensors [..., n], or [..., n - 1] for
        the outer ones. "matrix": tensor [..., n, n], of which only the three diagonals are read.
      rhs: tensor [..., n] or [..., n, k].
      diagonals_format: one of these strings.
      transpose_rhs: whether rhs is [..., k, n].
      conjugate_rhs: whether rhs is conjugated first.
      name: name of the node.
      partial_pivoting: whether rows are exchanged, which is more exact unless the main diagonal dominates.
      perturb_singular: whether a singular matrix is replaced by one close to it. Otherwise the result is NaN.

    Returns:
      Tensor of rhs's shape.

    Raises:
      ValueError: the shapes do not match; or perturb_singular without partial_pivoting.

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.tridiagonal_solve([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], [3.0, 3.0]).numpy().tolist()
      [1.0, 1.0]
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    if diagonals_format == "sequence":
        compact = _of_sequence(diagonals)
    elif diagonals_format in ("compact", "matrix"):
        compact = diagonals if is_tensor(diagonals) else convert(diagonals)
        if diagonals_format == "matrix":
            compact = _of_matrix(compact)
    else:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    rhs = rhs if is_tensor(rhs) else convert(rhs, dtype_hint=compact.dtype)
    is_vector = _check_sides(compact, rhs)
    if is_vector:
        rhs = op("ExpandDims")(input=conj(rhs) if conjugate_rhs else rhs, dim=-1)
    elif transpose_rhs:
        rhs = matrix_transpose(rhs, conjugate=conjugate_rhs)
    elif conjugate_rhs:
        rhs = conj(rhs)
    n, given = _last_size(compact), rhs.shape[-2] if rhs.shape.rank else None
    if n and given and n != given:
        raise ValueError(f"Expected number of left-hand sided and right-hand sides to be equal, got {n} and {given}")
    x = op("TridiagonalSolve")(
        diagonals=compact,
        rhs=rhs,
        partial_pivoting=partial_pivoting,
        perturb_singular=perturb_singular,
        name=name,
    )
    return op("Squeeze")(input=x, squeeze_dims=[-1]) if is_vector else x


def _check_sides(diagonals, rhs) -> bool:
    """Whether rhs is a vector, by the ranks as far as they are known."""
    rank, other = diagonals.shape.rank, rhs.shape.rank
    if rank is not None:
        if rank < 2:
            raise ValueError(f"Expected diagonals to have rank at least 2, got {rank}")
        if other and other not in (rank, rank - 1):
            raise ValueError(f"Expected the rank of rhs to be {rank - 1} or {rank}, got {other}")
        if other and not diagonals.shape[:-2].is_compatible_with(rhs.shape[: rank - 2]):
            raise ValueError(f"Batch shapes {diagonals.shape[:-2]} and {rhs.shape[: rank - 2]} are incompatible")
        if diagonals.shape[-2] and diagonals.shape[-2] != 3:
            raise ValueError(f"Expected 3 diagonals got {diagonals.shape[-2]}")
    return bool(rank and other and other == rank - 1)


@export("linalg.tridiagonal_matmul")
def tridiagonal_matmul(diagonals, rhs, diagonals_format="compact", name=None):
    """The product of tridiagonal matrices with matrices.

    Args:
      diagonals: as for `tf.linalg.tridiagonal_solve`; three tensors of a sequence are [..., n].
      rhs: tensor [..., n, k].
      diagonals_format: "compact", "sequence" or "matrix".
      name: name of the node.

    Returns:
      Tensor [..., n, k].

    Raises:
      ValueError: unknown format, or matrices that are not square.
      InvalidArgumentError: the shapes do not match (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.tridiagonal_matmul([[1, 0.0], [2, 2], [0, 1]], [[1.0], [1.0]]).numpy().tolist()
      [[3.0], [3.0]]
    """
    if diagonals_format == "sequence":
        above, main, below = (x if is_tensor(x) else convert(x) for x in diagonals)
    elif diagonals_format in ("compact", "matrix"):
        all_three = diagonals if is_tensor(diagonals) else convert(diagonals)
        if diagonals_format == "matrix":
            all_three = _of_matrix(all_three)
        above, main, below = (all_three[..., i, :] for i in range(3))
    else:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    rows = [op("ExpandDims")(input=x, dim=-2) for x in (above, main, below)]
    return op("TridiagonalMatMul")(superdiag=rows[0], maindiag=rows[1], subdiag=rows[2], rhs=rhs, name=name)


def _dense(alpha, beta):
    """The Hermitian matrix with the main diagonal alpha and beta above it; only the lower triangle is filled."""
    main = op("MatrixDiagV3")(
        diagonal=alpha, k=0, num_rows=-1, num_cols=-1, padding_value=constant(0.0, alpha.dtype)
    )
    return op("MatrixSetDiagV3")(input=main, diagonal=conj(beta), k=-1)


@export("linalg.eigh_tridiagonal")
def eigh_tridiagonal(alpha, beta, eigvals_only=True, select="a", select_range=None, tol=None, name=None):
    """The eigenvalues, and eigenvectors if wanted, of a Hermitian tridiagonal matrix.

    They are computed from the dense matrix.

    Args:
      alpha: floating or complex tensor [n], the main diagonal, whose real part counts.
      beta: tensor [n - 1] of the same dtype, the diagonal above it.
      eigvals_only: whether only the eigenvalues are returned.
      select: "a": all; "v": the eigenvalues in the interval (low, high]; "i": those with the indices low to high.
      select_range: pair (low, high) for "v" and "i".
      tol: accepted for compatibility; eigenvalues are as exact as the dtype.
      name: name of the scope.

    Returns:
      Real tensor [k], ascending; or the pair of it and a tensor [n, k] whose columns are the eigenvectors.

    Raises:
      ValueError: the dtypes differ, or select is none of these.
      InvalidArgumentError: the range is empty.

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.eigh_tridiagonal([0.0, 0.0], [1.0]).numpy().round(5).tolist()
      [-1.0, 1.0]
    """
    with name_scope(name or "eigh_tridiagonal"):
        alpha = convert(alpha, name="alpha")
        n = alpha.shape[0]
        if n is not None and n <= 1:
            return real(alpha)
        beta = convert(beta, name="beta")
        if alpha.dtype != beta.dtype:
            raise ValueError("'alpha' and 'beta' must have the same type.")
        if select not in ("a", "i", "v"):
            raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
        diagonal = cast(real(alpha), alpha.dtype)
        if select == "i":
            check_less_equal(*select_range, message="Got empty index range in select_range.")
        elif select == "v":
            check_less(*select_range, message="Got empty interval in select_range.")
        values, vectors = op("SelfAdjointEigV2")(input=_dense(diagonal, beta), compute_v=not eigvals_only)
        values = real(values)
        if select == "i":
            chosen = slice(select_range[0], select_range[1] + 1)
            values, vectors = values[chosen], vectors if eigvals_only else vectors[:, chosen]
        elif select == "v":
            low, high = (cast(x, values.dtype) for x in select_range)
            inside = op("LogicalAnd")(x=values > low, y=values <= high)
            vectors = vectors if eigvals_only else boolean_mask(vectors, inside, axis=1)
            values = boolean_mask(values, inside)
        return values if eigvals_only else (values, vectors)
