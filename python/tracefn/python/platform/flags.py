"""`tensorflow.python.platform.flags`: `tf.compat.v1.flags`."""

from __future__ import annotations

from tracefn.compat.v1.flags import absl_flags


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(absl_flags(), name)
