"""All classes of linear operators, and the functions of `tf.linalg` that take them."""

from __future__ import annotations

from tracefn._dispatch import add_handler
from tracefn.linalg import (
    _banded,
    _blocks,
    _circulant,
    _composition,
    _diag,
    _full_matrix,
    _identity,
    _kronecker,
    _low_rank_update,
    _permutation,
)
from tracefn.linalg._linear_operator import LinearOperator
from tracefn.ops.linear_algebra import adjoint as adjoint_of

_MODULES = (
    _banded,
    _blocks,
    _circulant,
    _composition,
    _diag,
    _full_matrix,
    _identity,
    _kronecker,
    _low_rank_update,
    _permutation,
)
CLASSES = {
    name: value
    for module in _MODULES
    for name, value in vars(module).items()
    if name.startswith("LinearOperator") and isinstance(value, type)
}


def _method(path: str, argument: str, method: str) -> None:
    """Makes a function call a method of its argument, if that is an operator."""

    def handle(arguments: dict):
        operator = arguments.get(argument)
        if not isinstance(operator, LinearOperator):
            return NotImplemented
        return getattr(operator, method)(name=arguments.get("name") or method)

    add_handler(path, handle, first=True)


def _inverse(arguments: dict):
    operator = arguments.get("input")
    if not isinstance(operator, LinearOperator):
        return NotImplemented
    inverse = operator.inverse()
    return inverse.adjoint() if arguments.get("adjoint") else inverse


def _logdet(arguments: dict):
    operator = arguments.get("matrix")
    if not isinstance(operator, LinearOperator):
        return NotImplemented
    if operator.is_positive_definite and operator.is_self_adjoint:
        return operator.log_abs_determinant()
    raise ValueError("Expected matrix to be self-adjoint positive definite.")


def _matmul(arguments: dict):
    a, b = arguments.get("a"), arguments.get("b")
    left = a if isinstance(a, LinearOperator) else None
    right = b if isinstance(b, LinearOperator) else None
    if left is None and right is None:
        return NotImplemented
    if arguments.get("transpose_a") or arguments.get("transpose_b"):
        raise ValueError("Transposing not supported at this time.")
    if arguments.get("a_is_sparse") or arguments.get("b_is_sparse"):
        raise ValueError("Sparse methods not supported at this time.")
    adjoint_a, adjoint_b = bool(arguments.get("adjoint_a")), bool(arguments.get("adjoint_b"))
    if left is not None:
        return left.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    assert right is not None
    # a @ B is the adjoint of B^H @ a^H.
    return adjoint_of(right.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))


def _matvec(arguments: dict):
    a = arguments.get("a")
    if not isinstance(a, LinearOperator):
        return NotImplemented
    if arguments.get("transpose_a"):
        raise ValueError("Transposing not supported at this time.")
    return a.matvec(arguments.get("b"), adjoint=bool(arguments.get("adjoint_a")))


def _solve(arguments: dict):
    matrix, rhs = arguments.get("matrix"), arguments.get("rhs")
    if isinstance(matrix, LinearOperator):
        return matrix.solve(rhs, adjoint=bool(arguments.get("adjoint")))
    if isinstance(rhs, LinearOperator):
        raise ValueError("Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported.")
    return NotImplemented


for _path, _argument, _name in (
    ("linalg.adjoint", "matrix", "adjoint"),
    ("linalg.cholesky", "input", "cholesky"),
    ("linalg.diag_part", "input", "diag_part"),
    ("linalg.det", "input", "determinant"),
    ("linalg.trace", "x", "trace"),
):
    _method(_path, _argument, _name)
for _path, _handler in (
    ("linalg.inv", _inverse),
    ("linalg.logdet", _logdet),
    ("linalg.matmul", _matmul),
    ("linalg.matvec", _matvec),
    ("linalg.solve", _solve),
):
    add_handler(_path, _handler, first=True)
