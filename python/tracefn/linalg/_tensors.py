"""What operators do with tensors: conversions, broadcasting, checks."""

from __future__ import annotations

import functools

from tracefn._static_value import get_static_value
from tracefn.module import Module
from tracefn.ops import _build
from tracefn.ops.array_shape import broadcast_static_shape, concat, shape
from tracefn.ops.casting import cast
from tracefn.ops.complex_numbers import conj, imag
from tracefn.ops.debugging import check_equal, check_less
from tracefn.ops.linear_algebra import adjoint
from tracefn.ops.math import abs as absolute
from tracefn.tensor_shape import TensorShape
from tracefn.variable import Variable

constant, convert, op = _build.constant, _build.convert, _build.op


def is_ref(x) -> bool:
    """Whether a value may change: a Variable, or a Module with a dtype and a shape."""
    return isinstance(x, Variable) or (isinstance(x, Module) and hasattr(x, "dtype") and hasattr(x, "shape"))


def parameter(value, name: str, dtype_hint=None):
    """An argument of a constructor: one that may change as it is, so that its value is read when it is used."""
    return value if is_ref(value) else convert(value, dtype_hint=dtype_hint, name=name)


def check_dtype(tensor, dtype) -> None:
    """Raises TypeError unless the tensor has the operator's dtype."""
    if tensor.dtype != dtype:
        raise TypeError(f"Expected argument to have dtype {dtype}.  Found: {tensor.dtype} in tensor {tensor!s}")


def static_shape(value) -> TensorShape:
    """What a tensor of sizes is known to be."""
    known = get_static_value(value)
    return TensorShape(None if known is None else known.tolist())


def broadcast_static(*shapes) -> TensorShape:
    """The shape that shapes broadcast to, as far as it is known.

    Raises:
      ValueError: they do not.
    """
    return functools.reduce(broadcast_static_shape, shapes)


def broadcast_sizes(*sizes):
    """The same for tensors of sizes."""
    return functools.reduce(lambda a, b: op("BroadcastArgs")(s0=a, s1=b), sizes)


def broadcast_batches(matrices) -> list:
    """Matrices [..., m, n] whose batches are broadcast together."""
    matrices = [convert(m) for m in matrices]
    static = broadcast_static(*[m.shape[:-2] for m in matrices])
    if static.is_fully_defined():
        wanted = static.as_list()
        if all(m.shape[:-2] == static for m in matrices):
            return matrices
        batch = _build.ints(wanted)
    else:
        batch = broadcast_sizes(*[shape(m)[:-2] for m in matrices])
    results = []
    for m in matrices:
        result = op("BroadcastTo")(input=m, shape=concat([batch, shape(m)[-2:]], 0))
        if static.rank is not None and m.shape.rank is not None:
            result.set_shape(static.concatenate(m.shape[-2:]))
        results.append(result)
    return results


def solve_broadcast(matrix, rhs, adjoint: bool = False):
    """The solution of matrix @ x = rhs, whose batches are broadcast together."""
    matrix, rhs = broadcast_batches([matrix, rhs])
    return op("MatrixSolve")(matrix=matrix, rhs=rhs, adjoint=adjoint)


def solve_cholesky(matrix, rhs):
    """The same for Hermitian positive definite matrices."""
    factor = op("Cholesky")(input=matrix)
    half = op("MatrixTriangularSolve")(matrix=factor, rhs=rhs)
    return op("MatrixTriangularSolve")(matrix=factor, rhs=half, adjoint=True)


def adjoint_if(x, condition: bool):
    """x, or its adjoint."""
    return adjoint(x) if condition else x


def conj_if(x, condition: bool):
    """x as a tensor, or its complex conjugate."""
    x = convert(x)
    return conj(x) if condition else x


def log_abs(x):
    """The logarithm of |x|, of x's dtype."""
    return cast(op("Log")(x=absolute(x)), x.dtype)


def check_no_zeros(x, message: str):
    """Checks that no element is zero."""
    size = absolute(convert(x))
    return check_less(constant(0, size.dtype), size, message=message)


def check_real(x, message: str):
    """Checks that no element has an imaginary part."""
    x = convert(x)
    if not x.dtype.is_complex:
        return op("NoOp")()
    part = imag(x)
    return check_equal(constant(0, part.dtype), part, message=message)
