"""`tensorflow.python.tf2`: whether TensorFlow 2's behavior is on."""

from __future__ import annotations

from tracefn.compat.v1.switches import behaves_as_v2

__all__ = ["enabled"]


def enabled() -> bool:
    """False after `tf.compat.v1.disable_v2_behavior`, else True, also in a tf.Graph."""
    return behaves_as_v2()
