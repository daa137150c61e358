"""Subscripts against NumPy: eager, traced with known shapes, and traced with unknown ones."""

import logging

import numpy as np
import pytest
import tracefn as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

SHAPES = hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5)


@pytest.fixture(autouse=True, scope="module")
def _no_retracing_warnings():
    """These tests trace a lot; the level is the process's, so it is put back."""
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    yield
    logger.setLevel(level)


def one_subscript(draw, side):
    if side and draw(st.booleans()):
        return draw(st.integers(-side, side - 1))
    bound = st.none() | st.integers(-side - 2, side + 2)
    return slice(draw(bound), draw(bound), draw(st.none() | st.sampled_from([1, 2, -1, -2, 7])))


@st.composite
def array_and_subscripts(draw):
    shape = draw(SHAPES)
    front = draw(st.integers(0, len(shape)))
    subscripts = [one_subscript(draw, side) for side in shape[:front]]
    if draw(st.booleans()):
        back = draw(st.integers(front, len(shape)))
        subscripts += [..., *(one_subscript(draw, side) for side in shape[back:])]
    for _ in range(draw(st.integers(0, 2))):
        subscripts.insert(draw(st.integers(0, len(subscripts))), None)
    return np.arange(np.prod(shape)).reshape(shape), tuple(subscripts)


@settings(max_examples=300, deadline=None)
@given(array_and_subscripts())
def test_as_numpy(given_case):
    array, subscripts = given_case
    result = tf.convert_to_tensor(array)[subscripts]
    expected = array[subscripts]
    assert result.shape == expected.shape
    assert np.array_equal(result.numpy(), expected)
    if len(subscripts) == 1:
        assert np.array_equal(tf.convert_to_tensor(array)[subscripts[0]].numpy(), expected)


@settings(max_examples=40, deadline=None)
@given(array_and_subscripts(), st.sampled_from(["known", "sizes unknown", "rank unknown"]))
def test_traced_as_numpy(given_case, how):
    array, subscripts = given_case
    shape = {"known": array.shape, "sizes unknown": [None] * array.ndim, "rank unknown": None}[how]
    spec = tf.TensorSpec(shape, tf.int64)
    result = tf.function(lambda x: x[subscripts], input_signature=[spec], autograph=False)(array)
    assert np.array_equal(result.numpy(), array[subscripts])
    assert result.shape == array[subscripts].shape


@settings(max_examples=100, deadline=None)
@given(array_and_subscripts(), st.sampled_from(["int32", "int64"]))
def test_tensors_as_subscripts(given_case, dtype):
    array, subscripts = given_case
    expected = array[subscripts]

    def as_tensor(value):
        return value if value is None or value is ... else tf.convert_to_tensor(value, dtype)

    tensors = tuple(slice(as_tensor(s.start), as_tensor(s.stop), as_tensor(s.step)) if isinstance(s, slice)
                    else as_tensor(s) for s in subscripts)
    tensor = tf.convert_to_tensor(array)
    assert np.array_equal(tensor[tensors].numpy(), expected)
    assert np.array_equal(tf.function(lambda: tensor[tensors], autograph=False)().numpy(), expected)


@st.composite
def array_and_mask(draw):
    shape = draw(SHAPES)
    rank = draw(st.integers(1, len(shape)))
    return np.arange(np.prod(shape)).reshape(shape), draw(hnp.arrays(bool, shape[:rank]))


@settings(max_examples=200, deadline=None)
@given(array_and_mask())
def test_masks_as_numpy(given_case):
    array, mask = given_case
    tensor = tf.convert_to_tensor(array)
    for key in (mask, tf.convert_to_tensor(mask)):
        result = tensor[key]
        assert result.shape == array[mask].shape
        assert np.array_equal(result.numpy(), array[mask])


@settings(max_examples=30, deadline=None)
@given(array_and_mask())
def test_traced_masks_as_numpy(given_case):
    array, mask = given_case
    specs = [tf.TensorSpec([None] * array.ndim, tf.int64), tf.TensorSpec([None] * mask.ndim, tf.bool)]
    for signature in (None, specs):
        result = tf.function(lambda x, m: x[m], input_signature=signature, autograph=False)(array, mask)
        assert np.array_equal(result.numpy(), array[mask])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "bool", "complex128", "string", "uint8"])
def test_other_dtypes(dtype):
    values = np.array([["a", "b"], ["c", "d"]] if dtype == "string" else [[1, 0], [0, 1]])
    tensor = tf.convert_to_tensor(values, dtype)
    assert repr(tensor[1]) == repr(tf.convert_to_tensor(values[1], dtype))
    assert repr(tensor[::-1, 0]) == repr(tf.convert_to_tensor(values[::-1, 0], dtype))
    assert [row.shape for row in tensor] == [(2,), (2,)]


def test_rows_do_not_alias():
    tensor = tf.convert_to_tensor(np.arange(4.0).reshape(2, 2))
    first, second = tensor
    del tensor
    assert (first + second).numpy().tolist() == [2, 4]


def test_variables_as_subscripts():
    tensor = tf.convert_to_tensor([1, 2, 3])
    assert tensor[tf.Variable(2)].numpy() == 3
    assert tensor[tf.Variable(1):].numpy().tolist() == [2, 3]


def test_bools_among_subscripts_are_refused():
    t = tf.zeros([2, 3])
    for key in ([True, False], (True,)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="'Index' of bool is not in the list"):
            t[key]
        with pytest.raises(TypeError, match="has DataType bool not in list of allowed values"):
            tf.function(lambda t, key=key: t[key])(t)
    assert t[0, True].shape == ()
