"""`tensorflow.python.trackable.autotrackable`: objects whose attributes are their children."""

from tracefn._tracking.auto import AutoTrackable

__all__ = ["AutoTrackable"]
