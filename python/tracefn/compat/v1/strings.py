"""`tf.compat.v1.strings`: the functions that differ from those of `tf.strings`, and all others."""

from __future__ import annotations

import tracefn.strings as _strings
from tracefn._missing import missing as _missing
from tracefn.ops.strings_old import length, reduce_join, split, substr, to_hash_bucket, to_number

__all__ = ["length", "reduce_join", "split", "substr", "to_hash_bucket", "to_number"]


def __getattr__(name: str):
    if name.startswith("_") or not hasattr(_strings, name):
        raise _missing("compat.v1.strings", name)
    return getattr(_strings, name)
