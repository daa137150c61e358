"""`tensorflow.python.data.experimental`: datasets, as far as libraries import from there."""

from tracefn.python.data.experimental import ops

__all__ = ["ops"]
