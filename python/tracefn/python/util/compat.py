"""`tensorflow.python.util.compat`: what it has beside `tf.compat`'s functions."""

from __future__ import annotations

from tracefn.compat import as_bytes, bytes_or_text_types, complex_types, integral_types, path_to_str, real_types

__all__ = ["bytes_or_text_types", "complex_types", "integral_types", "path_to_bytes", "real_types"]


def path_to_bytes(path):
    """A path as bytes: what has `__fspath__`, a str or bytes."""
    return as_bytes(path_to_str(path))
