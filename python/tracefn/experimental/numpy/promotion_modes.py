"""The promotion of weak and strong dtypes, and the mode of the program: whether risky promotions are allowed."""

from __future__ import annotations

import enum
import functools

import numpy as np

from tracefn._namespaces import root
from tracefn.composite import CompositeTensor
from tracefn.experimental.numpy.weak_tensors import WeakTensor

tf = root()


class PromoMode(enum.Enum):
    """How operations promote dtypes. A promotion is allowed in the mode that it needs, and in those after it."""

    OFF = 0
    LEGACY = 1
    SAFE = 2
    ALL = 3


class _Current:
    """The mode of the program, if it has weak dtypes; else None."""

    mode: PromoMode | None = None


def set_mode(mode: str) -> None:
    """Chooses "safe" or "all"; another mode turns weak dtypes off."""
    _Current.mode = PromoMode[mode.upper()] if mode in ("safe", "all") else None


def weak_dtypes() -> bool:
    """Whether the program has weak dtypes."""
    return _Current.mode is not None


# The dtypes that may be weak. Of two, the later one is the result.
_WEAK_ORDER = (tf.int32, tf.int64, tf.float32, tf.float64, tf.complex128)
_FLOATS = (tf.bfloat16, tf.float16, tf.float32, tf.float64)
_INTEGER_OF = {(kind, bits): tf.as_dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)}
_PROMOTED = {*_FLOATS, *_INTEGER_OF.values(), tf.bool, tf.complex64, tf.complex128}
_WEAK_FLOAT64 = (tf.float64, True)


def _of_integers(x, y):
    """Of two strong integers: the wider; of different signs, a signed one that holds both, which may be a float."""
    if x.is_unsigned == y.is_unsigned:
        return (x if x.size > y.size else y, False), True
    unsigned, signed = (x, y) if x.is_unsigned else (y, x)
    if signed.size > unsigned.size:
        return (signed, False), True
    return ((_INTEGER_OF["int", unsigned.size * 16], False) if unsigned.size < 8 else _WEAK_FLOAT64), False


def _holds(inexact, integer) -> bool:
    """Whether a float of at least twice an integer's bits keeps the integer; a complex dtype counts by one part."""
    size = inexact.size // 2 if inexact.is_complex else inexact.size
    return size >= 2 * integer.size


def _of_strong(x, y):
    if x == y:
        return (x, False), True
    if x.is_integer and y.is_integer:
        return _of_integers(x, y)
    if x.is_integer or y.is_integer:
        integer, inexact = (x, y) if x.is_integer else (y, x)
        return (inexact, False), _holds(inexact, integer)
    if x.is_complex or y.is_complex:
        wide = tf.float64 in (x, y)
        return (tf.complex128 if wide or tf.complex128 in (x, y) else tf.complex64, False), not (
            wide and tf.complex64 in (x, y)
        )
    if {x, y} == {tf.bfloat16, tf.float16}:
        return (tf.float32, False), False
    return (x if x.size > y.size else y, False), True


def _of_strong_and_weak(x, y):
    """A weak dtype gives way to a strong one of its kind, or of a kind above."""
    if y.is_integer:
        return (x, False), True
    if x.is_integer:
        return (_WEAK_FLOAT64 if y.is_floating else (y, True)), y != tf.float32 and x.size < 8
    if y.is_complex and x.is_floating:
        return ((tf.complex128 if x == tf.float64 else tf.complex64), False), x == tf.float64
    return (x, False), True


@functools.cache
def promotion(x, y):
    """What two dtypes promote to, each (dtype, weak): ((dtype, weak), whether that is safe); None if they do not."""
    if tf.string in (x[0], y[0]):
        return (x, True) if x == y else None
    if x[0] not in _PROMOTED or y[0] not in _PROMOTED:
        return None
    if tf.bool in (x[0], y[0]):
        return (y if x[0] == tf.bool else x), True
    if x[1] and y[1]:
        return max(x, y, key=lambda kind: _WEAK_ORDER.index(kind[0])), True
    if x[1] or y[1]:
        return _of_strong_and_weak(*((y[0], x[0]) if x[1] else (x[0], y[0])))
    return _of_strong(x[0], y[0])


_TYPES = {bool: (tf.bool, False), int: (tf.int32, True), float: (tf.float32, True), complex: (tf.complex128, True)}
_INT32 = np.iinfo(np.int32)


def _of_number(value):
    if isinstance(value, bool):
        return tf.bool, False
    if isinstance(value, int):
        if not _INT32.min <= value <= _INT32.max:
            raise OverflowError(f"Python int {value} too large to convert to np.int32")
        return tf.int32, True
    return (tf.float32 if isinstance(value, float) else tf.complex128), True


def _of_numpy(dtype):
    try:
        return tf.as_dtype(dtype), False
    except TypeError as error:
        raise NotImplementedError(
            f"Auto dtype conversion semantics does not support {dtype}. Try using a NumPy built-in dtype objects or cast them "
            "explicitly."
        ) from error


def _kind(value):
    """(dtype, whether it is weak) of a tensor, array, number or dtype."""
    if isinstance(value, WeakTensor):
        return value.dtype, True
    if isinstance(value, tf.DType):
        return value, False
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, tf.DType):
        return dtype, False
    if isinstance(dtype, np.dtype):
        return tf.as_dtype(dtype), False
    if isinstance(value, (bytes, str)):
        return tf.string, False
    if isinstance(value, (int, float, complex)):
        return _of_number(value)
    if isinstance(value, type):
        if issubclass(value, np.generic):
            return _of_numpy(value)
        if value in _TYPES:
            return _TYPES[value]
    if isinstance(value, tf.TensorShape):
        return tf.int32, False
    if isinstance(value, np.dtype):
        return _of_numpy(value)
    raise NotImplementedError(f"Auto dtype conversion semantics does not support {type(value)} type.")


def _check_supported(value) -> None:
    if isinstance(value, CompositeTensor) and not isinstance(value, (tf.IndexedSlices, WeakTensor, tf.Variable)):
        raise NotImplementedError(f"Auto dtype conversion semantics does not support {type(value)} type.")


def _refuse(x, y):
    raise TypeError(
        f"In promotion mode {_Current.mode}, implicit dtype promotion between ({x[0]}, weak={x[1]}) and ({y[0]}, "
        f"weak={y[1]}) is disallowed. You need to explicitly specify the dtype in your op, or relax your dtype promotion "
        "rules (such as from SAFE mode to ALL mode)."
    )


def result_kind(*values):
    """(dtype, whether it is weak) of the result of an operation on the values; None among them does not count.

    Raises:
        TypeError: the mode forbids that promotion.
        OverflowError: a Python int does not fit in int32.
        NotImplementedError: a value has no dtype here, or there is no such promotion.
    """
    given = [value for value in values if value is not None]
    for value in given:
        _check_supported(value)
    kinds = [_kind(value) for value in tf.nest.flatten(given)] or [(tf.float32, True)]
    result = kinds[0]
    for kind in kinds[1:]:
        found = promotion(result, kind)
        if found is None:
            raise NotImplementedError(
                f"Implicit Conversion between {result[0]} and {kind[0]} is not allowed. Please convert the input manually if you "
                "need to."
            )
        if not found[1] and _Current.mode is PromoMode.SAFE:
            _refuse(result, kind)
        result = found[0]
    return result


def result_dtype(*values):
    """The dtype of `result_kind`."""
    return result_kind(*values)[0]
