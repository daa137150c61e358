"""`tensorflow.compiler.tf2xla`: XLA's ops, as far as libraries import from there."""

from tracefn.compiler.tf2xla import python

__all__ = ["python"]
