"""`tensorflow.python.ops.standard_ops`: the functions of TensorFlow 1 under one name."""

from __future__ import annotations

from tracefn._namespaces import root


def __getattr__(name: str):
    return getattr(root().compat.v1, name)
