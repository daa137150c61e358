"""Products of matrices and tensors, norms and diagonals."""

from __future__ import annotations

import math

from tracefn import _numpy as np
from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.framework import is_tensor, matrix_product
from tracefn.ops._build import both_eager, constant, convert, ints, name_scope, op
from tracefn.ops.array_shape import shape, transpose
from tracefn.ops.reduction import reduce_max, reduce_sum


@export("linalg.matmul", "matmul")
def matmul(
    a,
    b,
    transpose_a=False,
    transpose_b=False,
    adjoint_a=False,
    adjoint_b=False,
    a_is_sparse=False,
    b_is_sparse=False,
    output_type=None,
    grad_a=False,
    grad_b=False,
    name=None,
):
    """The product of two matrices, or of batches of matrices.

    Args:
      a: tensor of shape [..., m, k], at least of rank 2.
      b: tensor of a's dtype and shape [..., k, n]; the leading dimensions are broadcast together.
      transpose_a: whether a is transposed first.
      transpose_b: whether b is transposed first.
      adjoint_a: whether a is transposed and conjugated first.
      adjoint_b: whether b is transposed and conjugated first.
      a_is_sparse: a hint; ignored.
      b_is_sparse: a hint; ignored.
      output_type: dtype of the result; None: that of a.
      grad_a: marks the gradient with respect to a; without effect.
      grad_b: marks the gradient with respect to b; without effect.
      name: name of the node.

    Returns:
      Tensor of shape [..., m, n].

    Raises:
      ValueError: both the transpose and the adjoint of an operand are requested.
      TypeError: what says whether is not a bool.
      InvalidArgumentError: the shapes do not match (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.matmul([[1, 2]], [[3], [4]]).numpy().tolist()
      [[11]]
    """
    plain = transpose_a is transpose_b is adjoint_a is adjoint_b is grad_a is grad_b is False
    if plain and not output_type and not name and both_eager(a, b):
        return matrix_product(a, b)
    with name_scope(name or "MatMul") as scope:
        if transpose_a and adjoint_a:
            raise ValueError(
                f"Only one of `transpose_a` and `adjoint_a` can be True. Received `transpose_a`={transpose_a}, "
                f"`adjoint_a`={adjoint_a}."
            )
        if transpose_b and adjoint_b:
            raise ValueError(
                f"Only one of `transpose_b` and `adjoint_b` can be True. Received `transpose_b`={transpose_b}, "
                f"`adjoint_b`={adjoint_b}."
            )
        a = a if is_tensor(a) else convert(a, name="a")
        b = b if is_tensor(b) else convert(b, dtype_hint=a.dtype, name="b")
        if output_type is not None and output_type != a.dtype:
            a, b = op("Cast")(x=a, DstT=output_type), op("Cast")(x=b, DstT=output_type)
        if a.shape.rank in (None, 0, 1, 2) and b.shape.rank in (0, 1, 2) and a.shape.rank is not None:
            # The parameters stay as they are: another implementation may get them (tracefn/_dispatch.py).
            return op("MatMul")(
                a=_conjugate(a) if adjoint_a else a,
                b=_conjugate(b) if adjoint_b else b,
                transpose_a=True if adjoint_a else transpose_a,
                transpose_b=True if adjoint_b else transpose_b,
                grad_a=grad_a,
                grad_b=grad_b,
                name=scope,
            )
        # A batch product supports only adjoints: a transposed operand is conjugated twice.
        return op("BatchMatMulV2")(
            x=_conjugate(a) if transpose_a else a,
            y=_conjugate(b) if transpose_b else b,
            adj_x=True if transpose_a else adjoint_a,
            adj_y=True if transpose_b else adjoint_b,
            grad_x=grad_a,
            grad_y=grad_b,
            name=scope,
        )


def _conjugate(x):
    return op("Conj")(input=x) if x.dtype.is_complex else x


@export("linalg.matvec")
def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None):
    """The product of a matrix and a vector, or of batches of them.

    Args:
      a: tensor of shape [..., m, k].
      b: tensor of a's dtype and shape [..., k].
      transpose_a: whether a is transposed first.
      adjoint_a: whether a is transposed and conjugated first.
      a_is_sparse: a hint; ignored.
      b_is_sparse: a hint; ignored.
      name: name of the scope.

    Returns:
      Tensor of shape [..., m].

    Raises:
      InvalidArgumentError: the shapes do not match (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.matvec([[1, 2], [3, 4]], [1, 1]).numpy().tolist()
      [3, 7]
    """
    with name_scope(name or "MatVec"):
        a, b = (x if is_tensor(x) else convert(x) for x in (a, b))
        column = op("ExpandDims")(input=b, dim=-1)
        return op("Squeeze")(input=matmul(a, column, transpose_a, adjoint_a=adjoint_a), squeeze_dims=[-1])


@export("linalg.tensordot", "tensordot")
def tensordot(a, b, axes, name=None):
    """The product of two tensors, summed over pairs of axes.

    Args:
      a: tensor.
      b: tensor of a's dtype.
      axes: int n: the last n axes of `a` with the first n of `b`; or a pair of lists of axes, also as an int matrix.
      name: name of the scope.

    Returns:
      Tensor whose shape is that of a's other axes followed by b's other axes.

    Raises:
      ValueError: `axes` is not as described.
      IndexError: a tensor has not that many axes.

    Example:
      >>> import tracefn as tf
      >>> int(tf.tensordot([1, 2], [3, 4], 1))
      11
    """
    with name_scope(name or "Tensordot") as scope:
        a, b = (x if is_tensor(x) else convert(x) for x in (a, b))
        axes_a, axes_b = _dot_axes(axes, a, b)
        if is_tensor(axes_a) or a.shape.rank is None or b.shape.rank is None:
            return _tensordot_of_any_rank(a, b, axes_a, axes_b, scope)
        free_a = [i for i in range(a.shape.rank) if i not in axes_a]
        free_b = [i for i in range(b.shape.rank) if i not in axes_b]
        left = _as_matrix(a, free_a, axes_a)
        right = _as_matrix(b, axes_b, free_b)
        product = matmul(left, right)
        dims = [*(a.shape[i] for i in free_a), *(b.shape[i] for i in free_b)]
        if None not in dims and product.shape == dims:
            return product
        outer = op("ConcatV2")(values=[_sizes(a, free_a), _sizes(b, free_b)], axis=0)
        made = op("Reshape")(tensor=product, shape=outer, name=scope)
        made.set_shape(dims)
        return made


def _tensordot_of_any_rank(a, b, axes_a, axes_b, scope):
    left, sizes_a = _as_matrix_by_run_time_axes(a, axes_a, axes_first=False)
    right, sizes_b = _as_matrix_by_run_time_axes(b, axes_b, axes_first=True)
    sizes = op("ConcatV2")(values=[sizes_a, sizes_b], axis=0)
    return op("Reshape")(tensor=matmul(left, right), shape=sizes, name=scope)


def _as_matrix_by_run_time_axes(x, axes, axes_first: bool):
    """x as a matrix, whose rows or columns merge the axes; and the sizes of the other axes, as a vector."""
    sizes, rank = shape(x), op("Rank")(input=x)
    axes = convert(axes, "int32")
    axes = op("SelectV2")(condition=axes < 0, t=axes + rank, e=axes)
    free = op("ListDiff")(x=op("Range")(start=0, limit=rank, delta=1), y=axes)[0]
    order = [axes, free] if axes_first else [free, axes]
    extents = [
        op("Prod")(input=op("GatherV2")(params=sizes, indices=part, axis=0), reduction_indices=[0]) for part in order
    ]
    moved = op("Transpose")(x=x, perm=op("ConcatV2")(values=order, axis=0))
    made = op("Reshape")(tensor=moved, shape=op("Pack")(values=extents))
    return made, op("GatherV2")(params=sizes, indices=free, axis=0)


def _last_axes(count: int, x):
    if x.shape.rank is not None:
        return list(range(x.shape.rank - count, x.shape.rank))
    rank = op("Rank")(input=x)
    return op("Range")(start=rank - count, limit=rank, delta=1)


def _dot_axes(axes, a, b):
    rank_a, rank_b = a.shape.rank, b.shape.rank
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if rank_a is not None and axes > rank_a:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  Received {axes}, vs tensor "
                f"dimensions {rank_a}."
            )
        _check_axes(range(axes), rank_b)
        return _last_axes(axes, a), list(range(axes))
    if not isinstance(axes, (list, tuple, np.ndarray)):
        axes = convert(axes, dtype="int32", name="axes")
    known = get_static_value(axes) if is_tensor(axes) else axes
    if known is None and is_tensor(axes):
        return axes[0], axes[1]
    if isinstance(known, (np.ndarray, np.generic)):
        axes = known.tolist()
        return _dot_axes(axes, a, b)
    if not isinstance(axes, (list, tuple)) or len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    pair = [[x] if isinstance(x, int) else [int(i) for i in x] for x in axes]
    if len(pair[0]) != len(pair[1]):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(pair[0])} != {len(pair[1])}.")
    _check_axes(pair[0], rank_a)
    _check_axes(pair[1], rank_b)
    return [i if rank_a is None else i % rank_a for i in pair[0]], [i if rank_b is None else i % rank_b for i in pair[1]]


def _check_axes(axes, rank: int | None) -> None:
    for axis in axes:
        if rank is not None and not -rank <= axis < rank:
            raise IndexError(f"list index out of range: axis {axis} of a tensor of rank {rank}")


def _sizes(x, axes):
    if x.shape.is_fully_defined():
        dims = x.shape.as_list()
        return ints([dims[i] for i in axes])
    return op("GatherV2")(params=shape(x), indices=ints(axes), axis=0)


def _as_matrix(x, rows, columns):
    """x as a matrix: the axes `rows` are merged into the first dimension, `columns` into the second."""
    dims = x.shape.as_list()
    order = list(rows) + list(columns)
    if order != list(range(len(dims))):
        x = op("Transpose")(x=x, perm=ints(order))
    if len(rows) == len(columns) == 1:
        return x

    def extent(axes):
        if all(dims[i] is not None for i in axes):
            return math.prod(dims[i] for i in axes)
        return op("Prod")(input=_sizes(x, [order.index(i) for i in axes]), reduction_indices=[0])

    return op("Reshape")(tensor=x, shape=op("Pack")(values=[convert(extent(rows)), convert(extent(columns))]))


@export("linalg.norm", "norm")
def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None):
    """The norm of vectors, or of matrices.

    Args:
      tensor: floating or complex tensor.
      ord: "euclidean", "fro" (matrices), 1, 2, numpy.inf, or a positive number (vectors). 2 of a matrix is its largest
        singular value.
      axis: None: all elements as one vector; int: vectors along that axis; pair of ints: matrices.
      keepdims: whether the reduced dimensions are kept with size 1.
      name: name of the scope.

    Returns:
      Tensor of tensor's dtype.

    Raises:
      ValueError: `ord` or `axis` is not as described.

    Example:
      >>> import tracefn as tf
      >>> float(tf.norm([3.0, 4.0]))
      5.0
    """
    is_matrix = isinstance(axis, (tuple, list)) and len(axis) == 2
    axis = tuple(axis) if is_matrix else axis
    if is_matrix:
        valid = all(isinstance(i, int) for i in axis) and axis[0] != axis[1]
    else:
        valid = axis is None or isinstance(axis, int)
    if not valid:
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
    if is_matrix:
        if ord not in ("euclidean", "fro", 1, 2, math.inf):
            raise ValueError(f"'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {ord}")
    elif ord != "euclidean" and not (isinstance(ord, (int, float)) and ord > 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    with name_scope(name or "norm"):
        x = convert(tensor)
        if ord in ("euclidean", "fro") and (x.dtype.is_bool or x.dtype == "string"):
            raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")
        result = _norm_with_dimensions(x, ord, axis, is_matrix)
        dims = [] if axis is None else list(axis) if is_matrix else [axis]
        return result if keepdims else op("Squeeze")(input=result, squeeze_dims=dims)


def _norm_with_dimensions(x, ord, axis, is_matrix: bool):
    """`norm`, with the reduced dimensions of size 1."""
    if ord in ("euclidean", "fro") or (ord == 2 and not is_matrix):
        squares = op("Real")(input=x * op("Conj")(input=x), Tout=_real(x)) if x.dtype.is_complex else x * x
        total = op("Sqrt")(x=reduce_sum(squares, axis, True))
        return op("Cast")(x=total, DstT=x.dtype) if x.dtype.is_complex else total
    if is_matrix and ord == 2:
        return _largest_singular_value(x, axis)
    size = op("ComplexAbs")(x=x, Tout=_real(x)) if x.dtype.is_complex else op("Abs")(x=x)
    if is_matrix:
        # Sums along the first axis and their maximum, or vice versa.
        first, second = (axis[0], axis[1]) if ord == 1 else (axis[1], axis[0])
        return reduce_max(reduce_sum(size, first, True), second, True)
    if ord == 1:
        return reduce_sum(size, axis, True)
    if ord == math.inf:
        return reduce_max(size, axis, True)
    power = constant(ord, size.dtype)
    total = reduce_sum(op("Pow")(x=size, y=power), axis, True)
    return op("Pow")(x=total, y=constant(1 / ord, size.dtype))


def _largest_singular_value(x, axis):
    """That of the matrices along a pair of axes, which are kept with size 1."""
    order, back = _sides_last(x, axis)
    s = op("Svd")(input=transpose(x, order), compute_uv=False)[0]
    size = op("ComplexAbs")(x=s, Tout=_real(x)) if x.dtype.is_complex else s
    return transpose(reduce_max(size, -1, True)[..., None], back)


def _sides_last(x, axis):
    """(the order of dimensions in which a pair of them comes last, the order that undoes it)."""
    rank = x.shape.rank
    if rank is not None:
        sides = [i + rank if i < 0 else i for i in axis]
        order = [i for i in range(rank) if i not in sides] + sides
        return order, [order.index(i) for i in range(rank)]
    rank = op("Rank")(input=x)
    sides = op("Pack")(values=[rank + i if i < 0 else i for i in axis])
    others = op("ListDiff")(x=op("Range")(start=0, limit=rank, delta=1), y=sides)[0]
    order = op("ConcatV2")(values=[others, sides], axis=0)
    return order, op("InvertPermutation")(x=order)


def _real(x):
    return "float32" if x.dtype == "complex64" else "float64"


@export("linalg.matrix_transpose")
def matrix_transpose(a, name="matrix_transpose", conjugate=False):
    """The tensor with its last two dimensions swapped.

    Args:
      a: tensor of rank at least 2, known while tracing.
      name: name of the scope.
      conjugate: whether complex elements are conjugated.

    Returns:
      Tensor of shape [..., n, m] for a of shape [..., m, n].

    Raises:
      ValueError: the rank is less than 2.

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.matrix_transpose([[[1, 2, 3]]]).shape
      TensorShape([1, 3, 1])
    """
    with name_scope(name or "matrix_transpose"):
        a = convert(a)
        rank = a.shape.rank
        if rank is None:
            rank = op("Rank")(input=a)
            others = op("Range")(start=0, limit=rank - 2, delta=1)
            return transpose(a, op("ConcatV2")(values=[others, op("Pack")(values=[rank - 1, rank - 2])], axis=0), conjugate)
        if rank < 2:
            raise ValueError(
                f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a} with shape: {a.shape}"
            )
        return transpose(a, [*range(rank - 2), rank - 1, rank - 2], conjugate)


@export("linalg.adjoint")
def adjoint(matrix, name=None):
    """The tensor with its last two dimensions swapped and complex elements conjugated.

    Args:
      matrix: tensor of rank at least 2.
      name: name of the scope.

    Returns:
      Tensor of shape [..., n, m] for a matrix of shape [..., m, n].

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.adjoint([[1 + 1j, 2]]).numpy().tolist()
      [[(1-1j)], [(2-0j)]]
    """
    with name_scope(name or "adjoint"):
        return matrix_transpose(matrix, conjugate=True)


def _padding(value, dtype):
    return bool(value) if dtype == "bool" and not is_tensor(value) else value


@export("linalg.diag")
def diag(diagonal, name="diag", k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Matrices with the given diagonals.

    Args:
      diagonal: tensor [..., n], or [..., d, n] for d diagonals.
      name: name of the node.
      k: int, or pair of ints: the diagonals; 0 is the main diagonal, superdiagonals are positive.
      num_rows: int, -1 to infer it.
      num_cols: int, -1 to infer it.
      padding_value: scalar for all other elements.
      align: how shorter diagonals are aligned in `diagonal`: "RIGHT_LEFT" aligns superdiagonals to the right and
        subdiagonals to the left; also "LEFT_RIGHT", "LEFT_LEFT" and "RIGHT_RIGHT".

    Returns:
      Tensor [..., num_rows, num_cols].

    Raises:
      InvalidArgumentError: the sizes do not match (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.diag([1, 2]).numpy().tolist()
      [[1, 0], [0, 2]]
    """
    diagonal = convert(diagonal)
    padding = _padding(padding_value, diagonal.dtype)
    return op("MatrixDiagV3")(
        diagonal=diagonal, k=k, num_rows=num_rows, num_cols=num_cols, padding_value=padding, align=align, name=name
    )


@export("linalg.diag_part")
def diag_part(input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"):
    """Diagonals of matrices.

    Args:
      input: tensor [..., m, n].
      name: name of the node.
      k: int, or pair of ints: the diagonals; 0 is the main diagonal, superdiagonals are positive.
      padding_value: scalar that pads shorter diagonals.
      align: how shorter diagonals are aligned in the result, as in `diag`.

    Returns:
      Tensor [..., length], or [..., d, length] for d diagonals.

    Raises:
      InvalidArgumentError: a diagonal is outside the matrix (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy().tolist()
      [1, 4]
    """
    input = convert(input)
    padding = _padding(padding_value, input.dtype)
    return op("MatrixDiagPartV3")(input=input, k=k, padding_value=padding, align=align, name=name)


@export("linalg.set_diag")
def set_diag(input, diagonal, name="set_diag", k=0, align="RIGHT_LEFT"):
    """Matrices with some diagonals replaced.

    Args:
      input: tensor [..., m, n].
      diagonal: tensor [..., length], or [..., d, length] for d diagonals.
      name: name of the node.
      k: int, or pair of ints: the diagonals; 0 is the main diagonal, superdiagonals are positive.
      align: how shorter diagonals are aligned in `diagonal`, as in `diag`.

    Returns:
      Tensor of input's shape.

    Raises:
      InvalidArgumentError: the shapes do not match (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.set_diag([[1, 2], [3, 4]], [7, 8]).numpy().tolist()
      [[7, 2], [3, 8]]
    """
    return op("MatrixSetDiagV3")(input=input, diagonal=diagonal, k=k, align=align, name=name)


@export("linalg.trace")
def trace(x, name=None):
    """The sum of the main diagonal of matrices.

    Args:
      x: tensor [..., m, n].
      name: name of the scope.

    Returns:
      Tensor [...].

    Example:
      >>> import tracefn as tf
      >>> int(tf.linalg.trace([[1, 2], [3, 4]]))
      5
    """
    with name_scope(name or "Trace") as scope:
        return reduce_sum(diag_part(x), [-1], name=scope)
