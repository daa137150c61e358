"""`tf.experimental.numpy`: dtypes of results, for every pair of kinds of arguments; and the limits of dtypes."""

import itertools

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")

NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
PYTHON = {"python bool": True, "python int": 3, "python float": 1.5, "python complex": 2j}
KINDS = [*NAMES, *PYTHON, *(f"numpy scalar {name}" for name in NAMES), *(f"numpy array {name}" for name in NAMES)]


def of_numpy(kind: str):
    if kind in PYTHON:
        return PYTHON[kind]
    dtype = kind.split()[-1]
    return np.dtype(dtype).type(1) if "scalar" in kind else np.ones([2], dtype)


def argument(tf, kind: str):
    return tf.constant(of_numpy(kind)) if kind in NAMES else of_numpy(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_result_type_of_pairs(tf, kind):
    t = tf.experimental.numpy
    for other in KINDS:
        want = np.result_type(of_numpy(kind), of_numpy(other))
        got = t.result_type(argument(tf, kind), argument(tf, other))
        assert got == want, (kind, other)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "where", "concatenate", "not_equal"])
def test_dtypes_of_functions(tf, name):
    t = tf.experimental.numpy
    for kind, other in itertools.product([*NAMES, *PYTHON], repeat=2):
        if name == "maximum" and "complex" in kind + other:
            continue  # has no order
        pair, numbers = [argument(tf, kind), argument(tf, other)], [of_numpy(kind), of_numpy(other)]
        if name == "where":
            got, want = t.where(True, *pair), np.where(True, *numbers)
        elif name == "concatenate":
            got = t.concatenate([t.atleast_1d(x) for x in pair])
            want = np.concatenate([np.atleast_1d(x) for x in numbers])
        else:
            got, want = getattr(t, name)(*pair), getattr(np, name)(*numbers)
        assert got.dtype == want.dtype, (kind, other)
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("kind", [*NAMES, *PYTHON])
def test_dtypes_of_arrays(tf, kind):
    t = tf.experimental.numpy
    for function in ("array", "asarray", "zeros_like", "ones_like", "ravel", "square" if "bool" not in kind else "copy"):
        want = getattr(np, function)(of_numpy(kind))
        assert getattr(t, function)(argument(tf, kind)).dtype == want.dtype, (kind, function)


def test_dtypes_of_sequences(tf):
    t = tf.experimental.numpy
    for value in ([], [1], [1, 2.5], [True, 2], [[1], [2]], [1, 2j]):
        assert t.array(value).dtype == np.array(value).dtype
    assert t.array([np.float32(1), 2.5]).dtype == tf.float32  # a Python float is weak beside NumPy's
    assert t.array([tf.constant(1.0), 2.5]).dtype == tf.float32
    assert t.array((np.int8(1), 2)).dtype == tf.int8
    assert t.array("a").dtype == tf.string


def test_limits_are_those_of_numpy(tf):
    t = tf.experimental.numpy
    assert t.finfo(tf.float32).eps == np.finfo(np.float32).eps
    assert t.iinfo(np.int8).max == 127
    assert t.promote_types(tf.int32, "float32") == np.float64
    assert t.issubdtype(t.float32, t.inexact) and t.bool_ is np.bool_ and t.newaxis is None
    assert t.float_ is np.float64 and t.complex_ is np.complex128 and t.int_ is np.int_
    with pytest.raises(TypeError):
        t.result_type(np.dtype("datetime64[s]"), tf.float32)
