"""`tf.linalg`: linear algebra. Its classes are loaded when they are first used."""

from __future__ import annotations

import importlib

from tracefn._deprecated import noticed as _noticed
from tracefn._namespaces import fill, load

__all__ = [
    "LinearOperator",
    "LinearOperatorAdjoint",
    "LinearOperatorBlockDiag",
    "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant",
    "LinearOperatorCirculant2D",
    "LinearOperatorCirculant3D",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder",
    "LinearOperatorIdentity",
    "LinearOperatorInversion",
    "LinearOperatorKronecker",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular",
    "LinearOperatorPermutation",
    "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz",
    "LinearOperatorTridiag",
    "LinearOperatorZeros",
]
_CLASSES = frozenset(__all__)


def __getattr__(name: str):
    if name not in _CLASSES:
        return load(globals(), "linalg", name)
    classes = importlib.import_module("tracefn.linalg._operators").CLASSES  # start-up time: few programs use operators
    globals().update({name: _noticed(f"linalg.{name}", cls) for name, cls in classes.items()})
    return classes[name]


fill(globals(), "linalg")
