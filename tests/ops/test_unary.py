"""Elementwise ops of one tensor: values against NumPy for every dtype, traced against eager, shapes against results."""

import numpy as np
import pytest
import tracefn as tf
from support.elementwise_samples import OP_DEFS, UNARY, WITHOUT_KERNEL, assert_close, cases, expected, sample


def call(op, x):
    """The op by its registered name."""
    return getattr(tf.raw_ops, op)(**{OP_DEFS[op]["inputs"][0]["name"]: x})


@pytest.mark.parametrize(("op", "dtype"), cases("unary"))
@pytest.mark.parametrize("shape", [(), (0,), (5,), (7, 33)])
def test_value(op, dtype, shape):
    x = sample(op, dtype, shape, 0)
    assert_close(call(op, tf.constant(x)).numpy(), expected(op, x), dtype, op)


@pytest.mark.parametrize(("op", "dtype"), cases("unary"))
def test_traced_is_eager(op, dtype):
    x = sample(op, dtype, (3, 11), 0)

    @tf.function
    def traced(x):
        return call(op, x)

    y = call(op, tf.constant(x))
    known = traced.get_concrete_function(tf.TensorSpec([3, 11], dtype))
    partly = traced.get_concrete_function(tf.TensorSpec([None, 11], dtype))
    assert known.outputs[0].shape == y.shape and known.outputs[0].dtype == y.dtype
    assert partly.outputs[0].shape.as_list() == [None, 11]
    for function in (known, partly):
        assert function(tf.constant(x)).numpy().tobytes() == y.numpy().tobytes()


@pytest.mark.parametrize(("op", "dtype"), [(op, d) for op in UNARY for d in WITHOUT_KERNEL.get(op, ())])
def test_dtypes_without_kernel_are_named(op, dtype):
    if dtype == "variant":
        pytest.skip("no public value has this dtype")
    x = np.ones(2, dtype)
    with pytest.raises(tf.errors.NotFoundError, match=f"Could not find device for node.*{op}.*{dtype.upper()[:4]}"):
        call(op, tf.constant(x))


def test_unknown_dtype_is_refused():
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError), match="int32"):
        tf.raw_ops.Exp(x=tf.constant(1))
