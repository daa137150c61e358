"""tf.DType: identity, NumPy's view of each type, and what is refused, beyond the recorded answers."""

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tracefn as tf

ALL = tf.dtypes._ALL
NUMPY = [d for d in ALL if d not in (tf.resource, tf.variant, tf.bfloat16)]


@pytest.mark.parametrize("dtype", ALL, ids=lambda d: d.name)
def test_one_instance_per_type(dtype):
    again = [tf.DType(dtype.as_datatype_enum), tf.as_dtype(dtype.name), tf.as_dtype(int(dtype)), copy.copy(dtype),
             copy.deepcopy(dtype), pickle.loads(pickle.dumps(dtype)), getattr(tf, dtype.name)]
    assert all(found is dtype for found in again)
    assert hash(dtype) == dtype._type_enum == dtype.as_datatype_enum


@pytest.mark.parametrize("dtype", NUMPY, ids=lambda d: d.name)
def test_numpy_and_back(dtype):
    assert tf.as_dtype(dtype.as_numpy_dtype) is dtype
    assert tf.as_dtype(np.dtype(dtype.as_numpy_dtype)) is dtype
    assert tf.as_dtype(np.zeros(2, dtype.as_numpy_dtype)) is dtype
    if dtype is not tf.string:
        assert dtype.size == np.dtype(dtype.as_numpy_dtype).itemsize


def test_exactly_one_kind():
    for dtype in ALL:
        kinds = [dtype.is_floating, dtype.is_integer, dtype.is_complex, dtype.is_bool]
        assert sum(kinds) == (dtype not in (tf.string, tf.resource, tf.variant))
        assert dtype.is_numeric == any(kinds[:3])


def test_bfloat16_needs_ml_dtypes_only_for_its_numpy_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    assert (tf.bfloat16.size, tf.bfloat16.name, tf.bfloat16.is_floating) == (2, "bfloat16", True)
    with pytest.raises(ImportError, match="ml_dtypes"):
        tf.bfloat16.as_numpy_dtype  # noqa: B018 - the property raises
    with pytest.raises(ImportError, match="ml_dtypes"):
        tf.bfloat16.max  # noqa: B018


def test_bfloat16_is_ml_dtypes_type():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert tf.bfloat16.as_numpy_dtype is ml_dtypes.bfloat16
    assert tf.as_dtype(ml_dtypes.bfloat16) is tf.bfloat16
    assert tf.bfloat16.max == ml_dtypes.finfo(ml_dtypes.bfloat16).max
    assert tf.as_dtype(ml_dtypes.float8_e5m2) is tf.dtypes.experimental.float8_e5m2


@pytest.mark.parametrize("name", ["int2", "uint2", "float8_e5m2fnuz", "float4_e2m1fn"])
def test_types_without_tensors(name):
    assert tf.as_dtype(name).name == name
    with pytest.raises(TypeError, match="Tensors of type .*" + name + ".* are not supported"):
        tf.zeros([2], name)


def test_refusal_names_what_there_is():
    with pytest.raises(TypeError) as caught:
        tf.as_dtype("float31")
    assert all(dtype.name in str(caught.value) for dtype in ALL)


def test_resource_and_variant_have_no_numpy_type():
    for dtype in (tf.resource, tf.variant):
        assert not dtype.is_numpy_compatible
        with pytest.raises(KeyError, match="has no NumPy type"):
            dtype.as_numpy_dtype  # noqa: B018
        with pytest.raises(ValueError, match="does not have defined limits"):
            dtype.limits  # noqa: B018


def test_attributes_cannot_be_set():
    for name in ("name", "size", "something"):
        with pytest.raises(AttributeError):
            setattr(tf.float32, name, 1)


class _Lies:
    dtype = "float32"

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return False


@pytest.mark.parametrize("value", [_Lies(), _Lies, object(), [], {}, set(), lambda: 0, Ellipsis, NotImplemented, type,
                                   float("nan"), 10**30, "a" * 10_000, np.dtype([("a", int)]), np.void(b"x")])
def test_anything_else_is_a_type_error(value):
    with pytest.raises(TypeError):
        tf.as_dtype(value)
    assert tf.float32 != value
    assert not tf.float32 == value  # noqa: SIM201 - both operators are ours


def test_from_many_threads():
    names = [dtype.name for dtype in ALL] * 50
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(tf.as_dtype, names))
    assert all(a is b for a, b in zip(found, list(ALL) * 50, strict=True))
