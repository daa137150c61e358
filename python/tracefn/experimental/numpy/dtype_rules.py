"""Dtypes of results: NumPy's promotion, with Python's numbers weak. Only tables of dtypes are asked of NumPy here."""

from __future__ import annotations

import numbers
from collections.abc import Callable

import numpy as np

from tracefn._namespaces import root

tf = root()

bool_ = np.bool_
complex64 = np.complex64
complex128 = complex_ = np.complex128
float16 = np.float16
float32 = np.float32
float64 = float_ = np.float64
inexact = np.inexact
int8 = np.int8
int16 = np.int16
int32 = np.int32
int64 = np.int64
int_ = np.int_
object_ = np.object_
string_ = np.bytes_
uint8 = np.uint8
uint16 = np.uint16
uint32 = np.uint32
uint64 = np.uint64
unicode_ = np.str_

iinfo = np.iinfo
issubdtype = np.issubdtype


class _Preference:
    """Set by `experimental_enable_numpy_behavior`."""

    # Whether Python's floats are float32.
    float32 = False
    # With weak dtypes, the function that infers dtypes; else None.
    infer: Callable | None = None


def infer_by(function: Callable | None) -> None:
    """Chooses the function that infers dtypes: NumPy's promotion if it is None."""
    _Preference.infer = function


def prefer_float32(prefer: bool) -> None:
    """Chooses the dtype of Python's floats: float32, or NumPy's float64."""
    _Preference.float32 = bool(prefer)


def inferred_float():
    """What integers become where they must become floats: float64 whatever is preferred, as in TensorFlow; with weak
    dtypes, float32."""
    return tf.float64 if _Preference.infer is None else tf.float32


def inferred_integer(unsigned: bool):
    """The dtype in which narrower integers are added: the widest of their kind; with weak dtypes, that of 32 bits."""
    if _Preference.infer is None:
        return tf.uint64 if unsigned else tf.int64
    return tf.uint32 if unsigned else tf.int32


def default_float():
    """The dtype of Python's floats."""
    return tf.float32 if _Preference.float32 else inferred_float()


def float_without_dtype():
    """The dtype of new arrays whose dtype is None: float64 also with weak dtypes, as in TensorFlow."""
    return tf.float32 if _Preference.float32 else tf.float64


def _for_numpy(value):
    """What `np.result_type` takes for an argument: Python's numbers as they are, and dtypes of tensors."""
    if isinstance(value, tf.DType):
        return value.as_numpy_dtype
    if isinstance(value, (float, complex)):  # np.float64 and np.complex128 too
        if not _Preference.float32:
            return value
        return np.float32(value) if isinstance(value, float) else np.complex64(value)
    if isinstance(value, numbers.Real):
        return value
    dtype = getattr(value, "dtype", None)
    return dtype.as_numpy_dtype if isinstance(dtype, tf.DType) else value


def result_type(*arrays_and_dtypes):
    """The dtype of the result of an operation on the arguments: NumPy's promotion.

    Args:
      *arrays_and_dtypes: tensors, arrays, dtypes and Python numbers; nested sequences of them count element by element.
        Python's numbers are weak: they do not widen the dtype of a tensor of their kind.

    Returns:
      `tf.DType`; float64 if there are no arguments.

    Raises:
      TypeError: there is no such dtype, or a value has none.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.result_type(1, tf.constant(1.0)), tf.experimental.numpy.result_type(1.0, tf.int32)
      (tf.float32, tf.float64)
    """
    if _Preference.infer is not None:
        return _Preference.infer(*arrays_and_dtypes)
    return numpy_result_type(*arrays_and_dtypes)


def numpy_result_type(*arrays_and_dtypes):
    """`result_type` by NumPy's promotion, also if the program has weak dtypes."""
    flat = tf.nest.flatten(arrays_and_dtypes)
    if not flat:
        return tf.float64
    return tf.as_dtype(np.result_type(*map(_for_numpy, flat)))


def result_type_of_pair(x, y):
    """`result_type` of the two arguments of one function: NumPy's promotion, unless one is a sequence."""
    sequence = isinstance(x, (list, tuple)) or isinstance(y, (list, tuple))
    return result_type(x, y) if sequence else numpy_result_type(x, y)


def dtype_of(value, dtype=None):
    """The dtype that an array of `value` gets: `dtype` if it is given."""
    if dtype is not None:
        return result_type(dtype)
    return tf.string if isinstance(value, (str, bytes)) else result_type(value)


def numpy_type(dtype) -> type:
    """NumPy's type for a dtype of either library."""
    return dtype.as_numpy_dtype if isinstance(dtype, tf.DType) else np.dtype(dtype)


def promote_types(type1, type2):
    """The smallest dtype to which both dtypes can be cast safely: a `numpy.dtype`.

    Raises:
      TypeError: there is none.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.promote_types(tf.float32, "int32")
      dtype('float64')
    """
    return np.promote_types(numpy_type(type1), numpy_type(type2))


def finfo(dtype):
    """Limits of a floating dtype, a `numpy.finfo`.

    Raises:
      ValueError: the dtype is not NumPy's, or not floating.

    Example:
      >>> import tracefn as tf
      >>> float(tf.experimental.numpy.finfo(tf.float32).eps) == 2.0**-23
      True
    """
    return np.finfo(numpy_type(dtype))
