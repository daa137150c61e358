"""`tensorflow.python.tf2`: whether TensorFlow 2's behavior is on."""

from __future__ import annotations

from tracefn._namespaces import root

__all__ = ["enabled"]


def enabled() -> bool:
    """Whether ops outside of functions run eagerly: `tf.compat.v1.disable_v2_behavior` turns that off."""
    return root().compat.v1.executing_eagerly_outside_functions()
