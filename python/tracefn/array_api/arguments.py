"""Checks and conversions of arguments."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.array_api.promotion import kind_of, kinds_of, of_number, promote

tf = root()

ALL = ("bool", *kinds_of("numeric"))
NUMERIC = kinds_of("numeric")
REAL = ("signed integer", "unsigned integer", "real floating")
FLOATING = ("real floating", "complex floating")
REAL_FLOATING = ("real floating",)
INTEGER = kinds_of("integral")
INTEGER_OR_BOOLEAN = ("bool", *INTEGER)


def default_device() -> str:
    """The name of the device that tensors are on."""
    return tf.constant(0).device if tf.executing_eagerly() else _outside()


def _outside() -> str:
    with tf.init_scope():
        return tf.constant(0).device


def check_device(device) -> None:
    """Refuses all devices but the one that there is."""
    if device is not None and str(device).rpartition("/")[2] not in ("CPU:0", "cpu:0", "device:CPU:0", default_device()):
        raise ValueError(f"Unsupported device {device!r}: there is {default_device()!r}")


def check_kind(name: str, x, kinds) -> None:
    """Refuses an array of a kind that a function does not take.

    Raises:
      TypeError: it is no array, or of another kind.
    """
    if not isinstance(x, tf.Tensor):
        raise TypeError(f"{name} takes arrays, got {x!r}; array_api.asarray makes one of it")
    if kind_of(x.dtype) not in kinds:
        raise TypeError(f"{name} takes dtypes that are {' or '.join(kinds)}, got {x.dtype.name}")


def _value(x):
    """A Variable's value; anything else as it is."""
    return x.value() if isinstance(x, tf.Variable) else x


def one(name: str, x, kinds=ALL):
    """The array that a function takes."""
    x = _value(x)
    check_kind(name, x, kinds)
    return x


def two(name: str, x1, x2, kinds=ALL) -> tuple:
    """Two arrays of their promoted dtype. One of them may be a Python number.

    Raises:
      TypeError: no promotion, or a wrong kind.
    """
    x1, x2 = _value(x1), _value(x2)
    if not isinstance(x1, tf.Tensor) and not isinstance(x2, tf.Tensor):
        check_kind(name, x1, kinds)
    if not isinstance(x2, tf.Tensor):
        check_kind(name, x1, kinds)
        dtype = of_number(_number(name, x2), x1.dtype)
    elif not isinstance(x1, tf.Tensor):
        check_kind(name, x2, kinds)
        dtype = of_number(_number(name, x1), x2.dtype)
    else:
        check_kind(name, x1, kinds)
        check_kind(name, x2, kinds)
        dtype = promote(x1.dtype, x2.dtype)
    if kind_of(dtype) not in kinds:
        raise TypeError(f"{name} takes dtypes that are {' or '.join(kinds)}, got {dtype.name} by promotion")
    return as_dtype(x1, dtype), as_dtype(x2, dtype)


def _number(name: str, x):
    if not isinstance(x, (bool, int, float, complex)):
        check_kind(name, x, ())
    return x


def as_dtype(x, dtype):
    """A tensor or Python number as a tensor of a dtype."""
    if isinstance(x, tf.Tensor):
        return x if x.dtype == dtype else tf.cast(x, dtype)
    return tf.constant(number_of(x, dtype), dtype)


def number_of(value, dtype):
    """A Python number as one of the kind of a dtype, if it has no other parts."""
    if dtype.is_bool:
        return bool(value)
    if dtype.is_complex:
        return complex(value)
    return float(value) if dtype.is_floating and isinstance(value, int) else value
