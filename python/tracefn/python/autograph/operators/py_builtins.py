"""`tensorflow.python.autograph.operators.py_builtins`: builtins that accept tensors, as converted code calls them."""

from __future__ import annotations

from tracefn.autograph.runtime.builtins import (
    OVERLOADS,
    abs_,
    all_,
    any_,
    enumerate_,
    filter_,
    float_,
    int_,
    len_,
    map_,
    next_,
    print_,
    range_,
    sorted_,
    zip_,
)

__all__ = [
    "abs_",
    "all_",
    "any_",
    "enumerate_",
    "filter_",
    "float_",
    "int_",
    "len_",
    "map_",
    "max_",
    "min_",
    "next_",
    "overload_of",
    "print_",
    "range_",
    "sorted_",
    "zip_",
]

max_, min_ = OVERLOADS[max], OVERLOADS[min]


def overload_of(f):
    """The function that converted code calls for a builtin; `f` itself if there is none.

    Example:
      >>> import tracefn as tf
      >>> tf.python.autograph.operators.py_builtins.overload_of(abs)(tf.constant(-2)).numpy()
      np.int32(2)
    """
    return OVERLOADS.get(f, f)
