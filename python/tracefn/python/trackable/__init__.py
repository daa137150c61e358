"""`tensorflow.python.trackable`: objects that know their children, as far as libraries import from there."""

from tracefn.python.trackable import autotrackable, base, data_structures

__all__ = ["autotrackable", "base", "data_structures"]
