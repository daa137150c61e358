"""`tensorflow.python.data`: datasets, as far as libraries import from there."""

from tracefn.python.data import experimental

__all__ = ["experimental"]
