"""`tensorflow.python.eager.def_function`: the class of traced functions."""

from __future__ import annotations

from tracefn._for_libraries.functions import Function
from tracefn.function import function

__all__ = ["Function", "function"]
