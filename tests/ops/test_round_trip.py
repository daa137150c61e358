"""Every op's sample as a GraphDef and back: the same results, and the same static shapes."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import tracefn as tf
from support.op_samples import NOT_RUN, caller, samples, typed_calls
from tracefn import _core

pytestmark = pytest.mark.filterwarnings("ignore:Casting complex values to real:numpy.exceptions.ComplexWarning")


def answer(function):
    """Its values, or the class of the error that it raises."""
    try:
        return [t.numpy() for t in function()]
    except tf.errors.OpError as error:
        return type(error)


def check(op: str, run) -> None:
    traced = tf.function(functools.partial(run)).get_concrete_function()
    names = [t.name for t in traced.outputs]
    data = traced.graph.as_graph_def().SerializeToString()
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(data, name=""), [])
    for name, output in zip(names, traced.outputs, strict=True):
        found = wrapped.graph.get_tensor_by_name(name)
        assert (found.dtype, str(found.shape)) == (output.dtype, str(output.shape))
    if op in NOT_RUN:
        return
    result, wanted = answer(wrapped.prune([], names)), answer(traced)
    assert type(result) is type(wanted)
    if isinstance(wanted, type):
        assert result is wanted
        return
    for value, expected in zip(result, wanted, strict=True):
        np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize("op", _core.op_names())
def test_samples(op):
    for run in samples(op):
        check(op, run)
    for _, _, arguments in typed_calls(op):
        check(op, caller(op, arguments))
