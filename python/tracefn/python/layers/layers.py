"""`tensorflow.python.layers.layers`: all layers of TensorFlow 1."""

from __future__ import annotations

from tracefn.python.layers._legacy import legacy_layers

_MODULES = ("base", "core", "convolutional", "pooling", "normalization")


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    for module in map(legacy_layers, _MODULES):
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"module 'tensorflow.python.layers.layers' has no attribute {name!r}")
