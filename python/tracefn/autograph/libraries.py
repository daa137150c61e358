"""Which modules are libraries: their functions run unconverted."""

from __future__ import annotations

import sys

_LIBRARIES = frozenset(sys.stdlib_module_names - {"__main__", "this", "antigravity"}) | {
    "tracefn",
    "numpy",
    "pytest",
    "_pytest",
}
# TensorFlow's list (autograph/core/config.py). What a program passes to tf.function is converted all the same.
_UNLESS_ASKED = {
    "PIL",
    "keras",
    "matplotlib",
    "pandas",
    "tensorflow",
    "tensorflow_probability",
    "tf_keras",
}
_PARTS_OF_LIBRARIES = ("absl.logging", "tensorflow_datasets.core")


def is_library(module_name, asked: bool = False) -> bool:
    """Whether functions of a module are not converted; `asked`: when the program asks for a function's conversion."""
    if not isinstance(module_name, str):
        return False
    package = module_name.partition(".")[0]
    if package in _LIBRARIES or asked:
        return package in _LIBRARIES
    return package in _UNLESS_ASKED or any(f"{module_name}.".startswith(f"{part}.") for part in _PARTS_OF_LIBRARIES)
