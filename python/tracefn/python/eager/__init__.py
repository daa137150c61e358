"""`tensorflow.python.eager`: eager execution, as far as libraries import from there."""

from tracefn.python.eager import context

__all__ = ["context"]
