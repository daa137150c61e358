"""`tf.mlir`: the names for conversions of graphs, refused when used."""

import sys as _sys

from tracefn._missing.refused import fill as _fill

_fill(_sys.modules[__name__], "there is no MLIR; `graph.text()` of a concrete function shows its graph.")
