"""`tensorflow.python.trackable.base`: the base of objects that know their children."""

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
]
OBJECT_GRAPH_PROTO_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
VARIABLE_VALUE_KEY = "VARIABLE_VALUE"
