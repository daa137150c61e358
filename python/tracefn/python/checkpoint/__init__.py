"""`tensorflow.python.checkpoint`: what libraries import from there."""

from tracefn.python.checkpoint import checkpoint

__all__ = ["checkpoint"]
