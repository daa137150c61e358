"""`tf.compat.v1`: the old spellings that programs for `tf.function` still use."""

from __future__ import annotations

from tracefn._export import fill
from tracefn.compat.v1 import aliases, initializers, wrap_function  # noqa: F401 - they register their names

fill(globals(), "compat.v1")
