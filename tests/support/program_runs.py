"""Runs programs given as text, traced and op by op, and compares the bits."""

import linecache
import os

import numpy as np
import tracefn as tf


def seeds(usual: int) -> range:
    """The seeds of random programs: from TRACEFN_FIRST_PROGRAM on, as many as TRACEFN_PROGRAMS says, or as usual."""
    first = int(os.environ.get("TRACEFN_FIRST_PROGRAM", "0"))
    return range(first, first + int(os.environ.get("TRACEFN_PROGRAMS", usual)))


def bits(values) -> list:
    """Every result, with NaNs alike."""
    arrays = [np.array(value) for value in values]
    return [(a.shape, a.dtype, np.where(np.isnan(a), np.float32(np.nan), a).tobytes() if a.dtype.kind == "f" else a.tobytes())
            for a in arrays]  # fmt: skip


def program_of(text: str, name: str):
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {"tf": tf}
    exec(compile(text, name, "exec"), namespace)
    return namespace["program"]


def check_bits(program, given: list, what: str, *, unknown_shapes: bool = False) -> None:
    """The traced program has the results of op by op, and changes no argument.

    Args:
      unknown_shapes: whether the trace knows the ranks of the arguments alone.
    """
    before = bits(given)
    specs = [tf.TensorSpec([None] * x.shape.rank, x.dtype) for x in given] if unknown_shapes else None
    traced = bits(tf.function(program, input_signature=specs)(*given))
    assert bits(given) == before, f"an argument was changed {what}"
    tf.config.run_functions_eagerly(True)
    try:
        eager = bits(tf.function(program)(*given))
    finally:
        tf.config.run_functions_eagerly(False)
    for k, (a, b) in enumerate(zip(traced, eager, strict=True)):
        assert a == b, f"result {k} {what}"
