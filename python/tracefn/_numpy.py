"""NumPy, imported on first use. It takes three times as long to import as this package, and programs that use no arrays
do not need it.
"""

from __future__ import annotations

import sys
from typing import Any


def __getattr__(name: str) -> Any:
    import numpy  # start-up time: it takes longer than this package

    value = getattr(numpy, name)
    globals()[name] = value
    return value


def is_loaded() -> bool:
    """Whether NumPy has been imported. Before that, no value can have one of its types."""
    return sys.modules.get("numpy") is not None  # None forbids the import


def is_array(value) -> bool:
    """Whether a value is a `numpy.ndarray`; does not import NumPy."""
    if not is_loaded():
        return False
    import numpy  # start-up time: it takes longer than this package

    return isinstance(value, numpy.ndarray)


def is_array_or_scalar(value) -> bool:
    """Whether a value is a `numpy.ndarray` or a NumPy scalar; does not import NumPy."""
    if not is_loaded():
        return False
    import numpy  # start-up time: it takes longer than this package

    return isinstance(value, (numpy.ndarray, numpy.generic))
