"""Elementwise ops of two tensors: values against NumPy for every dtype and way of broadcasting, traced against eager."""

import numpy as np
import pytest
import tracefn as tf
from support.elementwise_samples import OP_DEFS, assert_close, cases, expected, sample


def call(op, x, y):
    """The op by its registered name."""
    first, second = (i["name"] for i in OP_DEFS[op]["inputs"])
    return getattr(tf.raw_ops, op)(**{first: x, second: y})


SHAPES = [
    ((), ()),
    ((4,), ()),
    ((), (4,)),
    ((3, 5), (5,)),
    ((3, 1), (2, 1, 5)),
    ((40, 3), (3,)),
    ((0,), (1,)),
    ((6, 7), (6, 7)),
]


@pytest.mark.parametrize(("op", "dtype"), cases("binary"))
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_value(op, dtype, shapes):
    x, y = sample(op, dtype, shapes[0], 0), sample(op, dtype, shapes[1], 1)
    assert_close(call(op, tf.constant(x), tf.constant(y)).numpy(), expected(op, x, y), dtype)


@pytest.mark.parametrize(("op", "dtype"), cases("binary"))
def test_traced_is_eager(op, dtype):
    x, y = sample(op, dtype, (3, 11), 0), sample(op, dtype, (11,), 1)

    @tf.function
    def traced(x, y):
        return call(op, x, y)

    z = call(op, tf.constant(x), tf.constant(y))
    known = traced.get_concrete_function(tf.TensorSpec([3, 11], dtype), tf.TensorSpec([11], dtype))
    partly = traced.get_concrete_function(tf.TensorSpec([None, 11], dtype), tf.TensorSpec(None, dtype))
    assert known.outputs[0].shape == z.shape and known.outputs[0].dtype == z.dtype
    assert partly.outputs[0].shape.rank is None
    for function in (known, partly):
        assert function(tf.constant(x), tf.constant(y)).numpy().tobytes() == z.numpy().tobytes()


@pytest.mark.parametrize("op", ["AddV2", "Sub", "Mul", "RealDiv", "Pow", "Maximum", "Less", "Equal"])
def test_incompatible_shapes(op):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[3\] vs\. \[2\]"):
        call(op, tf.zeros([3]), tf.zeros([2]))
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 2"):
        tf.function(lambda x, y: call(op, x, y))(tf.zeros([3]), tf.zeros([2]))


@pytest.mark.parametrize("op", ["FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod", "Div", "Mod"])
def test_integer_division_by_zero(op):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        call(op, tf.constant([1, 2]), tf.constant([1, 0]))


def test_negative_integer_power():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integers to negative integer powers are not allowed"):
        tf.pow(tf.constant(2), tf.constant(-1))


def test_strings():
    joined = tf.add(tf.constant(["a", "b"]), tf.constant([["c"], ["d"]]))
    assert joined.numpy().tolist() == [[b"ac", b"bc"], [b"ad", b"bd"]]
    assert tf.equal(tf.constant(["a", "b"]), "b").numpy().tolist() == [False, True]


@pytest.mark.parametrize(
    ("x", "y", "wanted"),
    [
        ([3], [3], [3]),
        ([2], [3], []),
        ([None], [3], None),
        ([1], [3], [3]),
        ([None], [1], [None]),
        ([None, 2], [], [None, 2]),
    ],
)
def test_static_shape_of_equality_without_shape_errors(x, y, wanted):
    @tf.function
    def traced(x, y):
        return tf.raw_ops.Equal(x=x, y=y, incompatible_shape_error=False)

    shape = traced.get_concrete_function(tf.TensorSpec(x), tf.TensorSpec(y)).outputs[0].shape
    assert (shape.as_list() if shape.rank is not None else None) == wanted


def test_shapes_that_do_not_fit_are_unequal():
    x, y = tf.constant([1, 2]), tf.constant([1, 2, 3])
    assert tf.raw_ops.Equal(x=x, y=y, incompatible_shape_error=False).numpy() is np.False_
    assert tf.raw_ops.NotEqual(x=x, y=y, incompatible_shape_error=False).numpy() is np.True_
