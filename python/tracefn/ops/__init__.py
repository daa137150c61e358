"""Functions composed of ops, one family per file. Importing this package registers their public names.

Files that few programs need are imported later; tracefn/_namespaces.py lists them.
"""
# ruff: noqa: F401

from tracefn.ops import (
    activation,
    array_creation,
    array_shape,
    case,
    casting,
    check_numerics,
    complex_numbers,
    constant,
    control_flow,
    debugging,
    debugging_shapes,
    debugging_static,
    indexing,
    linear_algebra,
    math,
    neural,
    print,
    random,
    ranges,
    reduction,
    script,
    strings,
)
