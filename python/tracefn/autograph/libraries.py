"""Which modules are libraries: their functions run unconverted."""

from __future__ import annotations

import sys

_NEVER = frozenset({"tracefn", "numpy", "pytest", "_pytest"})
_STANDARD = frozenset(sys.stdlib_module_names - {"__main__", "this", "antigravity"})
# TensorFlow's lists (autograph/core/config.py and impl/conversion.py); it converts the rest of the standard library. What a
# program passes to tf.function is converted all the same, except for the first list.
_NEVER_OF_STANDARD = frozenset({"collections", "copy", "inspect", "pdb", "re"})
_UNLESS_ASKED = frozenset(
    {
        "PIL",
        "cProfile",
        "keras",
        "linecache",
        "matplotlib",
        "pandas",
        "pathlib",
        "posixpath",
        "pstats",
        "tensorflow",
        "tensorflow_probability",
        "tf_keras",
        "threading",
        "urllib",
    }
)
# TensorFlow leaves the methods of test cases alone.
_PARTS_OF_LIBRARIES = ("absl.logging", "tensorflow_datasets.core", "unittest.case")


def is_library(module_name) -> bool:
    """Whether a module is not the program's own: it belongs to Python or to a library."""
    return isinstance(module_name, str) and (module_name.partition(".")[0] in _STANDARD or runs_unconverted(module_name))


def runs_unconverted(module_name, asked: bool = False) -> bool:
    """Whether functions of a module are not converted; `asked`: when the program asks for a function's conversion."""
    if not isinstance(module_name, str):
        return False
    package = module_name.partition(".")[0]
    if asked or package in _NEVER or package in _NEVER_OF_STANDARD:
        return package in _NEVER or package in _NEVER_OF_STANDARD
    return package in _UNLESS_ASKED or any(f"{module_name}.".startswith(f"{part}.") for part in _PARTS_OF_LIBRARIES)
