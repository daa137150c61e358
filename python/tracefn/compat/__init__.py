"""`tf.compat`: old names, and conversions between text and bytes."""

from __future__ import annotations

import contextlib as _contextlib
import numbers as _numbers
import os as _os

from tracefn._logging import get_logger as _logger
from tracefn._missing import missing as _missing
from tracefn.dimension import Dimension as _Dimension

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "bytes_or_text_types",
    "complex_types",
    "dimension_at_index",
    "dimension_value",
    "forward_compatibility_horizon",
    "forward_compatible",
    "integral_types",
    "path_to_str",
    "real_types",
    "v1",
    "v2",
]

bytes_or_text_types = (bytes, str)
# Those of NumPy are members of Python's number classes.
integral_types = (_numbers.Integral,)
real_types = (_numbers.Real,)
complex_types = (_numbers.Complex,)


def dimension_value(dimension):
    """The size of a Dimension; any other value is returned as it is.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.dimension_value(tf.compat.v1.Dimension(3)), tf.compat.dimension_value(None)
      (3, None)
    """
    return dimension.value if isinstance(dimension, _Dimension) else dimension


def as_bytes(bytes_or_text, encoding: str = "utf-8") -> bytes:
    """A str or bytes-like object as bytes.

    Raises:
      TypeError: the argument is neither.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.as_bytes("a")
      b'a'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, (bytes, bytearray, memoryview)):
        return bytes(bytes_or_text)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text, encoding: str = "utf-8") -> str:
    """A str or bytes object as str.

    Raises:
      TypeError: the argument is neither.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.as_text(b"a")
      'a'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value, encoding: str = "utf-8") -> str:
    """`as_text` of bytes, `str` of anything else.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.as_str_any(3)
      '3'
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path):
    """A path as str; anything else unchanged.

    Example:
      >>> import pathlib
      >>> import tracefn as tf
      >>> tf.compat.path_to_str(pathlib.PurePosixPath("a/b"))
      'a/b'
    """
    return as_str_any(_os.fspath(path)) if hasattr(path, "__fspath__") else path


def dimension_at_index(shape, index: int):
    """The dimension of a TensorShape at an index, of unknown size if the rank is unknown.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.dimension_at_index(tf.TensorShape([2, 3]), 1).value
      3
    """
    return _Dimension(None) if shape.rank is None else shape.dims[index]


# Year, month and day of TensorFlow 2.21: programs made for it use nothing later.
_RELEASE = 2026, 1, 16
_later_horizon: list[tuple[int, int, int] | None] = [None]


def _release_horizon() -> tuple[int, int, int]:
    """The date of the release, moved on by the days in the environment."""
    import datetime  # start-up time: few programs ask for dates

    days = int(_os.environ.get("TF_FORWARD_COMPATIBILITY_DELTA_DAYS") or 0)
    date = datetime.date(*_RELEASE) + datetime.timedelta(days=days)
    return date.year, date.month, date.day


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether programs may use what came on a date: one before the release, or before `forward_compatibility_horizon`.

    Args:
      year, month, day: ints.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.forward_compatible(2020, 1, 1), tf.compat.forward_compatible(2030, 1, 1)
      (True, False)
    """
    return (_later_horizon[0] or max(_release_horizon(), _RELEASE)) > (year, month, day)


@_contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int):
    """A context in which `forward_compatible` compares with a date after the release; dates before it change nothing.

    Args:
      year, month, day: ints.

    Raises:
      ValueError: there is no such date.

    Example:
      >>> import tracefn as tf
      >>> with tf.compat.forward_compatibility_horizon(2031, 1, 1):
      ...     tf.compat.forward_compatible(2030, 1, 1)
      True
    """
    import datetime  # start-up time: few programs ask for dates

    date = datetime.date(year, month, day)
    if date < datetime.date(*_RELEASE):
        _logger().warning("Trying to set the forward compatibility date to the past date %s. This will be ignored.", date)
    else:
        _later_horizon[0] = year, month, day
    try:
        yield
    finally:
        _later_horizon[0] = None


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str):
    if name == "v1":
        import tracefn.compat.v1 as v1  # start-up time: few programs need it

        return v1
    if name == "v2":
        import tracefn.compat.v2 as v2  # start-up time: few programs need it

        return v2
    raise _missing("compat", name)
