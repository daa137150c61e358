"""`tensorflow.python.layers.pooling`: pooling."""

from __future__ import annotations

from tracefn.python.layers._legacy import forwarding

__getattr__ = forwarding("pooling", {f"{kind}Pool{n}D": f"{kind}Pooling{n}D" for kind in ("Max", "Average") for n in (1, 2, 3)})
