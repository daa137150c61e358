"""`tensorflow.python.ops`: functions of tensors, as far as libraries import from there."""

from tracefn.python.ops import linalg

__all__ = ["linalg"]
