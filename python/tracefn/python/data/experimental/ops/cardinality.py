"""`tensorflow.python.data.experimental.ops.cardinality`: the numbers of elements that are none."""

from __future__ import annotations

from tracefn.data import INFINITE_CARDINALITY as INFINITE
from tracefn.data import UNKNOWN_CARDINALITY as UNKNOWN

__all__ = ["INFINITE", "UNKNOWN"]
