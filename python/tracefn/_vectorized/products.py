"""Batch rules of products of matrices, and of einsum."""

from __future__ import annotations

from tracefn import _core
from tracefn._vectorized import sizes
from tracefn._vectorized.rules import Node, rule

_op = _core.raw_op


def _turned(tensor, rank: int):
    """A tensor with its last two axes exchanged."""
    return _op("Transpose")(x=tensor, perm=sizes.ints([*range(rank - 2), rank - 1, rank - 2]))


@rule("MatMul")
def _matmul(node: Node) -> list:
    a, b = node.inputs
    left, right = node.attr("transpose_a"), node.attr("transpose_b")
    if not b.stacked:
        return [_rows_of_left(node, a.tensor, b.tensor, left, right)]
    if not a.stacked:
        # The product of a matrix and many is that of the many, turned, and the matrix, turned.
        found = _rows_of_left(node, b.tensor, a.tensor, not right, not left)
        return [_turned(found, 3)]
    if a.tensor.dtype.is_complex:
        (a_tensor, b_tensor) = (_turned(x.tensor, 3) if t else x.tensor for x, t in ((a, left), (b, right)))
        return node.emit(a_tensor, b_tensor, op="BatchMatMulV2")
    return node.emit(a.tensor, b.tensor, op="BatchMatMulV2", adj_x=left, adj_y=right)


def _rows_of_left(node: Node, many, matrix, turn_many: bool, turn_matrix: bool):
    """The products of many matrices with one, as one product."""
    rows, first, second = sizes.of(many)
    if turn_many:
        one_row = isinstance(second, int) and second == 1
        many = sizes.reshape(many, [rows, 1, first]) if one_row else _turned(many, 3)
        first, second = second, first
    flat = sizes.reshape(many, [sizes.product([rows, first]), second])
    (found,) = node.emit(flat, matrix, op="MatMul", transpose_b=turn_matrix)
    return sizes.reshape(found, [rows, first, sizes.of(found)[1]])


@rule("BatchMatMul BatchMatMulV2 BatchMatMulV3")
def _batch_matmul(node: Node) -> list:
    rank = max(len(node.row_shape(0)), len(node.row_shape(1)))
    if node.type == "BatchMatMul":
        return node.emit(node.stack(0), node.stack(1))
    return node.emit(node.aligned(0, rank), node.aligned(1, rank))


@rule("Einsum")
def _einsum(node: Node) -> list:
    equation = node.attr("equation")
    equation = equation.decode() if isinstance(equation, bytes) else equation
    terms, result = equation.replace(" ", "").split("->")
    unused = next((letter for letter in "zyxwvutsrqponmlkjihgfedcbaZYX" if letter not in equation), None)
    if unused is None:
        raise node.refuse()
    named = [unused + t if v.stacked else t for t, v in zip(terms.split(","), node.inputs, strict=True)]
    return node.emit(*[v.tensor for v in node.inputs], equation=f"{','.join(named)}->{unused}{result}")
