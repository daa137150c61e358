"""`tf.compat`: old names, and conversions between text and bytes."""

from __future__ import annotations

from tracefn._missing import missing as _missing
from tracefn._namespaces import root as _root

__all__ = ["as_bytes", "as_str", "as_str_any", "as_text", "v1", "v2"]


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


def __getattr__(name: str):
    if name == "v1":
        import tracefn.compat.v1 as v1  # start-up time: few programs need it

        return v1
    if name == "v2":
        return _root()
    raise _missing("compat", name)
