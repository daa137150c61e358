"""Batch rules of ops on the innermost axes of stacks of matrices and vectors: they take further axes as they are."""

from __future__ import annotations

from tracefn import _core
from tracefn._vectorized.rules import Node, rule

# The inputs at these places are matrices or vectors, and all have the same outer axes; further inputs are settings.
_OPERANDS = {
    1: """Cholesky MatrixInverse MatrixDeterminant LogMatrixDeterminant Qr SelfAdjointEigV2 Svd MatrixExponential
       MatrixLogarithm MatrixSquareRoot MatrixBandPart MatrixDiag MatrixDiagPart MatrixDiagV2 MatrixDiagV3 MatrixDiagPartV2
       MatrixDiagPartV3 FFT FFT2D FFT3D IFFT IFFT2D IFFT3D RFFT RFFT2D RFFT3D IRFFT IRFFT2D IRFFT3D""",
    2: "CholeskyGrad MatrixSolve MatrixTriangularSolve MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3",
}


def _inner(count: int):
    def convert(node: Node) -> list:
        operands = [node.stack(i) for i in range(count)]
        return node.emit(*operands, *[node.same(i) for i in range(count, len(node.inputs))])

    return convert


for _count, _names in _OPERANDS.items():
    rule(" ".join(name for name in _names.split() if name in _core.op_names()))(_inner(_count))
