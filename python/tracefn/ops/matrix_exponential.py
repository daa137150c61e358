"""`tf.linalg.expm`: N. J. Higham, "The Scaling and Squaring Method for the Matrix Exponential Revisited" (2005)."""

from __future__ import annotations

from tracefn._control_flow.conditional import cond
from tracefn._control_flow.loop import while_loop
from tracefn._export import export
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.array_creation import eye
from tracefn.ops.array_shape import concat, reshape, shape
from tracefn.ops.casting import cast
from tracefn.ops.indexing import where
from tracefn.ops.linear_algebra import matmul
from tracefn.ops.math import abs as absolute
from tracefn.ops.reduction import reduce_max, reduce_sum

# The coefficients of the numerators of Pade approximants of exp, without the last one, which is 1; table 10.4 in N. J.
# Higham, "Functions of Matrices" (2008).
_PADE = {
    3: (120.0, 60.0, 12.0),
    5: (30240.0, 15120.0, 3360.0, 420.0, 30.0),
    7: (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0),
    9: (17643225600.0, 8821612800.0, 2075673600.0, 302702400.0, 30270240.0, 2162160.0, 110880.0, 3960.0, 90.0),
    13: (
        64764752532480000.0,
        32382376266240000.0,
        7771770303897600.0,
        1187353796428800.0,
        129060195264000.0,
        10559470521600.0,
        670442572800.0,
        33522128640.0,
        1323241920.0,
        40840800.0,
        960960.0,
        16380.0,
        182.0,
    ),
}
# The orders to use, and the 1-norms up to which all but the last one are exact; the norm to which matrices are scaled
# down for the last one. Table 10.2 there, and Eigen's numbers for single precision.
_SINGLE = ((3, 5, 7), (0.4258730016922831, 1.880152677804762), 3.925724783138660)
_DOUBLE = (
    (3, 5, 7, 9, 13),
    (0.01495585217958292, 0.2539398330063230, 0.9504178996162932, 2.097847961257068),
    5.371920351148152,
)
_PRECISIONS = {
    "float16": _SINGLE, "float32": _SINGLE, "complex64": _SINGLE, "float64": _DOUBLE, "complex128": _DOUBLE,
}  # fmt: skip


def _sum(coefficients, powers):
    """The sum of powers with the coefficients; one of None stands for 1."""
    total = None
    for factor, power in zip(coefficients, powers, strict=True):
        term = power if factor is None else constant(factor, power.dtype) * power
        total = term if total is None else total + term
    return total


def _powers(matrix, count: int) -> list:
    """[1, matrix^2, matrix^4, ...], so many."""
    sizes = shape(matrix)
    powers = [eye(sizes[-2], batch_shape=sizes[:-2], dtype=matrix.dtype), matmul(matrix, matrix)]
    while len(powers) < count:
        powers.append(matmul(powers[-1], powers[1]))
    return powers


def _approximant(matrix, powers: list, order: int):
    """(u, v) with (v - u)^-1 (v + u) close to exp(matrix)."""
    b = (*_PADE[order], None)
    odd, even = b[1::2], b[0::2]
    count = min(len(odd), len(powers))
    powers = powers[:count]
    u, v = _sum(odd[:count], powers), _sum(even[:count], powers)
    if count < len(odd):  # the higher powers are products of the sixth one
        u = matmul(powers[3], _sum(odd[count:], powers[1:])) + u
        v = matmul(powers[3], _sum(even[count:], powers[1:])) + v
    return matmul(matrix, u), v


def _choose(norm, limits, cases):
    """The first of the cases whose limit is above the norm."""
    result = cases[-1]
    for limit, case in zip(reversed(limits), reversed(cases[:-1]), strict=True):
        result = where(norm < constant(limit, norm.dtype), case, result)
    return result


@export("linalg.expm")
def matrix_exponential(input, name=None):
    """The exponential of square matrices: the sum of input^n / n! over all n.

    Args:
      input: floating or complex tensor [..., n, n].
      name: name of the scope.

    Returns:
      Tensor of input's shape and dtype; NaN if an element is not finite.

    Raises:
      ValueError: the dtype is not supported.
      InvalidArgumentError: the matrices are not square (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy().tolist()
      [[1.0, 1.0], [0.0, 1.0]]
    """
    with name_scope(name or "matrix_exponential"):
        given = convert(input, name="input")
        if given.shape[-2:] == [0, 0]:
            return given
        sizes = shape(given)
        matrix = reshape(given, concat([[-1], sizes[-2:]], 0))
        norm = reduce_max(reduce_sum(absolute(matrix), 1), -1)[..., None, None]
        if matrix.dtype.name not in _PRECISIONS:
            raise ValueError(f"tf.linalg.expm does not support matrices of type {matrix.dtype}")
        orders, limits, largest = _PRECISIONS[matrix.dtype.name]
        two = constant(2.0, norm.dtype)
        halvings = op("Log")(x=norm / constant(largest, norm.dtype)) / op("Log")(x=two)
        squarings = op("Maximum")(x=op("Floor")(x=halvings), y=constant(0.0, norm.dtype))
        scaled = matrix / cast(op("Pow")(x=two, y=squarings), matrix.dtype)
        powers = _powers(matrix, orders[-2] // 2 + 1)
        pairs = [_approximant(matrix, powers, order) for order in orders[:-1]]
        pairs.append(_approximant(scaled, _powers(scaled, 4), orders[-1]))
        u, v = (_choose(norm, limits, side) for side in zip(*pairs, strict=True))
        finite = op("IsFinite")(x=reduce_max(norm))
        result = cond(
            finite,
            lambda: op("MatrixSolve")(matrix=v - u, rhs=u + v),
            lambda: op("Fill")(dims=shape(matrix), value=constant(float("nan"), matrix.dtype)),
        )
        most = where(finite, reduce_max(squarings), constant(0.0, norm.dtype))
        _, result = while_loop(
            lambda i, r: i < most,
            lambda i, r: (i + 1, where(i < squarings, matmul(r, r), r)),
            [constant(0.0, norm.dtype), result],
        )
        result = reshape(result, sizes)
        result.set_shape(given.shape)
        return result
