"""`tensorflow.python.trackable.base`: the base of objects that know their children."""

from __future__ import annotations

import contextlib

from tracefn._tracking.base import (
    CheckpointInitialValueCallable,
    Trackable,
    TrackableReference,
    no_automatic_dependency_tracking,
)

__all__ = [
    "OBJECT_GRAPH_PROTO_KEY",
    "VARIABLE_VALUE_KEY",
    "CheckpointInitialValueCallable",
    "Trackable",
    "TrackableReference",
    "no_automatic_dependency_tracking",
    "no_automatic_dependency_tracking_scope",
]
OBJECT_GRAPH_PROTO_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
VARIABLE_VALUE_KEY = "VARIABLE_VALUE"


@contextlib.contextmanager
def no_automatic_dependency_tracking_scope(obj):
    """A context in which what is assigned to attributes of an object is not tracked.

    Example:
      >>> import tracefn as tf
      >>> module = tf.Module()
      >>> with tf.python.trackable.base.no_automatic_dependency_tracking_scope(module):
      ...     module.values = [1, 2]
      >>> type(module.values).__name__
      'list'
    """
    previous = getattr(obj, "_setattr_tracking", True)
    obj._setattr_tracking = False
    try:
        yield
    finally:
        obj._setattr_tracking = previous
