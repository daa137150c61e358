"""`tensorflow.python.layers.base`: the base class of layers."""

from __future__ import annotations

from tracefn.python.layers._legacy import forwarding

__getattr__ = forwarding("base")
