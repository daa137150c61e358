"""NumPy's names, NumPy being imported when the first of them is asked for: it takes three times as long to import as this
package, and programs that hand over no arrays and ask for none can do without.
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
    """Whether somebody has imported NumPy; before that no value can be of its types."""
    return sys.modules.get("numpy") is not None  # None forbids the import


def is_array(value) -> bool:
    """Whether it is a `numpy.ndarray`; NumPy is not imported to tell."""
    if not is_loaded():
        return False
    import numpy  # start-up time: it takes longer than this package

    return isinstance(value, numpy.ndarray)


def is_array_or_scalar(value) -> bool:
    """Whether it is a `numpy.ndarray` or a NumPy scalar; NumPy is not imported to tell."""
    if not is_loaded():
        return False
    import numpy  # start-up time: it takes longer than this package

    return isinstance(value, (numpy.ndarray, numpy.generic))
