"""`tensorflow.python.util.compat`: kinds of numbers and texts, and conversions of texts."""

from __future__ import annotations

from tracefn.compat import (
    as_bytes,
    as_str,
    as_str_any,
    as_text,
    bytes_or_text_types,
    complex_types,
    integral_types,
    path_to_str,
    real_types,
)

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "bytes_or_text_types",
    "complex_types",
    "integral_types",
    "path_to_bytes",
    "path_to_str",
    "real_types",
]


def path_to_bytes(path):
    """A path as bytes: what has `__fspath__`, a str or bytes."""
    return as_bytes(path_to_str(path))
