"""Conversion between dtypes, and clipping to a range."""

from __future__ import annotations

from tracefn import _core
from tracefn import _numpy as np
from tracefn._export import export
from tracefn._known_variables import variable_class
from tracefn._logging import warn
from tracefn.dtypes import as_dtype
from tracefn.indexed_slices import IndexedSlices
from tracefn.ops._build import both_eager, name_scope
from tracefn.ops.complex_numbers import complex, imag, real

_convert = _core.convert_to_tensor
_op = _core.raw_op


@export("cast", "dtypes.cast")
def cast(x, dtype, name=None):
    """x converted to another dtype, elementwise.

    Conversion from floating point to integer truncates toward zero. Conversion to bool gives True where x is not zero.
    Conversion from complex to real drops the imaginary part. A value out of the range of an integer dtype gives an
    unspecified number.

    Args:
      x: tensor, or a value that converts to one.
      dtype: the dtype of the result.
      name: name of the node.

    Returns:
      Tensor of x's shape, or IndexedSlices if x is; x itself, a Variable too, if it already has the dtype.

    Raises:
      TypeError: x does not convert to a tensor.
      UnimplementedError: the cast is between numbers and strings.

    Example:
      >>> import tracefn as tf
      >>> tf.cast([1.8, -2.2], tf.int32)
      <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -2], dtype=int32)>
    """
    dtype = as_dtype(dtype)
    if isinstance(x, variable_class()) and x.dtype == dtype:
        return x
    if isinstance(x, IndexedSlices):
        values = cast(x.values, dtype, name)  # which may be a list as well
        return x if values is x.values else x._with_values(values)
    x = _convert(x)
    if x.dtype == dtype:
        return x
    if x.dtype.is_complex and dtype.is_floating:
        warn(
            f"You are casting an input of type {x.dtype.name} to an incompatible dtype {dtype.name}.  This will "
            "discard the imaginary part and may not be what you intended."
        )
    return _op("Cast")(x=x, DstT=dtype, name=name)


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value, dtype, name=None):
    """`value` converted to another dtype, clamped to the range of that dtype.

    Args:
      value: tensor of numbers; for a real dtype, the real part of complex numbers is used.
      dtype: the dtype of the result.
      name: name of the node.

    Returns:
      Tensor of value's shape.

    Example:
      >>> import tracefn as tf
      >>> tf.saturate_cast([-3.7, 300.0], tf.uint8)
      <tf.Tensor: shape=(2,), dtype=uint8, numpy=array([  0, 255], dtype=uint8)>
    """
    dtype = as_dtype(dtype)
    with name_scope(name or "saturate_cast") as scope:
        value = _convert(value, name="value")
        if value.dtype.is_complex:
            if dtype.is_complex:
                parts = [saturate_cast(part, dtype.real_dtype) for part in (real(value), imag(value))]
                return complex(*parts, name=scope)
            warn("Casting complex to real discards imaginary part.")
            value = real(value)
        low, high = _limits_within(value.dtype, dtype.real_dtype)
        value = _op("ClipByValue")(
            t=value,
            clip_value_min=_convert(low, dtype=value.dtype),
            clip_value_max=_convert(high, dtype=value.dtype),
            name="clamp",
        )
        return cast(value, dtype, name=scope)


def _limits_within(source, target):
    """The range of `target` as numbers of `source`; infinities are out of every range."""
    number = source.as_numpy_dtype
    exact = [float(n) if d.is_floating else int(n) for d in (source, target) for n in (d.min, d.max)]
    least, most = max(exact[0], exact[2]), min(exact[1], exact[3])
    low, high = (number(float(n) if source.is_floating else int(n)) for n in (least, most))
    if source.is_floating:
        # The limit of an integer dtype, rounded to a floating-point one, may be outside it.
        if float(low) < exact[2]:
            low = np.nextafter(low, number(0), dtype=number)
        if float(high) > exact[3]:
            high = np.nextafter(high, number(0), dtype=number)
    return low, high


@export("clip_by_value")
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """t clipped to [clip_value_min, clip_value_max], elementwise.

    Args:
      t: tensor of real numbers, or IndexedSlices of them.
      clip_value_min: tensor of t's dtype that broadcasts to t's shape.
      clip_value_max: the same.
      name: name of the node.

    Returns:
      Tensor of t's dtype and shape, or IndexedSlices.

    Raises:
      ValueError: the shape of a bound does not broadcast to that of t.

    Example:
      >>> import tracefn as tf
      >>> tf.clip_by_value([-5, 3, 50], 0, 10)
      <tf.Tensor: shape=(3,), dtype=int32, numpy=array([ 0,  3, 10], dtype=int32)>
    """
    with name_scope(name or "clip_by_value") as scope:
        values = _convert(t.values if isinstance(t, IndexedSlices) else t, name="t")
        below = _op("Minimum")(x=values, y=clip_value_max)
        _refuse_broadcast(values, below)
        result = _op("Maximum")(x=below, y=clip_value_min, name=scope)
        _refuse_broadcast(values, result)
        return t._with_values(result) if isinstance(t, IndexedSlices) else result


def _refuse_broadcast(values, result) -> None:
    if not both_eager(values, result) or values._shape_tuple() != result._shape_tuple():
        values.shape.assert_is_compatible_with(result.shape)
