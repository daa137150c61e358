"""Element types: `tf.DType`, its instances and `tf.as_dtype`. The numbers are those of TensorFlow's DataType.

There is one instance per type, so `is` works as well as `==`. The native core finds them by `_type_enum`.
"""

from __future__ import annotations

import functools
from builtins import bool as _bool

from tracefn import _numpy as _np
from tracefn._missing import missing as _missing
from tracefn._missing import namespace
from tracefn._value_text import value_text

_FLOATING, _SIGNED, _UNSIGNED, _COMPLEX, _BOOL, _OTHER, _QUANTIZED = range(7)


class DType:
    """The type of the elements of a tensor.

    Args:
      type_enum: the number of the type in TensorFlow's DataType (int).
      handle_data: None: what a handle refers to is not part of a type here.

    Raises:
      ValueError: `handle_data` is not None.
      TypeError: no supported type has this number.

    >>> tf.float32.name, tf.float32.size, tf.float32.is_floating
    ('float32', 4, True)
    >>> tf.float32 == "float32", tf.float32 == np.float32, tf.float32 == tf.int32
    (True, True, False)
    >>> tf.float32
    tf.float32
    >>> print(tf.float32)
    <dtype: 'float32'>
    """

    __slots__ = ("__weakref__", "_handle_data", "_kind", "_name", "_numpy_name", "_size", "_type_enum")

    _type_enum: int
    _name: str
    _size: int
    _kind: int
    _numpy_name: str | None  # of numpy's scalar type
    _handle_data: None

    def __new__(cls, type_enum, handle_data=None):
        if handle_data is not None:
            raise ValueError("A DType holds no handle_data.")
        try:
            return _BY_ENUM[int(type_enum)]
        except KeyError:
            raise TypeError(f"{int(type_enum)} does not correspond to a valid tensorflow::DataType\n"
                            f"{_what_there_is()}") from None

    @classmethod
    def _make(cls, type_enum: int, name: str, size: int, kind: int, numpy_name: str | None) -> DType:
        """Creates the only instance of a type; used by this module."""
        self = object.__new__(cls)
        self._type_enum = type_enum
        self._name = name
        self._size = size
        self._kind = kind
        self._numpy_name = numpy_name
        self._handle_data = None
        return self

    @property
    def name(self) -> str:
        """Name, without prefix.

        >>> tf.float64.name
        'float64'
        """
        return self._name

    @property
    def as_datatype_enum(self) -> int:
        """Number of the type in TensorFlow's DataType.

        >>> tf.float32.as_datatype_enum
        1
        """
        return self._type_enum

    @property
    def as_numpy_dtype(self) -> type:
        """NumPy's scalar type for it: `object` for strings.

        Raises:
          ImportError: bfloat16 without the package `ml_dtypes`.
          KeyError: resource and variant have none.

        >>> tf.int8.as_numpy_dtype
        <class 'numpy.int8'>
        """
        if self._numpy_name is not None:
            return getattr(_np, self._numpy_name)
        if self is bfloat16:
            return _ml_dtypes().bfloat16
        if self is string:
            return object
        if self.is_quantized:
            return _np.dtype([(self._name, self._name.removeprefix("q").replace("uint", "u").replace("int", "i")
                               .replace("8", "1").replace("16", "2").replace("32", "4"))])  # fmt: skip
        if self in _SMALL.values():
            return getattr(_ml_dtypes(), self._name)
        raise KeyError(f"{self} has no NumPy type")

    @property
    def base_dtype(self) -> DType:
        """The type itself: there are no reference types."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of the real part of complex types, else the type itself.

        >>> tf.complex128.real_dtype
        tf.float64
        """
        if self is complex64:
            return float32
        return float64 if self is complex128 else self

    @property
    def is_bool(self) -> _bool:
        """Whether it is `tf.bool`."""
        return self._kind == _BOOL

    @property
    def is_integer(self) -> _bool:
        """Whether it is an integer type, signed or not."""
        return self._kind in (_SIGNED, _UNSIGNED)

    @property
    def is_unsigned(self) -> _bool:
        """Whether it is an unsigned integer type."""
        return self._kind == _UNSIGNED

    @property
    def is_floating(self) -> _bool:
        """Whether it is a real floating point type, bfloat16 included."""
        return self._kind == _FLOATING

    @property
    def is_complex(self) -> _bool:
        """Whether it is a complex type."""
        return self._kind == _COMPLEX

    @property
    def is_quantized(self) -> _bool:
        """Whether it is a quantized type, such as `tf.qint8`. Its NumPy arrays are of integers."""
        return self._kind == _QUANTIZED

    @property
    def is_numeric(self) -> _bool:
        """Whether its elements are numbers; booleans are not.

        >>> tf.int8.is_numeric, tf.string.is_numeric
        (True, False)
        """
        return (self._kind < _BOOL and self not in _SMALL.values()) or self.is_quantized

    @property
    def is_numpy_compatible(self) -> _bool:
        """Whether NumPy has an equivalent type; only resource and variant have none."""
        return self is not resource and self is not variant

    @property
    def size(self) -> int:
        """Bytes of one element; 0 for string, resource and variant."""
        return self._size

    @property
    def min(self):
        """Smallest finite value.

        Raises:
          TypeError: the type has no order, or is bool.

        >>> tf.int8.min
        -128
        """
        return self._extreme("min", "minimum")

    @property
    def max(self):
        """Largest finite value.

        Raises:
          TypeError: the type has no order, or is bool.

        >>> tf.uint16.max
        65535
        """
        return self._extreme("max", "maximum")

    def _extreme(self, end: str, word: str):
        if self in _SMALL.values() and self._kind != _FLOATING:
            return int(getattr(_ml_dtypes().iinfo(self.as_numpy_dtype), end))
        if self._kind in (_SIGNED, _UNSIGNED):
            return int(getattr(_np.iinfo(self.as_numpy_dtype), end))
        if self is bfloat16 or self in _SMALL.values():
            return getattr(_ml_dtypes().finfo(self.as_numpy_dtype), end)
        if self._kind == _FLOATING:
            return getattr(_np.finfo(self.as_numpy_dtype), end)
        if self.is_quantized:
            raise TypeError(f"Cannot find {word} value of {self} with quantized type {self}.")
        told = f" with type {self}" if self.is_numpy_compatible else ""
        raise TypeError(f"Cannot find {word} value of {self}{told}.")

    @property
    def limits(self) -> tuple:
        """The values of black and white in an image: (0, 1) or (0, max).

        Raises:
          ValueError: the type has none.

        >>> tf.uint8.limits
        (0, 255)
        """
        if self is float32 or self is float64:
            return 0, 1
        if self._kind in (_SIGNED, _UNSIGNED) and self not in _SMALL.values():
            return 0, self.max
        if self._kind == _BOOL:
            return 0, True
        raise ValueError(f"{self} does not have defined limits.")

    @property
    def _is_ref_dtype(self) -> _bool:
        return False

    def is_compatible_with(self, other) -> _bool:
        """Whether `other` converts to this same type.

        Args:
          other: anything that `tf.as_dtype` takes.

        Raises:
          TypeError: `other` is not a type.

        >>> tf.float32.is_compatible_with("float32")
        True
        """
        return as_dtype(other) is self

    def is_subtype_of(self, other) -> _bool:
        """Whether `other` is this type.

        >>> tf.float32.is_subtype_of(tf.float64)
        False
        """
        return self == other

    def most_specific_common_supertype(self, others) -> DType | None:
        """The type itself if all `others` are the same, else None.

        >>> tf.float32.most_specific_common_supertype([tf.float64]) is None
        True
        """
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context) -> None:
        """None: a type holds no tensors."""

    def to_tensors(self, value) -> list:
        """The empty list: a type holds no tensors."""
        return []

    def from_tensors(self, tensors) -> None:
        """None; takes nothing from the iterator `tensors`."""

    def flatten(self) -> list:
        """The empty list: a type holds no specs."""
        return []

    def cast(self, value, cast_context):
        """Always raises an error, as in TensorFlow.

        Raises:
          AssertionError: always.
        """
        raise AssertionError(f"Can not cast {value_text(value)} to type {self!r}")

    def experimental_as_proto(self):
        """The dtype as a SerializedDType, TensorFlow's message."""
        return self.experimental_type_proto()(datatype=self.as_datatype_enum)

    @classmethod
    def experimental_from_proto(cls, proto) -> DType:
        """The dtype of a SerializedDType."""
        return cls(proto.datatype)

    @classmethod
    def experimental_type_proto(cls) -> type:
        """The class of the result of `experimental_as_proto`."""
        from tracefn._proto import message_class  # start-up time: only programs that store types need messages

        return message_class("SerializedDType")

    def __int__(self):
        return self._type_enum

    def __eq__(self, other):
        return self is other or _find(other) is self

    def __ne__(self, other):
        return self is not other and _find(other) is not self

    def __hash__(self):
        return self._type_enum

    def __str__(self):
        return f"<dtype: '{self._name}'>"

    def __repr__(self):
        return f"tf.{self._name}"

    def __reduce__(self):
        return as_dtype, (self._name,)


_make = DType._make
float32 = _make(1, "float32", 4, _FLOATING, "float32")
float64 = _make(2, "float64", 8, _FLOATING, "float64")
int32 = _make(3, "int32", 4, _SIGNED, "int32")
uint8 = _make(4, "uint8", 1, _UNSIGNED, "uint8")
int16 = _make(5, "int16", 2, _SIGNED, "int16")
int8 = _make(6, "int8", 1, _SIGNED, "int8")
string = _make(7, "string", 0, _OTHER, None)
complex64 = _make(8, "complex64", 8, _COMPLEX, "complex64")
int64 = _make(9, "int64", 8, _SIGNED, "int64")
bool = _make(10, "bool", 1, _BOOL, "bool_")
bfloat16 = _make(14, "bfloat16", 2, _FLOATING, None)
uint16 = _make(17, "uint16", 2, _UNSIGNED, "uint16")
complex128 = _make(18, "complex128", 16, _COMPLEX, "complex128")
float16 = _make(19, "float16", 2, _FLOATING, "float16")
resource = _make(20, "resource", 0, _OTHER, None)
variant = _make(21, "variant", 0, _OTHER, None)
uint32 = _make(22, "uint32", 4, _UNSIGNED, "uint32")
uint64 = _make(23, "uint64", 8, _UNSIGNED, "uint64")
half = float16
double = float64
qint8 = _make(11, "qint8", 1, _QUANTIZED, None)
quint8 = _make(12, "quint8", 1, _QUANTIZED, None)
qint32 = _make(13, "qint32", 4, _QUANTIZED, None)
qint16 = _make(15, "qint16", 2, _QUANTIZED, None)
quint16 = _make(16, "quint16", 2, _QUANTIZED, None)
QUANTIZED_DTYPES = frozenset({qint8, quint8, qint16, quint16, qint32})
# Those of tf.dtypes.experimental. There are tensors of float8_e5m2, float8_e4m3fn, int4 and uint4 only.
_SMALL = {name: _make(number, name, 1, kind, None) for number, name, kind in (
    (24, "float8_e5m2", _FLOATING), (25, "float8_e4m3fn", _FLOATING), (26, "float8_e4m3fnuz", _FLOATING),
    (27, "float8_e4m3b11fnuz", _FLOATING), (28, "float8_e5m2fnuz", _FLOATING), (29, "int4", _SIGNED),
    (30, "uint4", _UNSIGNED), (31, "int2", _SIGNED), (32, "uint2", _UNSIGNED), (33, "float4_e2m1fn", _FLOATING))}

_ALL = (float16, bfloat16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool, complex64,
        complex128, string, resource, variant)
_BY_ENUM = {dtype._type_enum: dtype for dtype in _ALL}
_WITHOUT_ARITHMETIC = (*sorted(QUANTIZED_DTYPES, key=int), *_SMALL.values())
_BY_ENUM.update({dtype._type_enum: dtype for dtype in _WITHOUT_ARITHMETIC})

# Hashable arguments of `as_dtype`. An int and the equal float or bool find the same entry, as in TensorFlow.
_KNOWN: dict = dict(_BY_ENUM)
for _dtype in (*_ALL, *_WITHOUT_ARITHMETIC):
    _KNOWN[_dtype._name] = _dtype
_KNOWN.update({"half": float16, "float": float32, "double": float64, float: float32, _bool: bool, object: string})
del _dtype, _make


@functools.cache
def _numpy_types() -> dict:
    """NumPy's scalar types and their dtypes."""
    types = {dtype.as_numpy_dtype: dtype for dtype in _ALL if dtype._numpy_name is not None}
    return types | {_np.object_: string, _np.bytes_: string, _np.str_: string, _np.longlong: int64,
                    _np.ulonglong: uint64}


def as_dtype(type_value) -> DType:
    """Converts a description of a type to the `tf.DType`.

    Args:
      type_value: a DType, its name or number, a NumPy type or dtype, a NumPy array or scalar, `float` or `bool`.
        `int`, `complex`, `str` and `bytes` are not accepted: they have no width.

    Returns:
      The one DType of that type.

    Raises:
      TypeError: `type_value` does not describe a supported type.

    >>> tf.as_dtype("float32"), tf.as_dtype(np.int8), tf.as_dtype(1)
    (tf.float32, tf.int8, tf.float32)
    """
    dtype = _find(type_value)
    if dtype is None:
        raise TypeError(_refusal(type_value))
    return dtype


def _find(value) -> DType | None:
    """The DType for `value`, or None."""
    if type(value) is DType:
        return value
    try:
        known = _KNOWN.get(value)
    except TypeError:  # not hashable
        known = None
    if known is not None:
        return known
    if not _np.is_loaded():
        return None
    numpy_dtype = value if isinstance(value, _np.dtype) else getattr(value, "dtype", None)
    if isinstance(numpy_dtype, _np.dtype):
        scalar = numpy_dtype.type
    elif isinstance(value, type) and issubclass(value, _np.generic):
        scalar = value
    else:
        return None
    if scalar.__name__ == "bfloat16":  # ml_dtypes' type, recognised without importing that package
        return bfloat16
    if scalar.__name__ in _SMALL:
        return _SMALL[scalar.__name__]
    names = getattr(numpy_dtype, "names", None)
    if names is not None and len(names) == 1 and getattr(_KNOWN.get(names[0]), "is_quantized", False):
        return _KNOWN[names[0]]
    return _numpy_types().get(scalar)


def _what_there_is() -> str:
    return "The types are: " + ", ".join(dtype._name for dtype in _ALL) + "."


def _refusal(value) -> str:
    first = f"Cannot convert the argument `type_value`: {value_text(value)} to a TensorFlow DType."
    return f"{first}\n{_what_there_is()}"


def _ml_dtypes():
    try:
        import ml_dtypes  # optional: only NumPy arrays of bfloat16 need it
    except ImportError:
        raise ImportError("NumPy values of bfloat16 and of types of few bits need the package ml_dtypes: pip install ml_dtypes") from None
    return ml_dtypes


def __dir__() -> list[str]:
    return sorted({*globals(), *globals()["__all__"], "experimental"})


def __getattr__(name: str):
    if name == "experimental":
        return namespace("dtypes.experimental", "`tf.dtypes.experimental`: types of few bits.", _SMALL)
    raise _missing("dtypes", name)
