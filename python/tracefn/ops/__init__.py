"""Functions composed of ops, one family a file; importing this registers their public names."""
# ruff: noqa: F401

from tracefn.ops import (
    activation,
    array_creation,
    array_shape,
    casting,
    complex_numbers,
    constant,
    control_flow,
    debugging,
    debugging_static,
    dropout,
    indexing,
    linear_algebra,
    math,
    neural,
    print,
    random,
    reduction,
    script,
    strings,
)
