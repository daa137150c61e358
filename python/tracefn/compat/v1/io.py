"""`tf.compat.v1.io`: the functions that differ from those of `tf.io`, and all others."""

from __future__ import annotations

import tracefn.io as _io
from tracefn._later import FILES as _FILES
from tracefn._namespaces import fill as _fill
from tracefn._namespaces import load as _load

_fill(globals(), "compat.v1.io")
_DIFFERENT = frozenset(path for paths in _FILES.values() for path in paths if path.startswith("compat.v1.io."))


def __getattr__(name: str):
    if f"compat.v1.io.{name}" in _DIFFERENT:
        return _load(globals(), "compat.v1.io", name)
    return getattr(_io, name)
