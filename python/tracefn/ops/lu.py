"""What follows from the factors of `tf.linalg.lu`."""

from __future__ import annotations

from tracefn._export import export
from tracefn.framework import control_dependencies
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.array_creation import eye, ones
from tracefn.ops.array_shape import identity, shape
from tracefn.ops.debugging import check_equal
from tracefn.ops.debugging_static import assert_rank, assert_rank_at_least
from tracefn.ops.linear_algebra import matmul, set_diag


def _check_factors(lower_upper, perm, validate_args: bool) -> list:
    """Checks what is known; returns checks of the rest, if wanted."""
    checks = []
    message = "Input `lower_upper` must have at least 2 dimensions."
    rank = lower_upper.shape.rank
    if rank is not None and rank < 2:
        raise ValueError(message)
    if validate_args:
        checks.append(assert_rank_at_least(lower_upper, 2, message=message))
    message = "`rank(lower_upper)` must equal `rank(perm) + 1`"
    if rank is not None and perm.shape.rank is not None:
        if rank != perm.shape.rank + 1:
            raise ValueError(message)
    elif validate_args:
        checks.append(assert_rank(lower_upper, op("Rank")(input=perm) + 1, message=message))
    message = "`lower_upper` must be square."
    if lower_upper.shape[:-2].is_fully_defined():
        if lower_upper.shape[-2] != lower_upper.shape[-1]:
            raise ValueError(message)
    elif validate_args:
        sides = shape(lower_upper)[-2:]
        checks.append(check_equal(sides[0], sides[1], message=message))
    return checks


def _check_right_side(lower_upper, rhs, validate_args: bool) -> list:
    checks = []
    message = "Input `rhs` must have at least 2 dimensions."
    if rhs.shape.rank is not None:
        if rhs.shape.rank < 2:
            raise ValueError(message)
    elif validate_args:
        checks.append(assert_rank_at_least(rhs, 2, message=message))
    message = "`lower_upper.shape[-1]` must equal `rhs.shape[-1]`."
    sizes = (lower_upper.shape[-1:].as_list() if lower_upper.shape.rank else [None]) + (
        [rhs.shape[-2]] if rhs.shape.rank else [None]
    )
    if None not in sizes:
        if sizes[0] != sizes[1]:
            raise ValueError(message)
    elif validate_args:
        checks.append(check_equal(shape(lower_upper)[-1], shape(rhs)[-2], message=message))
    return checks


def _after(checks: list, *tensors):
    if not checks:
        return tensors
    with control_dependencies([check for check in checks if check is not None]):
        return tuple(identity(x) for x in tensors)


def _unit_lower(lower_upper):
    band = op("MatrixBandPart")(input=lower_upper, num_lower=-1, num_upper=0)
    return set_diag(band, ones(shape(lower_upper)[:-1], dtype=lower_upper.dtype))


def _permuted(x, perm):
    """Rows of matrices [..., n, k] in the order of perm [..., n], whose batches broadcast."""
    if x.shape.rank == 2 and perm.shape.rank == 1:
        return op("GatherV2")(params=x, indices=perm, axis=-2)
    sizes = shape(x)
    batch = op("BroadcastArgs")(s0=sizes[:-2], s1=shape(perm)[:-1])
    rows, columns = sizes[-2:-1], sizes[-1:]
    all_rows = op("ConcatV2")(values=[batch, rows], axis=0)
    whole = op("ConcatV2")(values=[all_rows, columns], axis=0)
    count = op("Prod")(input=batch, reduction_indices=[0])
    flat = op("Reshape")(tensor=op("BroadcastTo")(input=x, shape=whole), shape=op("Pack")(values=[-1, columns[0]]))
    order = op("Reshape")(tensor=op("BroadcastTo")(input=perm, shape=all_rows), shape=op("Pack")(values=[count, rows[0]]))
    starts = op("Range")(start=0, limit=count, delta=1)[:, None] * rows
    # Rows of all matrices, one after the other.
    places = op("Cast")(x=order, DstT="int32") + starts
    taken = op("GatherV2")(params=flat, indices=op("Reshape")(tensor=places, shape=[-1]), axis=0)
    return op("Reshape")(tensor=taken, shape=whole)


def _inverse_permutation(perm):
    """The inverse of permutations [..., n]: their sorted order."""
    if perm.shape.rank == 1:
        return op("InvertPermutation")(x=perm)
    n = shape(perm)[-1]
    return op("TopKV2")(input=-perm, k=n)[1]


@export("linalg.lu_solve")
def lu_solve(lower_upper, perm, rhs, validate_args=False, name=None):
    """The solution x of A @ x = rhs, for `lower_upper, perm = tf.linalg.lu(A)`.

    Args:
      lower_upper: tensor [..., n, n].
      perm: integer tensor [..., n].
      rhs: tensor [..., n, k]; its batch broadcasts against that of the others.
      validate_args: whether shapes that are unknown while tracing are checked at run time.
      name: name of the scope.

    Returns:
      Tensor [..., n, k].

    Raises:
      ValueError: the shapes do not match.

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.lu_solve(*tf.linalg.lu([[1.0, 2.0], [3.0, 4.0]]), [[5.0], [11.0]]).numpy().round(5).tolist()
      [[1.0], [2.0]]
    """
    with name_scope(name or "lu_solve"):
        lower_upper = convert(lower_upper, dtype_hint="float32", name="lower_upper")
        perm = convert(perm, dtype_hint="int32", name="perm")
        rhs = convert(rhs, dtype_hint=lower_upper.dtype, name="rhs")
        checks = _check_factors(lower_upper, perm, validate_args) + _check_right_side(lower_upper, rhs, validate_args)
        lower_upper, perm, rhs = _after(checks, lower_upper, perm, rhs)
        half = op("MatrixTriangularSolve")(matrix=_unit_lower(lower_upper), rhs=_permuted(rhs, perm))
        return op("MatrixTriangularSolve")(matrix=lower_upper, rhs=half, lower=False)


@export("linalg.lu_matrix_inverse")
def lu_matrix_inverse(lower_upper, perm, validate_args=False, name=None):
    """The inverse of A, for `lower_upper, perm = tf.linalg.lu(A)`.

    Args:
      lower_upper: tensor [..., n, n].
      perm: integer tensor [..., n].
      validate_args: whether shapes that are unknown while tracing are checked at run time.
      name: name of the scope.

    Returns:
      Tensor [..., n, n].

    Raises:
      ValueError: the shapes do not match.

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]])).numpy().tolist()
      [[0.0, 0.25], [0.5, 0.0]]
    """
    with name_scope(name or "lu_matrix_inverse"):
        lower_upper = convert(lower_upper, dtype_hint="float32", name="lower_upper")
        perm = convert(perm, dtype_hint="int32", name="perm")
        lower_upper, perm = _after(_check_factors(lower_upper, perm, validate_args), lower_upper, perm)
        sizes = shape(lower_upper)
        return lu_solve(lower_upper, perm, eye(sizes[-1], batch_shape=sizes[:-2], dtype=lower_upper.dtype))


@export("linalg.lu_reconstruct")
def lu_reconstruct(lower_upper, perm, validate_args=False, name=None):
    """The matrices A whose factors are `lower_upper, perm = tf.linalg.lu(A)`.

    Args:
      lower_upper: tensor [..., n, n].
      perm: integer tensor [..., n].
      validate_args: whether shapes that are unknown while tracing are checked at run time.
      name: name of the scope.

    Returns:
      Tensor [..., n, n].

    Raises:
      ValueError: the shapes do not match.

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])).numpy().tolist()
      [[1.0, 2.0], [4.0, 4.0]]
    """
    with name_scope(name or "lu_reconstruct"):
        lower_upper = convert(lower_upper, dtype_hint="float32", name="lower_upper")
        perm = convert(perm, dtype_hint="int32", name="perm")
        lower_upper, perm = _after(_check_factors(lower_upper, perm, validate_args), lower_upper, perm)
        upper = op("MatrixBandPart")(input=lower_upper, num_lower=0, num_upper=-1)
        x = _permuted(matmul(_unit_lower(lower_upper), upper), _inverse_permutation(perm))
        x.set_shape(lower_upper.shape)
        return x
