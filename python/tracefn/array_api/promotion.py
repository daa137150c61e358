"""Dtypes: their kinds, promotion, limits."""

from __future__ import annotations

from typing import NamedTuple

from tracefn._namespaces import root

tf = root()

_KINDS = {
    "bool": (tf.bool,),
    "signed integer": (tf.int8, tf.int16, tf.int32, tf.int64),
    "unsigned integer": (tf.uint8, tf.uint16, tf.uint32, tf.uint64),
    "real floating": (tf.float32, tf.float64),
    "complex floating": (tf.complex64, tf.complex128),
}
_UNIONS = {
    "integral": ("signed integer", "unsigned integer"),
    "numeric": ("signed integer", "unsigned integer", "real floating", "complex floating"),
}
DEFAULTS = {"real floating": tf.float32, "complex floating": tf.complex64, "integral": tf.int32, "indexing": tf.int64}


def kind_of(dtype) -> str:
    """The kind of a dtype. float16 and bfloat16, which the standard has not, are real floating.

    Raises:
      TypeError: it is no dtype of numbers or booleans.
    """
    if dtype.is_bool:
        return "bool"
    if dtype.is_integer:
        return "unsigned integer" if dtype.is_unsigned else "signed integer"
    if dtype.is_complex:
        return "complex floating"
    if dtype.is_floating:
        return "real floating"
    raise TypeError(f"The array API standard has no dtype {dtype.name}")


def kinds_of(name: str) -> tuple[str, ...]:
    """The kinds that a word of the standard stands for."""
    if name not in _KINDS and name not in _UNIONS:
        raise ValueError(f"Unrecognized data type kind: {name!r}. The kinds are {[*_KINDS, *_UNIONS]}.")
    return _UNIONS.get(name, (name,))


def dtypes_of(name: str | tuple | None) -> dict:
    """Name -> dtype, of the dtypes of a kind, of several, or of all (None)."""
    names = tuple(_KINDS) if name is None else name if isinstance(name, tuple) else (name,)
    return {dtype.name: dtype for part in names for kind in kinds_of(part) for dtype in _KINDS[kind]}


def isdtype(dtype, kind):
    """Whether a dtype is of a kind.

    Args:
      dtype: `tf.DType`.
      kind: a dtype; one of "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex
        floating", "numeric"; or a tuple of these.

    Returns:
      bool.

    Raises:
      ValueError: there is no such kind.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.isdtype(tf.int8, ("bool", "integral"))
      True
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, part) for part in kind)
    if isinstance(kind, str):
        return dtype in dtypes_of(kind).values()
    return dtype == tf.as_dtype(kind)


def _no_promotion(a, b):
    raise TypeError(f"{a.name} and {b.name} cannot be type promoted together: the array API standard has no rule for them")


def promote(a, b):
    """The dtype to which two dtypes are promoted.

    Raises:
      TypeError: the standard has no rule for the pair.
    """
    if a == b:
        return a
    kinds = kind_of(a), kind_of(b)
    if kinds[0] == kinds[1]:
        if a.size == b.size:
            _no_promotion(a, b)  # float16 and bfloat16
        return a if a.size > b.size else b
    if set(kinds) == {"signed integer", "unsigned integer"}:
        signed, unsigned = (a, b) if kinds[0] == "signed integer" else (b, a)
        wide = [dtype for dtype in _KINDS["signed integer"] if dtype.size > unsigned.size and dtype.size >= signed.size]
        return wide[0] if wide else _no_promotion(a, b)
    if set(kinds) == {"real floating", "complex floating"}:
        return tf.complex128 if tf.float64 in (a, b) or tf.complex128 in (a, b) else tf.complex64
    return _no_promotion(a, b)


def of_number(number, dtype):
    """The dtype of an array of `dtype` together with a Python number, which is weak.

    Raises:
      TypeError: the number is of a kind that the dtype does not hold.
    """
    kind = kind_of(dtype)
    if isinstance(number, bool):
        fits = kind == "bool"
    elif isinstance(number, int):
        fits = kind != "bool"
    elif isinstance(number, float):
        fits = kind.endswith("floating")
    else:
        fits = kind.endswith("floating")
        dtype = promote(dtype, tf.complex64) if fits else dtype
    if not fits:
        raise TypeError(f"Python scalar {number!r} cannot be combined with an array of {dtype.name}")
    return dtype


def result_type(*arrays_and_dtypes):
    """The dtype to which the arguments are promoted.

    Args:
      *arrays_and_dtypes: arrays, dtypes, and Python numbers, which are weak; one array or dtype at least.

    Returns:
      `tf.DType`.

    Raises:
      TypeError: the standard has no rule for them.
      ValueError: there is neither an array nor a dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.result_type(tf.int8, tf.uint8, 3)
      tf.int16
    """
    numbers = [x for x in arrays_and_dtypes if isinstance(x, (bool, int, float, complex)) and not hasattr(x, "dtype")]
    others = [x for x in arrays_and_dtypes if not any(x is number for number in numbers)]
    dtypes = [x if isinstance(x, tf.DType) else tf.as_dtype(getattr(x, "dtype", x)) for x in others]
    if not dtypes:
        raise ValueError("at least one array or dtype is required")
    result = dtypes[0]
    for dtype in dtypes[1:]:
        result = promote(result, dtype)
    for number in numbers:
        result = of_number(number, result)
    return result


def can_cast(from_, to, /):
    """Whether an array or dtype can be cast to a dtype by the rules of promotion.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.can_cast(tf.int8, tf.int16), tf.array_api.can_cast(tf.int16, tf.int8)
      (True, False)
    """
    from_ = from_ if isinstance(from_, tf.DType) else tf.as_dtype(getattr(from_, "dtype", from_))
    try:
        return promote(from_, to) == to
    except TypeError:
        return False


class finfo_object(NamedTuple):
    """Limits of a floating dtype. Those of a complex dtype are its real part's."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: object


class iinfo_object(NamedTuple):
    """Limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: object


# Bits of the exponent and of the mantissa.
_FORMATS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}


def _dtype(type):
    return type if isinstance(type, tf.DType) else tf.as_dtype(getattr(type, "dtype", type))


def finfo(type, /):
    """Limits of a floating dtype, or of the dtype of an array.

    Returns:
      Object with `bits`, `eps`, `max`, `min`, `smallest_normal` and `dtype`.

    Raises:
      TypeError: the dtype is not floating.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.finfo(tf.float32).eps == 2.0**-23
      True
    """
    given = _dtype(type)
    dtype = given.real_dtype
    if not dtype.is_floating:
        raise TypeError(f"finfo takes floating dtypes, got {dtype.name}")
    exponent, mantissa = _FORMATS[dtype.name]
    bias = 2 ** (exponent - 1) - 1
    largest = (2.0 - 2.0**-mantissa) * 2.0**bias
    bits = given.size * 8 // (2 if given.is_complex else 1)
    return finfo_object(bits, 2.0**-mantissa, largest, -largest, 2.0 ** (1 - bias), dtype)


def iinfo(type, /):
    """Limits of an integer dtype, or of the dtype of an array.

    Returns:
      Object with `bits`, `max`, `min` and `dtype`.

    Raises:
      TypeError: the dtype is no integer type.

    Example:
      >>> import tracefn as tf
      >>> tf.array_api.iinfo(tf.int8).max
      127
    """
    dtype = _dtype(type)
    if not dtype.is_integer:
        raise TypeError(f"iinfo takes integer dtypes, got {dtype.name}")
    bits = dtype.size * 8
    if dtype.is_unsigned:
        return iinfo_object(bits, 2**bits - 1, 0, dtype)
    return iinfo_object(bits, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), dtype)
