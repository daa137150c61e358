"""Samples of decompositions, banded matrices, and the older versions of diagonals."""

import numpy as np

from support.sample_values import f32, grid, i32

SYMMETRIC = np.array([[4, 1, 0.5], [1, 3, -1], [0.5, -1, 5]], np.float32)
SQUARE = np.array([[4, 1, 0.5], [-2, 3, -1], [0.25, -1.5, 5]], np.float32)
BATCH = np.stack([SQUARE, SQUARE[::-1] + 1])
TALL = np.array([[4, 1], [-2, 3], [0.5, -1]], np.float32)
COMPLEX = np.array([[4 + 1j, 1], [-2j, 3 - 1j]], np.complex64)
DIAGONALS = np.array([[1, -2, 9], [4, 5, 6], [9, 0.5, 1.5]], np.float32)
_OF_DIAGONALS = {
    "superdiag": DIAGONALS[:1],
    "maindiag": DIAGONALS[1:2],
    "subdiag": DIAGONALS[2:],
    "rhs": grid(3, 2),
}

CALLS: dict[str, list[dict]] = {
    "Lu": [{"input": BATCH}, {"input": SQUARE, "output_idx_type": "int64"}],
    "LogMatrixDeterminant": [{"input": BATCH}],
    "Qr": [{"input": SQUARE}, {"input": TALL}, {"input": TALL.T.copy()}, {"input": TALL, "full_matrices": True}],
    "CholeskyGrad": [{"l": np.tril(SQUARE), "grad": np.tril(grid(3, 3))}],
    "Svd": [
        {"input": SQUARE},
        {"input": TALL},
        {"input": TALL.T.copy(), "full_matrices": True},
    ],
    # Matrices whose eigenvectors have the same signs in every precision. TensorFlow's kernels have no static shape without
    # vectors; test_matrices.py has those calls.
    "SelfAdjointEigV2": [{"input": SYMMETRIC[:2, :2].copy()}],
    "Eig": [{"input": f32([1, 2], [0, 3]), "Tout": "complex64"}, {"input": COMPLEX, "Tout": "complex64"}],
    "MatrixSquareRoot": [{"input": SYMMETRIC}],
    "MatrixLogarithm": [{"input": COMPLEX}],
    "MatrixSolveLs": [
        {"matrix": TALL, "rhs": grid(3, 2), "l2_regularizer": np.float64(0.5)},
        {"matrix": TALL.T.copy(), "rhs": grid(2, 2), "l2_regularizer": np.float64(0)},
        {"matrix": TALL, "rhs": grid(3, 1), "l2_regularizer": np.float64(0), "fast": False},
    ],
    "TridiagonalSolve": [
        {"diagonals": DIAGONALS, "rhs": grid(3, 2)},
        {"diagonals": DIAGONALS, "rhs": grid(3, 2), "partial_pivoting": False},
        {"diagonals": DIAGONALS, "rhs": grid(3, 2), "perturb_singular": True},
    ],
    "TridiagonalMatMul": [_OF_DIAGONALS],
    "BandedTriangularSolve": [
        {"matrix": DIAGONALS[1:], "rhs": grid(3, 2)},
        {"matrix": DIAGONALS[:2], "rhs": grid(2, 3, 2), "lower": False, "adjoint": True},
    ],
    "Cross": [{"a": grid(2, 3), "b": grid(2, 3)[::-1].copy()}],
    "Diag": [{"diagonal": grid(2, 2)}],
    "DiagPart": [{"input": grid(2, 2, 2, 2)}],
    "MatrixDiag": [{"diagonal": grid(2, 3)}],
    "MatrixDiagV2": [
        {
            "diagonal": grid(2, 3),
            "k": i32(0, 1),
            "num_rows": np.int32(3),
            "num_cols": np.int32(4),
            "padding_value": np.float32(9),
        },
    ],
    "MatrixDiagPart": [{"input": grid(3, 4)}],
    "MatrixDiagPartV2": [{"input": grid(3, 4), "k": i32(-1, 1), "padding_value": np.float32(9)}],
    "MatrixSetDiag": [{"input": grid(3, 4), "diagonal": f32(1, 2, 3)}],
    "MatrixSetDiagV2": [{"input": grid(3, 4), "diagonal": f32(1, 2, 3), "k": i32(1)}],
}
# Tout follows from T, or the other way around.
ONE_DTYPE = {"Eig"}
