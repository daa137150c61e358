"""`tensorflow.compiler.tf2xla.python`: XLA's ops, as far as libraries import from there."""

from tracefn.compiler.tf2xla.python import xla

__all__ = ["xla"]
