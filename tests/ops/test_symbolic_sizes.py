"""Passes run shape rules on symbols for unknown sizes. A symbol in a result is the size of the input that it came from."""

import itertools

import numpy as np
import pytest
import tracefn as tf
from support.op_samples import PROGRAMS, calls
from tracefn import _core

STATELESS = sorted(op for op in _core.op_names() if op not in PROGRAMS and not _core.op_record(op)["is_stateful"])


def result_of(op: str, arguments: dict, names: list[str], values, j: int):
    result = getattr(tf.raw_ops, op)(**{**arguments, **dict(zip(names, values, strict=True))})
    return tf.nest.flatten(result)[j]


def resized(op: str, arguments: dict, names: list[str], j: int, axis: int, source: int, from_axis: int):
    """Reshapes a vector as long as the result along `axis` to as long as an input; left out where both have one symbol."""

    def run(*values):
        long = tf.zeros(tf.shape(result_of(op, arguments, names, values, j))[axis : axis + 1])
        return tf.reshape(long, tf.shape(values[source])[from_axis : from_axis + 1])

    return run


def unknown_inputs(arguments: dict, integers: bool) -> list[str]:
    """The arguments whose sizes are unknown: data, and with `integers` the indices and axes, too."""
    return [
        name
        for name, value in arguments.items()
        if isinstance(value, np.ndarray) and value.ndim and (integers or value.dtype.kind not in "iu")
    ]


@pytest.mark.parametrize("integers", [False, True], ids=["sizes of data unknown", "all sizes unknown"])
@pytest.mark.parametrize("op", STATELESS)
def test_different_sizes_are_never_one_symbol(op, integers):
    for arguments in calls(op):
        names = unknown_inputs(arguments, integers)
        if not names or op == "Const":
            continue
        values = [tf.constant(arguments[name]) for name in names]
        specs = [tf.TensorSpec([None] * v.shape.rank, v.dtype) for v in values]
        results = tf.nest.flatten(getattr(tf.raw_ops, op)(**arguments))
        for (j, result), (source, value) in itertools.product(enumerate(results), enumerate(values)):
            for axis, from_axis in itertools.product(range(result.shape.rank), range(value.shape.rank)):
                if result.shape[axis] == value.shape[from_axis]:
                    continue
                traced = tf.function(resized(op, arguments, names, j, axis, source, from_axis), input_signature=specs)
                with pytest.raises(tf.errors.InvalidArgumentError, match="Input to reshape is a tensor with"):
                    traced(*values)
