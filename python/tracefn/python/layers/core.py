"""`tensorflow.python.layers.core`: Dense, Dropout and Flatten."""

from __future__ import annotations

from tracefn.python.layers._legacy import forwarding

__getattr__ = forwarding("core", {"FullyConnected": "Dense", "fully_connected": "dense"})
