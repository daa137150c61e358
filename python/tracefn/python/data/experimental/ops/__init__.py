"""`tensorflow.python.data.experimental.ops`: functions of datasets, as far as libraries import from there."""

from tracefn.python.data.experimental.ops import distribute

__all__ = ["distribute"]
