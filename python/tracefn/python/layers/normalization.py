"""`tensorflow.python.layers.normalization`: batch normalization."""

from __future__ import annotations

from tracefn.python.layers._legacy import forwarding

__getattr__ = forwarding("normalization", {"BatchNorm": "BatchNormalization", "batch_norm": "batch_normalization"})
