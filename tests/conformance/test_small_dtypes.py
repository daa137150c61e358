"""Quantized types and types of few bits: their names and attributes."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")

QUANTIZED = {"qint8": (11, 1), "quint8": (12, 1), "qint32": (13, 4), "qint16": (15, 2), "quint16": (16, 2)}
SMALL = {
    "float8_e5m2": (24, -57344, 57344), "float8_e4m3fn": (25, -448, 448), "float8_e4m3fnuz": (26, -240, 240),
    "float8_e4m3b11fnuz": (27, -30, 30), "float8_e5m2fnuz": (28, -57344, 57344), "int4": (29, -8, 7), "uint4": (30, 0, 15),
    "int2": (31, -2, 1), "uint2": (32, 0, 3), "float4_e2m1fn": (33, -6, 6),
}  # fmt: skip


@pytest.mark.parametrize("name", QUANTIZED)
def test_quantized(tf, name):
    dtype = getattr(tf, name)
    assert (dtype.as_datatype_enum, dtype.size) == QUANTIZED[name]
    assert dtype is getattr(tf.dtypes, name) and tf.as_dtype(name) == dtype and dtype in tf.dtypes.QUANTIZED_DTYPES
    assert dtype.is_quantized and dtype.is_numeric and not dtype.is_integer and not dtype.is_floating
    assert repr(dtype) == f"tf.{name}" and dtype.real_dtype == dtype.base_dtype == dtype
    kind = dtype.as_numpy_dtype
    assert kind.names == (name,) and kind.itemsize == dtype.size and tf.as_dtype(kind) == dtype
    for end, word in (("min", "minimum"), ("max", "maximum")):
        with pytest.raises(TypeError, match=f"Cannot find {word} value of .* with quantized type"):
            getattr(dtype, end)
    with pytest.raises(ValueError, match="does not have defined limits"):
        dtype.limits


@pytest.mark.parametrize("name", SMALL)
def test_small(tf, name):
    dtype = getattr(tf.dtypes.experimental, name)
    assert dtype is getattr(tf.experimental, name) and tf.as_dtype(name) == dtype and not hasattr(tf, name)
    assert (dtype.as_datatype_enum, int(dtype.min), int(dtype.max)) == SMALL[name]
    assert dtype.is_floating == name.startswith("float") and dtype.is_integer == ("int" in name)
    assert dtype.is_unsigned == name.startswith("uint")
    assert dtype.size == 1 and not dtype.is_numeric and not dtype.is_quantized and dtype.is_numpy_compatible
    assert dtype.as_numpy_dtype.__name__ == name and tf.as_dtype(dtype.as_numpy_dtype) == dtype
    assert tf.as_dtype(np.dtype(dtype.as_numpy_dtype)) == dtype
    with pytest.raises(ValueError, match="does not have defined limits"):
        dtype.limits


def test_specs(tf):
    assert tf.TensorSpec([2], "qint8").dtype == tf.qint8
    assert tf.TensorSpec([2], tf.dtypes.experimental.int4) == tf.TensorSpec([2], "int4")
