"""Functions composed of ops, one family a file; importing this registers their public names.

Files that few programs need are imported later: they stand in tracefn/_namespaces.py.
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
