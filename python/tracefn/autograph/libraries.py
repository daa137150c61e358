"""Which modules are libraries: their functions run unconverted."""

from __future__ import annotations

import sys

_LIBRARIES = frozenset(sys.stdlib_module_names - {"__main__", "this", "antigravity"}) | {
    "tracefn",
    "numpy",
    "pytest",
    "_pytest",
}


def is_library(module_name) -> bool:
    """Whether functions of a module are not converted."""
    return isinstance(module_name, str) and module_name.partition(".")[0] in _LIBRARIES
