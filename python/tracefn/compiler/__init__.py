"""`tensorflow.compiler`: compilers, as far as libraries import from there."""

from tracefn.compiler import tf2xla

__all__ = ["tf2xla"]
