"""`tensorflow.python.ops.linalg`: linear algebra, as far as libraries import from there."""

from tracefn.python.ops.linalg import sparse

__all__ = ["sparse"]
